import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseDashboardConfig } from '../../src/config/dashboard.ts';
import { StagedMembers } from '../../src/core/replace/staged-members.ts';
import { GuildImports } from '../../src/dashboard/import/guild-imports.ts';
import { startDashboard } from '../../src/dashboard/server.ts';
import { createReader } from '../../src/kit/reader.ts';
import { type Answer, startTestDashboard, type TestDashboard, Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';
import { SILENT } from '../support/service.ts';
import { PATIENT } from '../support/wait.ts';

const PAGE = '/guilds/own/import';
const CSV = 'user_id,xp,username\na,500,Anna\nb,70,Ben\n';
const EVIL = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
const BOUNDARY = 'x'.repeat(30);

describe('uploads to the dashboard', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;
  const earlier = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-uploads-'));

  beforeAll(async () => {
    process.env.TMPDIR = folder;
    dashboard = await startTestDashboard({ TRUST_PROXY: '1' });
  });
  afterAll(async () => {
    if (earlier === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = earlier;
    await dashboard?.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    await dashboard.store.client.flushall();
    await dashboard.store.writer.recordMany('own', [
      { userId: 'old', set: 40, username: 'Old' },
      { userId: 'a', set: 1 },
    ]);
    await dashboard.store.writer.record('other', { userId: 'theirs', set: 9 });
    owner = await dashboard.signIn('own', 'u1');
    await vi.waitFor(async () => {
      await owner.submit('/guilds/own', `${PAGE}/discard`, {});
      expect(files()).toEqual([]);
    }, PATIENT);
  });

  /** Files that were received and are kept. */
  const files = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith('guildrank-import-'))
      .flatMap((name) => readdirSync(join(folder, name)));
  /** Received files that this process has open, deleted ones too. */
  const openFiles = () =>
    readdirSync('/proc/self/fd')
      .map((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return ''; // It was that of the list.
        }
      })
      .filter((path) => path.startsWith(folder));
  const ranking = (guild = 'own') => dashboard.store.client.zrange(`gr:{${guild}}:xp`, 0, -1, 'WITHSCORES');

  interface Part {
    readonly name: string;
    readonly filename?: string;
    readonly content: string | Buffer;
  }
  /** Returns the parts of the form as the page sends it. */
  const parts = async (content: string | Buffer, filename = 'members.csv', fields: Record<string, string> = {}) => {
    const given = { _token: await owner.tokenOf('/guilds/own'), format: '', curve: '', ...fields };
    const texts: Part[] = Object.entries(given).map(([name, value]) => ({ name, content: value }));
    return [...texts, { name: 'file', filename, content }];
  };
  const bodyOf = (list: readonly Part[], end = `--${BOUNDARY}--\r\n`) =>
    Buffer.concat([
      ...list.flatMap(({ name, filename, content }) => {
        const file = filename === undefined ? '' : `; filename="${filename.replaceAll('"', '%22')}"`;
        const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
        return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')];
      }),
      Buffer.from(end),
    ]);
  const send = async (
    body: Buffer | ReadableStream,
    { path = PAGE, ...headers }: { path?: string } & Record<string, string> = {},
  ): Promise<Answer> => {
    const answer = await fetch(dashboard.localUrl + path, {
      method: 'POST',
      headers: {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        ...{ origin: dashboard.url, cookie: owner.cookie, ...headers },
      },
      body,
      redirect: 'manual',
      duplex: 'half',
    } as RequestInit);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const upload = async (...args: Parameters<typeof parts>) => send(bodyOf(await parts(...args)));
  const page = async (path = PAGE) => (await owner.get(path)).text;
  const idOf = (html: string) => /name="id" value="([\w-]+)"/.exec(html)?.[1] ?? '';
  const start = async (fields: Record<string, string>) =>
    owner.submit('/guilds/own', `${PAGE}/start`, { id: idOf(await page()), ...fields });
  const ended = () =>
    vi.waitFor(async () => {
      const html = await page();
      expect(html).toContain('Import another file');
      return html;
    }, PATIENT);

  /** A file that takes several writes. */
  const manyRows = `user_id,xp\n${Array.from({ length: 3000 }, (_, n) => `m${n},${n}`).join('\n')}\n`;
  /** Lets replacements stage their first members, and holds them there until `release` is called. `staged` waits for the first members. */
  const holdStaging = () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let steps = 0;
    const { stage } = StagedMembers.prototype;
    const spy = vi.spyOn(StagedMembers.prototype, 'stage').mockImplementation(async function (
      this: StagedMembers,
      ...args
    ) {
      if (steps++ > 0) await released;
      return stage.apply(this, args);
    });
    onTestFinished(() => spy.mockRestore());
    const staged = () =>
      vi.waitFor(async () => {
        expect(await dashboard.store.client.zcard('gr:{own}:next:xp')).toBeGreaterThan(0);
      }, PATIENT);
    return { staged, release };
  };

  it('a file is shown first, with bad rows and reasons, and changes nothing before it is imported', async () => {
    const before = await ranking();
    const { status, headers } = await upload(`${CSV}c,-3,Cora\n`, 'my members.csv');
    expect([status, headers.get('location')]).toEqual([303, PAGE]);
    const html = await page();
    expect(html).toContain('2 members with 570 XP in all.');
    expect(html).toMatch(/my members\.csv line 4: xp &quot;-3&quot; is not a whole number/);
    expect(html).toMatch(/Rank <\/span>1<.*<bdi>Anna<\/bdi><\/span><span class="small">a</);
    expect(await ranking()).toEqual(before);
    expect((await start({ mode: 'import' })).status).toBe(303);
    expect(await ended()).toContain('imported 2 members');
    expect(await ranking()).toEqual(['old', '40', 'b', '70', 'a', '500']);
    expect((await dashboard.store.counters.check('own')).exact).toBe(true);
    await vi.waitFor(() => expect(files()).toEqual([]), PATIENT);
    const activity = await page('/guilds/own/activity');
    expect(activity).toMatch(/Began to import &quot;my members\.csv&quot;.*owner u1/);
    expect(activity).toMatch(/imported 2 members in .*owner u1/);
  });

  it('a file is checked member by member, and the last row of a member counts', async () => {
    await upload('user_id,xp\na,200\nb,300\na,100\n');
    expect(await page()).toContain('2 members with 400 XP in all. 1 row repeated a member.');
  });

  it('the pages show the id in place of a name that nobody can see, before and after the file is imported', async () => {
    await upload('user_id,xp,username\nunseen,900,\u3164\n');
    expect(await page()).toContain('<bdi>unseen</bdi>');
    await start({ mode: 'import' });
    await ended();
    const pages = ['/guilds/own', '/guilds/own/members?id=unseen', '/guilds/own/members/hide?id=unseen'];
    for (const path of pages) expect(await page(path)).toContain('<bdi>unseen</bdi>');
  });

  it('a file replaces all members only with the box that says so', async () => {
    await upload(CSV);
    expect((await start({ mode: 'replace' })).status).toBe(400);
    expect((await start({ mode: 'nonsense' })).status).toBe(400);
    expect(await ranking()).toHaveLength(4);
    expect((await start({ mode: 'replace', confirm: 'yes' })).status).toBe(303);
    expect(await ended()).toContain('replaced by 2 members');
    expect(await ranking()).toEqual(['b', '70', 'a', '500']);
  });

  it('a file with bad rows is not offered to replace all members', async () => {
    await upload(`${CSV}c,-3,Cora\n`);
    const html = await page();
    expect(html).toContain('A file with bad rows cannot replace all members');
    expect(html).not.toContain('name="confirm"');
    expect((await start({ mode: 'replace', confirm: 'yes' })).status).toBe(303);
    expect(await ended()).toContain('1 bad row: nothing was replaced. Correct them, or import without replacing');
    expect(await ranking()).toEqual(['a', '1', 'old', '40']);
  });

  it('a file with another curve says before and afterwards that all levels change', async () => {
    await upload(CSV, 'members.csv', { curve: 'lurkr' });
    expect(await page()).toContain('curve: lurkr (instead of standard: the levels of all members of the guild change)');
    await start({ mode: 'import' });
    await ended();
    expect(await page('/guilds/own/activity')).toContain(
      'Began to import &quot;members.csv&quot; with the curve lurkr',
    );
  });

  it('an answer to a refused file names the file whose check stands below', async () => {
    await upload(CSV);
    const refused = await upload('', 'empty.csv');
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining(
        'Choose a file that is not empty. Below is &quot;members.csv&quot;, which you sent before.',
      ),
    ]);
  });

  it('a file whose levels the curve does not give asks what becomes of them, and imports nothing without an answer', async () => {
    const lurkr = JSON.stringify({ levels: [{ userId: '7', xp: 30_000, level: 26 }] });
    const before = await ranking();
    await upload(lurkr, 'lurkr.json');
    const html = await page();
    expect(html).toMatch(
      /the level in the file does not fit the curve standard.*choose in the field &quot;Levels&quot; what becomes of them/,
    );
    expect(html).toContain('<select name="levels" required>');
    expect((await start({ mode: 'import' })).status).toBe(303);
    expect(await ended()).toMatch(/nothing was imported.*the level in the file does not fit/s);
    expect(await ranking()).toEqual(before);
    await owner.submit('/guilds/own', `${PAGE}/discard`, {});
    await upload(lurkr, 'lurkr.json');
    expect((await start({ mode: 'import', levels: 'nonsense' })).status).toBe(400);
    expect((await start({ mode: 'import', levels: 'file' })).status).toBe(303);
    expect(await ended()).toMatch(
      /the level in the file does not fit the curve standard: these levels are stored as explicit levels/,
    );
    expect((await createReader(dashboard.store.client).member('own', '7'))?.level).toBe(26);
  });

  const several = async (files: Readonly<Record<string, string>>) => {
    const fields = (await parts('')).slice(0, -1);
    const list = Object.entries(files).map(([filename, content]) => ({ name: 'file', filename, content }));
    return send(bodyOf([...fields, ...list]));
  };
  const mee6Page = (page: number, ids: readonly string[]) =>
    JSON.stringify({
      page,
      role_rewards: [{ rank: 5, role: { id: '200000000000000003' } }],
      players: ids.map((id) => ({ id, xp: 5, level: 0, username: 'x'.repeat(100), detailed_xp: [5, 100, 5] })),
    });

  it('several files are one import, which replaces all members and stores the rules that came along', async () => {
    const ids = (page: number) => Array.from({ length: 1000 }, (_, n) => `p${page}-${n}`);
    const pages = { '2.json': mee6Page(2, ['z']), '0.json': mee6Page(0, ids(0)), '1.json': mee6Page(1, ids(1)) };
    expect((await several(pages)).status).toBe(303);
    const html = await page();
    expect(html).toContain('3 files');
    expect(html).toContain('2,001 members with 10,005 XP in all.');
    await start({ mode: 'replace', confirm: 'yes', rules: 'yes' });
    const end = await ended();
    expect(end).toContain('replaced by 2,001 members');
    expect(end).toContain('Stored the rules in the file: 15 to 25 XP a message, at most once in 60 s, 1 reward role.');
    expect(await dashboard.store.client.zcard('gr:{own}:xp')).toBe(2001);
    expect(JSON.parse((await dashboard.store.client.hget('gr:{own}:config', 'rules')) ?? '')).toMatchObject({
      rewards: [{ level: 5, role: '200000000000000003' }],
    });
    await vi.waitFor(() => expect(files()).toEqual([]), PATIENT);
  });

  it('pages that lack a page between the others are not offered to replace all members', async () => {
    expect((await several({ '0.json': mee6Page(0, ['a']), '2.json': mee6Page(2, ['b']) })).status).toBe(303);
    const html = await page();
    expect(html).toMatch(/a page is missing between the others: 1/i);
    expect(html).not.toContain('name="confirm"');
  });

  it('a file with unknown fields asks for them, and imports the members as the person says', async () => {
    const text = '[{"user":"a","points":7,"nick":"Anna"},{"user":"c","points":9,"nick":"Cora"}]';
    expect((await upload(text, 'own.json')).status).toBe(303);
    const html = await page();
    expect(html).toContain('<b>points</b></bdi>: <bdi>7</bdi>');
    const name = (fields: Record<string, string>) =>
      owner.submit('/guilds/own', `${PAGE}/fields`, { id: idOf(html), ...fields });
    expect((await name({ field_id: 'user' })).text).toContain('Choose the field with the XP.');
    expect((await name({ field_xp: 'nothing' })).text).toContain('has no field nothing');
    expect((await name({ id: 'x', field_xp: 'points' })).status).toBe(400);
    expect((await name({ field_xp: 'points', field_id: 'user', field_name: 'nick' })).status).toBe(303);
    expect(await page()).toContain('2 members with 16 XP in all.');
    await start({ mode: 'import' });
    expect(await ended()).toContain('imported 2 members');
    expect(await ranking()).toEqual(['a', '7', 'c', '9', 'old', '40']);
  });

  it('a known file shows which fields are read, and lets the person choose other fields before anything is written', async () => {
    const before = await ranking();
    const mee6 = (page: number, players: readonly object[]) => JSON.stringify({ page, players });
    const player = { id: '1', xp: 5, total_xp: 4700, level: 0, username: 'ann', nick: 'Anna' };
    await several({ '0.json': mee6(0, [player]), '1.json': mee6(1, [{ ...player, id: '2' }]), '2.json': mee6(2, []) });
    const first = await page();
    expect(first).toContain('press &quot;Choose other fields&quot; before you import the file');
    expect(first).toMatch(/<li>XP: <bdi><b>xp<\/b>.*<li>Name: <bdi><b>username<\/b>/s);
    const ask = (id: string) => owner.submit('/guilds/own', `${PAGE}/other-fields`, { id, reading: '0' });
    expect((await ask('x')).status).toBe(400);
    expect((await ask(idOf(first))).headers.get('location')).toBe(PAGE);
    const asked = await page();
    expect(asked).toContain('<b>total_xp</b></bdi>: <bdi>4700</bdi>');
    for (const name of ['xp', 'id', 'username', 'level']) expect(asked).toContain(`<option value="${name}" selected>`);
    await owner.submit('/guilds/own', `${PAGE}/fields`, {
      id: idOf(asked),
      ...{ field_xp: 'total_xp', field_id: 'id', field_name: 'nick' },
    });
    const checked = await page();
    expect(checked).toContain('2 members with 9,400 XP in all.');
    expect(checked).toMatch(/<li>XP: <bdi><b>total_xp<\/b>.*<li>Name: <bdi><b>nick<\/b>/s);
    expect(checked).toContain('<bdi>Anna</bdi>');
    expect(await ranking()).toEqual(before);
    await start({ mode: 'replace', confirm: 'yes' });
    expect(await ended()).toContain('replaced by 2 members');
    expect(await ranking()).toEqual(['1', '4700', '2', '4700']);
  });

  it('a known CSV file shows each column with an example when the person chooses other fields', async () => {
    await upload('user_id,xp,username,nick\na,5,ann,Anna\n');
    await owner.submit('/guilds/own', `${PAGE}/other-fields`, { id: idOf(await page()), reading: '0' });
    const asked = await page();
    expect(asked).toContain('<b>nick</b></bdi>: <bdi>Anna</bdi>');
    expect(asked).toContain('<b>username</b></bdi>: <bdi>ann</bdi>');
  });

  it('a file with the members of several servers offers these servers, and imports the members of the chosen server', async () => {
    const text = 'user_id,xp,guild_id\na,5,7\nb,6,8\nc,7,8\n';
    expect((await upload(text, 'two.csv')).status).toBe(303);
    const html = await page();
    expect(html).toContain('Choose the server');
    expect(html).toMatch(/value="8" required><span><bdi>8<\/bdi>, 2 members/);
    const choose = (fields: Record<string, string>) =>
      owner.submit('/guilds/own', `${PAGE}/server`, { id: idOf(html), ...fields });
    expect((await choose({ source_guild: '' })).text).toContain('Choose the server.');
    expect((await choose({ source_guild: '9' })).text).toContain('has no members of guild 9');
    expect((await choose({ source_guild: '8' })).headers.get('location')).toBe(PAGE);
    expect(await page()).toContain('2 members with 13 XP in all.');
    await start({ mode: 'import' });
    await ended();
    expect(await ranking()).toEqual(['a', '1', 'b', '6', 'c', '7', 'old', '40']);
  });

  it('the question for the server says what to do with a file that has servers inside each member', async () => {
    const member = (xp: number) => ({ 111111111111111111: { xp, level: 1 } });
    const members = { 204255221017214977: member(5), 159998587045832321: member(6) };
    await upload(JSON.stringify(members), 'members.json');
    await owner.submit('/guilds/own', `${PAGE}/fields`, {
      id: idOf(await page()),
      field_xp: 'xp',
      field_level: 'level',
    });
    expect(await page()).toContain('Does the list show members instead of servers?');
  });

  it('an upload with the pages of several servers offers these servers, and imports the pages of the chosen server', async () => {
    const pageOf = (guild: string, id: string) => ({
      guild: { id: guild },
      page: 0,
      players: [{ id, xp: 5, level: 0 }],
    });
    const text = JSON.stringify([pageOf('7', 'a'), pageOf('8', 'b')]);
    expect((await upload(text, 'pages.json')).status).toBe(303);
    const html = await page();
    expect(html).toMatch(/value="8" required><span><bdi>8<\/bdi>, 1 page</);
    await owner.submit('/guilds/own', `${PAGE}/server`, { id: idOf(html), source_guild: '8' });
    expect(await page()).toContain('left out: 1 page of other guilds');
    await start({ mode: 'import' });
    await ended();
    expect(await ranking()).toEqual(['a', '1', 'b', '5', 'old', '40']);
  });

  it('an upload of several files asks for the fields of each file that has other fields, and proposes the likeliest fields', async () => {
    const files = {
      'one.json': '[{"user":"a","points":7,"nick":"Anna"}]',
      'two.json': '[{"user":"b","points":8,"nick":"Ben"}]',
      'three.json': '[{"person":"234567890123456789","coins":9}]',
    };
    expect((await several(files)).status).toBe(303);
    const first = await page();
    expect(first).toMatch(/<h2><bdi>one\.json<\/bdi><\/h2>\s*<p>File 1 of 3/);
    for (const name of ['points', 'user', 'nick']) expect(first).toContain(`<option value="${name}" selected>`);
    expect(first).not.toMatch(/--map|xp=/);
    const name = async (fields: Record<string, string>) =>
      owner.submit('/guilds/own', `${PAGE}/fields`, { id: idOf(await page()), ...fields });
    await name({ field_xp: 'points', field_id: 'user', field_name: 'nick' });
    const third = await page();
    expect(third).toContain('<h2><bdi>three.json</bdi></h2>');
    expect(third).toContain('<option value="person" selected>');
    await name({ field_xp: 'coins', field_id: 'person' });
    expect(await page()).toContain('3 members with 24 XP in all.');
  });

  it('the check says what becomes of the XP and of the other members, and that nobody can undo the import', async () => {
    await upload(CSV);
    const html = await page();
    for (const said of [
      'gets the XP of the file in the place of the present XP. Nothing is added to it.',
      'Members who are not in the file stay as they are.',
      'Members who are not in the file are removed, with their XP, names, levels and streaks.',
      'You cannot undo this. <a href="/guilds/own/members/export.csv" download>Download the present members</a> first',
    ])
      expect(html).toContain(said);
  });

  it('the check says in words which other field can be the XP', async () => {
    await upload(JSON.stringify({ data: [{ id: 'a', exp: 5, weeklyExp: 2, total_xp: 9 }] }), 'amari.json');
    const html = await page();
    expect(html).toContain(
      'total_xp can be XP too, and exp is what counts: if total_xp is right, press &quot;Choose other fields&quot;',
    );
    expect(html).not.toContain('[object');
  });

  it('the pages say in which lines a member is named again, before and after the file is imported', async () => {
    await upload('user_id,xp\na,2\nb,3\na,1\n');
    const line =
      'members.csv line 4: it names the member &quot;a&quot; again, and the last row of a member is imported';
    expect(await page()).toContain(line);
    await start({ mode: 'import' });
    expect(await ended()).toContain(line);
  });

  it('an import with a bad row tells first what is imported, then what was left out, and offers the bad rows as a file', async () => {
    await upload(`${CSV}c,-3,Cora\n`);
    await start({ mode: 'import' });
    const html = await ended();
    expect(html).not.toContain('class="card problem"');
    expect(html).toContain('href="/guilds/own/members">See the members');
    expect(html.indexOf('imported 2 members')).toBeLessThan(html.indexOf('were left out'));
    const refused = await owner.get(`${PAGE}/refused.csv`);
    expect(refused.headers.get('content-disposition')).toBe('attachment; filename=refused.csv');
    expect(refused.text).toBe(
      'file,unit,place,user_id,username,reason,row\n' +
        'members.csv,line,4,c,Cora,"xp ""-3"" is not a whole number from 0 to 9007199254740991",\n',
    );
  });

  it('the dashboard imports a member whose avatar cannot be read, and shows and counts the avatar that it leaves out', async () => {
    await upload('user_id,xp,username,avatar\na,500,Anna,https://a.example/x.png\n');
    const told =
      'members.csv line 2: avatar &quot;https://a.example/x.png&quot; is not Discord&#39;s hash of an avatar';
    const checked = await page();
    expect(checked).toContain('1 avatar would be left out.');
    expect(checked).toContain(told);
    await start({ mode: 'import' });
    const html = await ended();
    expect(html).toContain('1 avatar left out');
    expect(html).toContain(told);
    expect(await ranking()).toEqual(['old', '40', 'a', '500']);
  });

  it('the dashboard reads gzip and other formats as the command does, and a file that it cannot read gets 400 with the fix', async () => {
    const mee6 = JSON.stringify({ players: [{ id: '5', xp: 300, username: 'Mia', level: 2 }] });
    expect((await upload(gzipSync(mee6), 'export.json.gz')).status).toBe(303);
    expect(await page()).toMatch(/format: mee6 \(detected\).*curve/s);
    const refused = await upload('what is this', 'x.bin');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('x.bin is neither CSV nor JSON, and begins with &quot;what is this&quot;');
    for (const [content, name] of [
      ['', 'empty.csv'],
      [Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), 'broken.csv.gz'],
      ['{"players":[{"id":', 'broken.json'],
    ] as const) {
      expect([name, (await upload(content, name)).status]).toEqual([name, 400]);
    }
    expect((await upload(CSV, 'x.csv', { format: 'nonsense' })).status).toBe(400);
    expect((await upload(CSV, 'x.csv', { curve: 'constructor' })).status).toBe(400);
    // The file that was checked before is still there, and none of the refused ones.
    expect(files()).toHaveLength(1);
  });

  it('an upload without the token of its session, with the token after the file, or from elsewhere is refused before it is stored', async () => {
    const good = await parts(CSV);
    const [, ...rest] = good;
    const stranger = await dashboard.signIn('other');
    const theirs = { name: '_token', content: await stranger.tokenOf('/guilds/other') };
    for (const list of [rest, [...rest, good[0] as Part], [theirs, ...rest]]) {
      expect((await send(bodyOf(list))).status).toBe(403);
    }
    for (const origin of ['null', 'https://evil.example']) {
      expect((await send(bodyOf(good), { origin })).status).toBe(403);
    }
    expect((await send(bodyOf(good), { cookie: '' })).status).toBe(401);
    expect(files()).toEqual([]);
    expect(await page()).toContain('Check the file');
  });

  it('an upload that is too large gets 413, with and without a length, and leaves no file', async () => {
    const big = Buffer.alloc(51 * 1024 * 1024, 'a,1\n');
    const answer = await upload(big);
    expect(answer.status).toBe(413);
    expect(answer.text).toContain('50 MB');
    const body = bodyOf(await parts(big));
    let at = 0;
    const stream = new ReadableStream({
      pull(controller) {
        if (at >= body.length) return controller.close();
        controller.enqueue(body.subarray(at, at + 1024 * 1024));
        at += 1024 * 1024;
      },
    });
    expect((await send(stream)).status).toBe(413);
    await vi.waitFor(() => expect(files()).toEqual([]), PATIENT);
  });

  it('a malformed upload gets 400 and leaves no file', async () => {
    const good = await parts(CSV);
    const fields = Array.from({ length: 50 }, (_, n) => ({ name: `f${n}`, content: 'x' }));
    const bodies: [string, Buffer][] = [
      ['cut off', bodyOf(good, '')],
      ['no part', Buffer.from(`--${BOUNDARY}--\r\n`)],
      ['empty', Buffer.alloc(0)],
      ['another boundary', Buffer.from(bodyOf(good).toString().replaceAll(BOUNDARY, 'y'))],
      ['no file', bodyOf(good.slice(0, -1))],
      ['many fields', bodyOf([...fields, ...good])],
      ['noise', Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256))],
    ];
    for (const [name, body] of bodies) expect([name, (await send(body)).status]).toEqual([name, 400]);
    expect((await send(bodyOf(good), { 'content-type': 'multipart/form-data' })).status).toBe(400);
    expect((await send(bodyOf(good), { 'content-type': 'text/csv' })).status).toBe(403);
    expect((await owner.submit('/guilds/own', PAGE, { format: '' })).status).toBe(400);
    await vi.waitFor(() => expect(files()).toEqual([]), PATIENT);
    expect(await page()).toContain('Check the file');
  });

  it('an upload that its sender gives up leaves no file, and the next upload works', async () => {
    const body = bodyOf(await parts('a,1\n'.repeat(300_000)));
    const { port } = new URL(dashboard.localUrl);
    const socket = connect(Number(port), '127.0.0.1');
    const headers = [
      `POST ${PAGE} HTTP/1.1`,
      'host: x',
      `origin: ${dashboard.url}`,
      `cookie: ${owner.cookie}`,
      `content-type: multipart/form-data; boundary=${BOUNDARY}`,
      `content-length: ${body.length}`,
    ];
    socket.write(`${headers.join('\r\n')}\r\n\r\n`);
    socket.write(body.subarray(0, 500_000));
    await vi.waitFor(() => expect(files()).toHaveLength(1), PATIENT);
    socket.destroy();
    await vi.waitFor(() => expect(files()).toEqual([]), PATIENT);
    await vi.waitFor(async () => expect((await upload(CSV)).status).toBe(303), PATIENT);
  });

  it('the next start deletes the files of a killed dashboard, and nothing of a dashboard that runs', async () => {
    const { pid: gone } = spawnSync(process.execPath, ['--version']);
    const [left = '', others = ''] = [gone, process.ppid].map((pid) => `guildrank-import-${hostname()}-${pid}-x`);
    for (const name of [left, others]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'upload'), CSV);
    }
    await upload(CSV);
    const kept = files();
    expect(kept).toHaveLength(3);
    await (await startTestDashboard()).close();
    expect(readdirSync(folder)).not.toContain(left);
    expect(files().sort()).toEqual(
      kept
        .filter((name) => name !== 'upload')
        .concat('upload')
        .sort(),
    );
    rmSync(join(folder, others), { recursive: true });
  });

  it('the pages show names and file names as text', async () => {
    await upload(
      `user_id,xp,username\na,500,"${EVIL.replaceAll('"', '""')}"\n${EVIL},1,x\n`,
      `../../${EVIL}\u202e.csv`,
    );
    const checked = await page();
    expect(checked).toContain('&lt;script&gt;');
    await start({ mode: 'import' });
    const done = await ended();
    const pages = ['', '/members?id=a', '/members/hide?id=a', '/activity', `/members?id=${encodeURIComponent(EVIL)}`];
    const later = await Promise.all(pages.map((path) => page(`/guilds/own${path}`)));
    for (const html of [checked, done, ...later]) expect(html).not.toMatch(/<img src=x|<script>|onerror="/);
    expect(later[1]).toContain('&lt;img src=x');
  });

  it('a file that waits is gone after everybody was signed out', async () => {
    await upload(CSV, 'secret.csv');
    expect(await page()).toContain('secret.csv');
    await owner.submit('/guilds/own', '/guilds/own/settings/sign-out', {});
    owner = await dashboard.signIn('own', 'u2');
    expect(await page()).not.toContain('secret.csv');
    await vi.waitFor(() => expect(files()).toEqual([]), PATIENT);
  });

  it('a file of the operator waits while the owner signs in for the first time, and is gone after everybody was signed out', async () => {
    const operator = await dashboard.signIn(null);
    const body = new FormData();
    body.set('_token', await operator.tokenOf('/guilds/other'));
    body.set('file', new Blob([CSV]), 'theirs.csv');
    await operator.request('POST', '/guilds/other/import', { origin: dashboard.url }, body);
    const shown = async (visitor: Visitor) => (await visitor.get('/guilds/other/import')).text;
    const first = await dashboard.signIn('other');
    expect(await shown(first)).toContain('theirs.csv');
    await first.submit('/guilds/other', '/guilds/other/settings/sign-out', {});
    expect(await shown(operator)).not.toContain('theirs.csv');
    await vi.waitFor(() => expect(files()).toEqual([]), PATIENT);
  });

  it('a file of one guild is out of reach for an owner of another guild', async () => {
    expect((await send(bodyOf(await parts(CSV)), { path: '/guilds/other/import' })).status).toBe(404);
    await upload(CSV);
    const id = idOf(await page());
    const stranger = await dashboard.signIn('other');
    const from = '/guilds/other';
    expect((await stranger.submit(from, `${PAGE}/start`, { id, mode: 'import' })).status).toBe(404);
    expect((await stranger.submit(from, '/guilds/other/import/start', { id, mode: 'import' })).status).toBe(409);
    expect((await stranger.submit(from, '/guilds/other/import/discard', { id })).status).toBe(303);
    expect((await start({ id: 'x', mode: 'import' })).status).toBe(409);
    expect(idOf(await page())).toBe(id);
    expect(await ranking('other')).toEqual(['theirs', '9']);
  });

  it('a file with a header of a megabyte gets a short page', async () => {
    const long = 'x'.repeat(400_000);
    expect((await upload(`user_id,xp,${long},${long}\na,5,1,2\n`)).status).toBe(303);
    const html = await page();
    expect(html).toContain('xxx');
    expect(html.length).toBeLessThan(20_000);
  });

  it('a file that an import refuses does not stay open', async () => {
    await dashboard.store.client.set('gr:{own}:next:xp:lock', 'of another');
    for (let run = 0; run < 3; run++) {
      await upload(`${CSV}${Array.from({ length: 8000 }, (_, i) => `u${i},3,Cora\n`).join('')}`);
      await start({ mode: 'replace', confirm: 'yes' });
      expect(await ended()).toContain('is running, or was killed a moment ago');
      await owner.submit('/guilds/own', `${PAGE}/discard`, {});
    }
    await vi.waitFor(() => expect(openFiles()).toEqual([]), PATIENT);
  });

  it('an import stops when the person wishes it, and says what was imported', async () => {
    await upload(manyRows);
    const { staged, release } = holdStaging();
    await start({ mode: 'replace', confirm: 'yes' });
    await staged();
    expect((await upload(CSV)).text).toContain('is running');
    await owner.submit('/guilds/own', `${PAGE}/stop`, {});
    release();
    expect(await ended()).toMatch(/Interrupted: nothing was replaced/);
    expect(await ranking()).toEqual(['a', '1', 'old', '40']);
    expect(await dashboard.store.client.keys('gr:{own}:next:*')).toEqual([]);
  });

  it('an import says in the words of the page that another command took over', async () => {
    await upload(manyRows);
    const { staged, release } = holdStaging();
    await start({ mode: 'replace', confirm: 'yes' });
    await staged();
    await dashboard.store.client.set('gr:{own}:next:xp:lock', 'of another', 'PX', 60_000);
    release();
    expect(await ended()).toContain('changed this server meanwhile: begin again (nothing was replaced).');
    expect(await ranking()).toEqual(['a', '1', 'old', '40']);
  });

  it('an import ends with the dashboard, leaves nothing staged, and its end is in the activity', async () => {
    const second = await startDashboard(
      parseDashboardConfig({ REDIS_URL: dashboard.redis.url, DASHBOARD_PORT: '0', LOG_LEVEL: 'silent' }),
      SILENT,
    );
    const { staged, release } = holdStaging();
    const { end } = GuildImports.prototype;
    const ends = vi.spyOn(GuildImports.prototype, 'end').mockImplementation(function (this: GuildImports) {
      const ended = end.call(this);
      release();
      return ended;
    });
    onTestFinished(() => ends.mockRestore());
    const first = [dashboard, owner] as const;
    dashboard = { ...dashboard, ...second };
    owner = new Visitor(second);
    try {
      await owner.signIn((await first[0].link('own')).replace(first[0].url, second.url));
      await upload(manyRows);
      await start({ mode: 'replace', confirm: 'yes' });
      await staged();
      await second.close();
    } finally {
      [dashboard, owner] = first;
    }
    expect(await dashboard.store.client.keys('gr:{own}:next:*')).toEqual([]);
    expect(await ranking()).toEqual(['a', '1', 'old', '40']);
    expect((await owner.get('/guilds/own/activity')).text).toContain('This server: nothing was replaced');
  });

  describe('members in the dashboard', () => {
    const change = (name: string, id: string) => owner.submit('/guilds/own', `/guilds/own/members/${name}`, { id });

    it('an owner hides a member, shows it again and removes it, each with an entry in the activity', async () => {
      await dashboard.store.writer.record('own', { userId: '..', set: 5 });
      for (const id of ['a', '..']) {
        expect((await owner.get(`/guilds/own/members/hide?id=${id}`)).text).toContain('Hide the member');
        expect((await change('hide', id)).headers.get('location')).toBe(`/guilds/own/members?done=hide&id=${id}`);
        expect((await owner.get(`/guilds/own/members?id=${id}`)).text).toContain('Not in any ranking');
        await change('unhide', id);
        expect((await owner.get(`/guilds/own/members?id=${id}`)).text).toMatch(/<dt>Rank<\/dt><dd>\d/);
        expect((await change('remove', id)).status).toBe(303);
        expect((await owner.get(`/guilds/own/members?id=${id}`)).status).toBe(404);
      }
      expect(await ranking()).toEqual(['old', '40']);
      expect((await dashboard.store.counters.check('own')).exact).toBe(true);
      const activity = await page('/guilds/own/activity');
      for (const done of ['Hid', 'Showed again', 'Removed']) expect(activity).toMatch(`${done} the member a`);
    });

    it('a member who opted out or left is not shown again, and the page says why', async () => {
      const { writer } = dashboard.store;
      await writer.record('own', { userId: 'a', set: 5 });
      await writer.hide('own', ['a'], { reason: 'self' });
      await change('hide', 'a');
      const shown = await owner.get('/guilds/own/members?id=a');
      expect(shown.text).toContain('<dd>wants to be hidden, hidden by a moderator</dd>');
      const { headers } = await change('unhide', 'a');
      const { text } = await owner.get(headers.get('location') as string);
      expect(text).toContain('The member stays hidden for another reason.');
      expect(text).toContain('<dd>wants to be hidden</dd>');
      expect(text).not.toContain('Show again');
    });

    it('a member whose XP the totals of the guild cannot take is not shown again, and the page says why', async () => {
      const { writer, client } = dashboard.store;
      await writer.record('own', { userId: 'a', set: 5000 });
      await writer.hide('own', ['a']);
      await client.hset('gr:{own}:stats', 'total_xp', '9223372036854775000');
      const { status, text } = await change('unhide', 'a');
      expect([status, text]).toEqual([400, expect.stringContaining('sum of levels would exceed 9223372036854775807.')]);
      expect(await page('/guilds/own/activity')).toContain('Not done: Showed again the member a');
    });

    it('a member of another guild gets 404, and so does an id that is none', async () => {
      for (const id of ['theirs', '', EVIL, 'a'.repeat(65), '{other}:xp', '__proto__', 'gr:{other}:member:theirs']) {
        for (const name of ['hide', 'unhide', 'remove', 'constructor', '__proto__']) {
          expect([id, name, (await change(name, id)).status]).toEqual([id, name, 404]);
        }
        const query = new URLSearchParams({ id });
        expect((await owner.get(`/guilds/own/members/hide?${query}`)).status).toBe(404);
      }
      expect((await owner.get('/guilds/other/members?id=theirs')).status).toBe(404);
      expect((await owner.get('/guilds/other/members/export.csv')).status).toBe(404);
      expect((await owner.get('/guilds/other/widget/data/api/v1/servers/other/stats')).status).toBe(404);
      expect((await owner.get('/guilds/own/widget/data/api/v1/servers/other/stats')).status).toBe(404);
      expect(await ranking('other')).toEqual(['theirs', '9']);
      expect(await page('/guilds/own/activity')).not.toContain('the member theirs');
    });

    it('a second download of members gets 409 while the first is not read to its end', async () => {
      const username = 'n'.repeat(250);
      const members = Array.from({ length: 40_000 }, (_, n) => ({ userId: `u${n}`, set: n, username }));
      await dashboard.store.writer.recordMany('own', members);
      const path = '/guilds/own/members/export.csv';
      const slow = get(dashboard.localUrl + path, { headers: { cookie: owner.cookie } });
      const [answer] = (await once(slow, 'response')) as [IncomingMessage];
      const second = await owner.get(path);
      expect([second.status, second.headers.get('retry-after')]).toEqual([409, '30']);
      answer.destroy();
      // The file of 40,000 members alone takes seconds on a busy machine.
      const whole = { ...PATIENT, timeout: 120_000 };
      await vi.waitFor(async () => expect((await owner.get(path)).status).toBe(200), whole);
    });

    it('a download of members that cannot be read gets 503 with a page and no file', async () => {
      await dashboard.store.client.set('gr:{own}:hidden', 'no sorted set');
      const { status, headers } = await owner.get('/guilds/own/members/export.csv');
      expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        503,
        'text/html; charset=utf-8',
        null,
      ]);
    });

    it('the import reads the download of members back, hidden members included', async () => {
      await dashboard.store.writer.record('own', { userId: 'a', set: 7, username: 'A, "B"\nC', level: 3 });
      await change('hide', 'old');
      const { text, headers } = await owner.get('/guilds/own/members/export.csv');
      expect(headers.get('content-disposition')).toBe('attachment; filename="own.csv"');
      expect(headers.get('cache-control')).toBe('no-store');
      await change('remove', 'a');
      await change('remove', 'old');
      await upload(text);
      await start({ mode: 'import' });
      await ended();
      const { client } = dashboard.store;
      expect(await ranking()).toEqual(['a', '7']);
      expect(await client.zscore('gr:{own}:hidden', 'old')).toBe('40');
      expect(await client.hget('gr:{own}:members', 'a')).toBe('3 0 - A, "B"\nC');
    });
  });
});
