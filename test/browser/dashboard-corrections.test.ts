import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { dashboardVisit, GUILD } from './dashboard-visit.ts';
import { MANY_LOOKS_MS } from './engines.ts';

const EVIL = `<img src=x onerror="document.title=1">`;

describe('changes of members in Chromium', needs('chromium', 'redis-server'), () => {
  const visit = dashboardVisit((n) => (n === 11 ? EVIL : `Member ${n}`));

  const fileOf = (text: string) => ({ name: 'prizes.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const members = async (...ids: string[]) => (await visit.dashboard.store.members.read(GUILD, ids)).members;

  /** Changes a member, undoes the change, and changes members by a file. @param look called at each step. */
  async function tour(look: (step: string) => Promise<void>): Promise<void> {
    await visit.follow('Members');
    await visit.page.getByLabel('Search by name or id').fill('m11');
    await visit.press('Find');
    await visit.follow('Change');
    await look('change');
    await visit.page.getByLabel('XP', { exact: true }).fill('250');
    await visit.press('Change the member');
    await look('change, refused');
    await visit.page.getByLabel('What to do with the XP').selectOption('add');
    await visit.page.getByLabel('What to do with the level').selectOption('set');
    await visit.page.getByLabel('Level', { exact: true }).fill('30');
    await visit.page.getByLabel('What to do with the name').selectOption('Change to');
    await visit.page.getByLabel('Name', { exact: true }).fill(`${EVIL}!`);
    await visit.page.getByLabel('Reason (optional)').fill('won the quiz');
    await visit.press('Change the member');
    await look('changed');
    expect(await members('m11')).toMatchObject([{ xp: 6250, level: 30, username: `${EVIL}!` }]);
    await visit.dashboard.store.writer.record(GUILD, { userId: 'm11', add: 3 });
    await visit.press('Undo the change');
    await look('undone');
    expect(await members('m11')).toMatchObject([{ xp: 6003, level: null, username: EVIL }]);
    await visit.follow('Members');
    await visit.follow('Change by a file');
    await look('list');
    const text = `user_id,add,name\nm11,7,\nm1,,"${EVIL.replaceAll('"', '""')}"\nnobody,5,\nm2,x,\n`;
    await visit.page.getByLabel('File', { exact: true }).setInputFiles(fileOf(text));
    await visit.press('Check the file');
    await look('list, checked');
    await visit.press('Change 2 members');
    await look('list, done');
    expect(await members('m11', 'm1')).toMatchObject([{ xp: 6010 }, { xp: 1000, username: EVIL }]);
    const downloading = visit.page.waitForEvent('download');
    await visit.follow('Download the earlier values');
    const earlier = await (await downloading).createReadStream();
    expect(await new Response(Readable.toWeb(earlier) as ReadableStream).text()).toContain('\nm11,6003,,\n');
  }

  it('the pages that change members fit their screens, axe finds nothing, and nothing foreign runs', {
    timeout: MANY_LOOKS_MS,
  }, async () => {
    await visit.signIn();
    await tour((step) => visit.expectRight(step));
    await visit.expectNothingForeign();
  });

  it('the pages that change members work in full without scripts', async () => {
    await visit.signIn(GUILD, { javaScriptEnabled: false });
    const seen: Record<string, string> = {};
    await tour(async (step) => {
      seen[step] = await visit.text();
    });
    expect(seen['change, refused']).toContain('XP: choose what to do with 250');
    expect(seen.changed).toMatch(/XP ?6,000 ?6,250/);
    expect(seen.undone).toContain('The XP went from 6,253 to 6,003.');
    expect(seen['list, checked']).toContain('prizes.csv line 4: no member of the server has this id (nobody)');
    expect(seen['list, checked']).toContain('prizes.csv line 5: add "x" is not a whole number');
    expect(seen['list, done']).toContain('2 of 2 members changed.');
  });

  it('a double click changes the member once', async () => {
    await visit.signIn();
    await visit.page.goto(`${visit.dashboard.url}/guilds/${GUILD}/members/correct?id=m1`);
    await visit.page.getByLabel('What to do with the XP').selectOption('take');
    await visit.page.getByLabel('XP', { exact: true }).fill('10');
    await visit.page.getByRole('button', { name: 'Change the member' }).dblclick();
    await visit.page.getByRole('button', { name: 'Undo the change' }).waitFor();
    expect(await members('m1')).toMatchObject([{ xp: 990 }]);
  });
});
