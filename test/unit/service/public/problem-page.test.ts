import { expect, it } from 'vitest';
import { memberNotFound, Problem, tooManyRequests } from '../../../../src/service/http/response/problem.ts';
import { MissingProblem } from '../../../../src/service/public/missing-problem.ts';
import { problemPage } from '../../../../src/service/public/problem-page.ts';
import { noPage } from '../../../../src/service/public/queries.ts';
import { MISSING } from './fixtures.ts';
import { requestOf } from './requests.ts';

const away = new Problem('store_unavailable', 'The store did not answer in time.');
const broken = new Problem('internal', 'The request failed for a reason on our side.');
const wrong = new Problem('invalid_request', 'page must be an integer.');
const many = tooManyRequests('Too many requests came from your address.', 1);

/** Returns what the page of a problem shows, and the ways that it offers. */
function shown(problem: Problem, path = '/g/guild', query: object = {}) {
  const html = problemPage(requestOf(path, query), problem, '../');
  return {
    heading: /<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1],
    text: /<p class="note">(.*?)<\/p>/.exec(html)?.[1],
    links: [...html.matchAll(/<a class="button" href="(.*?)">(.*?)<\/a>/g)].map(([, ...link]) => link),
    isOverlay: /<html[^>]* class="overlay"/.test(html) && html.includes('<h1 class="quiet">'),
    asksAgain: html.includes('<script src="../public/live.js"'),
  };
}

it('a problem page says in the language of the visitor what passes by itself, and what is not there', () => {
  const lang = 'de';
  expect(shown(many, '/g/guild', { lang })).toMatchObject({
    heading: 'Zu viele Anfragen',
    text: 'Warte einen Moment und lade die Seite neu.',
  });
  expect(shown(away, '/g/guild', { lang })).toMatchObject({
    heading: 'Rangliste nicht verfügbar',
    text: 'Warte einen Moment und lade die Seite neu.',
  });
  expect(shown(noPage(), '/g/guild', { lang })).toMatchObject({
    heading: 'Hier ist nichts',
    text: 'Hier gibt es keine öffentliche Seite, oder kein solches Mitglied in dieser Rangliste.',
  });
  expect(shown(memberNotFound(), '/g/guild/m/bob', { lang })).toMatchObject({
    heading: 'Hier ist nichts',
    text: 'Dieses Mitglied steht nicht in dieser Rangliste.',
  });
});

it('the problem page of a missing member keeps title, colours, boards and search of the guild', () => {
  const guild = {
    ...MISSING,
    boards: ['week' as const],
    look: { ...MISSING.look, accent: '#0f766e', picture: 'https://cdn.example/a.png' },
  };
  const html = problemPage(
    requestOf('/g/guild/m/bob', { lang: 'de' }),
    new MissingProblem({ guildId: 'guild', board: undefined, userId: 'bob' }, guild),
    '../../../',
  );
  for (const kept of [
    '<a href="../../../g/guild?lang=de" dir="auto">The Den</a>',
    '--accent:#0f766e',
    'src="https://cdn.example/a.png"',
    '<a href="../../../g/guild?board=week&amp;lang=de">Diese Woche</a>',
    '<form class="search" action="../../../g/guild">',
    'Dieses Mitglied steht nicht in dieser Rangliste.',
    '<meta name="robots" content="noindex">',
  ])
    expect(html).toContain(kept);
});

it('a problem page tells wrong addresses and failures in English, with their details', () => {
  expect(shown(wrong, '/g/guild', { lang: 'de' })).toMatchObject({
    heading: 'This address is not right',
    text: 'page must be an integer.',
  });
  expect(shown(broken, '/g/guild', { lang: 'de' })).toMatchObject({
    heading: 'Something went wrong',
    text: 'The request failed for a reason on our side.',
  });
});

it('a problem page asks again by itself while the store is away, and after no other problem', () => {
  expect(shown(away).asksAgain).toBe(true);
  for (const problem of [many, broken, wrong, noPage()]) expect(shown(problem).asksAgain).toBe(false);
});

it('an overlay shows no problem but a wrong address, and asks again after every other problem', () => {
  for (const problem of [noPage(), many, broken, away]) {
    const page = shown(problem, '/g/guild', { overlay: '1' });
    expect(page).toMatchObject({ isOverlay: true, asksAgain: true, text: undefined, links: [] });
    expect(shown(problem, '/g/guild', { overlay: '0' }).isOverlay).toBe(false);
  }
  const mistake = shown(wrong, '/g/guild', { overlay: '1' });
  expect(mistake).toMatchObject({ isOverlay: false, asksAgain: false, text: 'page must be an integer.' });
});

it('the problem page of a missing page leads to the member in the ranking of all time and to the guild, and the problem page of a wrong address to the guild', () => {
  expect(shown(memberNotFound(), '/g/guild/m/bob', { board: 'week', lang: 'de' }).links).toEqual([
    ['../g/guild/m/bob?lang=de', 'Gesamt'],
    ['../g/guild?lang=de', 'Rangliste'],
  ]);
  const toGuild = [['../g/guild', 'Leaderboard']];
  expect(shown(memberNotFound(), '/g/guild/m/bob').links).toEqual(toGuild);
  expect(shown(noPage(), '/g/guild', { board: 'month' }).links).toEqual(toGuild);
  for (const query of [{}, { board: 'week' }])
    expect(shown(noPage(), '/g/guild/m/no%20id', query).links).toEqual(toGuild);
  expect(shown(noPage(), '/g/guild').links).toEqual([]);
  expect(shown(wrong, '/g/guild').links).toEqual(toGuild);
  for (const problem of [many, away, broken])
    expect(shown(problem, '/g/guild/m/bob', { board: 'week' }).links).toEqual([]);
});

it('a problem page leads to no guild and no member that the address does not name', () => {
  const board = 'week';
  for (const id of ['a%20b', 'a'.repeat(65)]) expect(shown(noPage(), `/g/${id}`, { board }).links).toEqual([]);
  expect(shown(memberNotFound(), '/g/guild/badge.svg', { board, member: 'bob' }).links).toEqual([
    ['../g/guild', 'Leaderboard'],
  ]);
});
