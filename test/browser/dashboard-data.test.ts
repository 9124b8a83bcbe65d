import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { dashboardVisit, GUILD } from './dashboard-visit.ts';
import { MANY_LOOKS_MS } from './engines.ts';

const EVIL = `<img src=x onerror="document.title=1">`;

/** The cards that the next one begins above, and the address field where something lies on it. */
const COVERED = `[
  ...[...document.querySelectorAll('.card')].filter((card) => {
    const bottom = Math.max(...[card, ...card.querySelectorAll('guild-leaderboard')].map((node) => node.getBoundingClientRect().bottom));
    const next = card.nextElementSibling;
    return next?.matches('.card') && next.getBoundingClientRect().top < bottom;
  }),
  ...[...document.querySelectorAll('input[name="site"]')].filter((field) => {
    const { x, y, width, height } = field.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2) !== field;
  }),
].map(({ className, name }) => name ?? className)`;

describe('sites, imports and members of the dashboard in Chromium', needs('chromium', 'redis-server'), () => {
  const visit = dashboardVisit((n) => (n === 11 ? EVIL : `Member ${n}`));
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-files-'));
  const file = join(folder, 'members.csv');
  const servers = join(folder, 'servers.csv');
  const unknown = join(folder, 'unknown.json');

  beforeAll(async () => {
    writeFileSync(servers, 'user_id,xp,guild_id\na,5,100000000000000007\nb,6,100000000000000008\n');
    writeFileSync(unknown, '[{"user":"a","points":7,"nick":"Anna"}]');
    writeFileSync(file, `user_id,xp,username\nnew,900,"${EVIL.replaceAll('"', '""')}"\nbad,x,y\nnewer,20,Nora\n`);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
  });

  /** Waits for a member in the preview, which asks for nothing before it is seen. */
  const previewed = async (name: string): Promise<void> => {
    await board().scrollIntoViewIfNeeded();
    await board().getByText(name).first().waitFor();
  };
  const board = () => visit.page.locator('#preview');
  const ranking = () => visit.dashboard.store.client.zrevrange(`gr:{${GUILD}}:xp`, 0, -1);
  /** Waits for the end of the import: the page follows it. */
  const ended = () => visit.page.getByRole('button', { name: 'Import another file' }).waitFor();

  /** Goes through the pages and forms, and calls `look` on each. */
  async function tour(look: (name: string) => Promise<void>): Promise<void> {
    await visit.follow('Put it on your site');
    await look('widget');
    await visit.page.getByLabel(/Refresh in seconds/).fill('5');
    await visit.page.getByLabel('Podium').check();
    await visit.page.getByLabel('This week').check();
    await visit.press('Show the preview');
    await visit.page.getByLabel('1,200 px').check();
    await look('widget, changed');
    await visit.page.getByLabel('Address of your site').fill('example');
    await visit.press('Make an API Key and show the code');
    await look('widget, wrong site');
    await visit.page.getByLabel('Address of your site').fill('www.example.com/ranks');
    await visit.press('Make an API Key and show the code');
    await look('widget, made');
    await visit.page.goto(`${visit.dashboard.url}/guilds/${GUILD}/widget?page-size=999`);
    await look('widget, refused');
    await visit.follow('Import');
    await look('import');
    await visit.page.getByLabel('Files', { exact: true }).setInputFiles(servers);
    await visit.press('Check the files');
    await look('import, servers');
    await visit.press('Discard the file');
    await visit.page.getByLabel('Files', { exact: true }).setInputFiles(unknown);
    await visit.press('Check the files');
    await look('import, fields');
    await visit.press('Discard the file');
    await visit.page.getByLabel('Files', { exact: true }).setInputFiles(file);
    await visit.press('Check the files');
    await look('import, checked');
    await visit.press('Import the members');
    await ended();
    await look('import, done');
    await visit.press('Import another file');
    await visit.follow('Members');
    await look('members');
    await visit.page.getByLabel('Search by name or id').fill('nobody');
    await visit.press('Find');
    await look('members, not found');
    await visit.page.getByLabel('Search by name or id').fill('member 1');
    await visit.press('Find');
    await look('members, found');
    await visit.page.getByLabel('Search by name or id').fill('m11');
    await visit.press('Find');
    await look('member');
    await visit.follow('Hide');
    await look('member, to hide');
    await visit.press('Hide the member');
    await look('member, hidden');
    await visit.follow('Show again');
    await visit.press('Show the member again');
    await visit.follow('Remove');
    await look('member, to remove');
    await visit.press('Remove the member');
    await look('member, removed');
    await visit.follow('Activity');
    await look('activity');
  }

  it('the pages of sites, imports and members fit their screens, axe finds nothing, and nothing foreign runs', {
    timeout: MANY_LOOKS_MS,
  }, async () => {
    const { guildConfig, client } = visit.dashboard.store;
    await guildConfig.update(GUILD, { boards: ['week'] });
    const entry = {
      who: 'owner u1, session 0123abcd',
      what: `Title ${'x'.repeat(100)}`,
      from: '192.0.2.100',
      times: '1',
    };
    await client.xadd(`gr:{${GUILD}}:audit`, '*', ...Object.entries(entry).flat());
    await visit.signIn();
    const seen: string[] = [];
    await tour(async (step) => {
      seen.push(step);
      if (step.startsWith('widget') && step !== 'widget, made') await previewed('Member 1');
      await visit.expectRight(step);
    });
    expect(seen).toHaveLength(19);
    await visit.expectNothingForeign();
  });

  it('the pages of sites, imports and members work in full without scripts', async () => {
    await visit.dashboard.store.guildConfig.update(GUILD, { boards: ['week'] });
    await visit.signIn(GUILD, { javaScriptEnabled: false });
    const seen: Record<string, string> = {};
    await tour(async (step) => {
      seen[step] = await visit.text();
    });
    expect(seen['widget, changed']).toContain(
      '<guild-leaderboard guild="81384788765712384" api-key="gr_..." refresh="5" podium="off" boards="all,week">',
    );
    expect(seen['widget, changed']).toMatch(/10086,400 requests/);
    expect(seen['widget, wrong site']).toContain('"example" is not the address of a site: copy it from your browser');
    expect(seen['widget, made']).toMatch(/api-key="gr_\w{38}" refresh="5" podium="off" boards="all,week"/);
    expect(seen.widget).toContain('The preview needs JavaScript');
    expect(seen['import, checked']).toContain('members.csv line 3: xp "x" is not a whole number');
    expect(seen['import, done']).toContain('imported 2 members');
    expect(seen['member, hidden']).toContain('Not in any ranking');
    expect(seen.activity).toContain('Removed the member m11');
    expect((await ranking()).slice(0, 2)).toEqual(['m10', 'm9']);
    expect(await ranking()).toContain('newer');
    expect((await visit.dashboard.store.counters.check(GUILD)).exact).toBe(true);
  });

  it('the page for sites shows the widget with the data of the guild, and preview, tag and cost follow the form', async () => {
    await visit.signIn();
    await visit.follow('Put it on your site');
    await previewed('Member 10');
    expect(await board().getByText(EVIL).count()).toBeGreaterThan(0);
    await board().getByRole('button', { name: /find/i }).click();
    await board().getByRole('textbox').fill('m3');
    await board().getByRole('textbox').press('Enter');
    await board()
      .getByText(/^Member 3: rank/)
      .waitFor();
    expect(await visit.text()).toContain('172 requests, 7 % of the quota');
    await visit.page.getByLabel('Members on a page').fill('5');
    await visit.page.getByLabel('Theme').selectOption('dark');
    await visit.page.getByLabel(/Refresh in seconds/).fill('10');
    await visit.page.getByLabel('Accent', { exact: true }).fill('#0f766e');
    const snippet = visit.page.locator('#keyed-html');
    await visit.page.getByText('Use an API Key that you already have').first().click();
    // The last field that was filled.
    await snippet.getByText('guild-leaderboard { --guildrank-accent: #0f766e }').waitFor();
    expect(await snippet.textContent()).toContain('theme="dark" page-size="5" refresh="10"');
    expect(await snippet.textContent()).toContain('block-size: 30em');
    // With five to a page, member 7 is the last of the first page, and member 6 is on the next.
    await board().getByText('Member 6').first().waitFor({ state: 'detached' });
    await previewed('Member 7');
    expect(await board().getAttribute('theme')).toBe('dark');
    const accent = "getComputedStyle(document.getElementById('preview')).getPropertyValue('--guildrank-accent')";
    expect(await visit.page.evaluate(accent)).toBe('#0f766e');
    expect(await visit.page.locator('[data-visitors="10"]').textContent()).toBe('4,320 requests, 432 % of the quota');
    expect(await visit.page.locator('[data-visitors="10"]').getAttribute('class')).toBe('bad');
    // The address has the settings: they stay when the page is loaded again.
    await visit.page.reload();
    await previewed('Member 7');
    expect(await visit.page.getByLabel('Theme').inputValue()).toBe('dark');
    expect(await visit.dashboard.store.client.exists(`gr:quota:{${GUILD}}`)).toBe(0);
    // The preview covers nothing of the form below it.
    for (const width of [390, 1280]) {
      await visit.page.setViewportSize({ width, height: 800 });
      await visit.page.getByLabel('Address of your site').scrollIntoViewIfNeeded();
      expect([width, await visit.page.evaluate(COVERED)]).toEqual([width, []]);
    }
    // The key is made with the look of that moment: the answer to the last change is still on its way.
    await visit.page.getByLabel('Address of your site').fill('localhost:3000');
    await visit.page.route('**/widget/settings?**', () => {});
    await visit.page.getByLabel('Density').selectOption('compact');
    await visit.press('Make an API Key and show the code');
    const code = visit.page
      .locator('#code')
      .getByText(/api-key="gr_\w{38}" theme="dark" density="compact" page-size="5"/);
    await code.waitFor();
    expect(visit.watch.complaints).toEqual([]);
  });

  it('the page of an import follows a replacement of all members to its end', async () => {
    await visit.signIn();
    await visit.follow('Import');
    await visit.page.locator('select[name=format]').selectOption('csv');
    await visit.page.getByLabel('Files', { exact: true }).setInputFiles(file);
    await visit.press('Check the files');
    expect(await visit.text()).toContain('A file with bad rows cannot replace all members');
    await visit.press('Discard the file');
    expect(await ranking()).toHaveLength(12);
    writeFileSync(join(folder, 'good.csv'), 'user_id,xp\nz,9\n');
    await visit.page.getByLabel('Files', { exact: true }).setInputFiles(join(folder, 'good.csv'));
    await visit.press('Check the files');
    await visit.press('Replace all members');
    // The browser holds the form back until the box is checked.
    expect(await visit.page.getByRole('heading', { level: 1 }).textContent()).toBe('Check the import');
    await visit.page.getByLabel(/Remove all members who are not/).check();
    await visit.press('Replace all members');
    await ended();
    expect(await visit.text()).toContain('replaced by 1 member ');
    expect(await ranking()).toEqual(['z']);
  });

  it('the page of members filters them by name or id, and gives all of them as a file', async () => {
    await visit.signIn();
    await visit.follow('Members');
    const shown = () => visit.page.locator('#members li:visible .name').allTextContents();
    await visit.page.getByLabel('Search by name or id').fill('MEMBER 1');
    expect(await shown()).toEqual(['Member 10', 'Member 1']);
    expect(await visit.page.locator('[data-filtered]').textContent()).toContain('2 of 12 members on this page');
    await visit.page.setViewportSize({ width: 360, height: 740 });
    await visit.page.getByRole('searchbox').fill('m11');
    expect(await shown()).toEqual([EVIL]);
    const downloading = visit.page.waitForEvent('download');
    await visit.follow('Export CSV');
    expect((await downloading).suggestedFilename()).toBe(`${GUILD}.csv`);
  });
});
