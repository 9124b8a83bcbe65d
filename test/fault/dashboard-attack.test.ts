import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { createInvite } from '../../src/core/access/invites.ts';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import { Visitor } from '../support/dashboard.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, runScript, type TestProcess } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';

const MB = 1024 * 1024;
/** The memory of the dashboard's container in deploy/kubernetes. */
const MEMORY = 256 * MB;
/** As the image says it (Dockerfile), in a container of that size. */
const NODE_OPTIONS = '--max-old-space-size=128 --max-semi-space-size=16';
/** Bytes of text in a bomb, in an archive a thousandth of that. Rows are read one by one, which takes longer. */
const LONG = 60 * MB;
const LONG_ROWS = MB / 2;

/** The dashboard waits five seconds for a form instead of ten. At SIGUSR2 the 20 seconds pass after which a file is slow. */
const SHORT_WAITS = `data:text/javascript,${encodeURIComponent(`
  const now = performance.now.bind(performance);
  let skipped = 0;
  performance.now = () => now() + skipped;
  process.on('SIGUSR2', () => { skipped += 20_000; });
  const wait = setTimeout;
  globalThis.setTimeout = (run, ms, ...args) => wait(run, ms === 10_000 ? 5000 : ms, ...args);`)}`;

const members = (open: string, more = '') =>
  `{"${open}":[{"id":"1","xp":1,"exp":1,"userId":"1","user_id":"1","score":1},${more}`;
/** Beginning of a file, and the text that then repeats. */
const BOMBS: Readonly<Record<string, readonly [head: string, repeated: string]>> = {
  'a line of CSV': ['user_id,xp\n', '1'],
  'a quoted field of CSV': ['user_id,xp,username\n1,5,"', 'x\n'],
  'rows of one member': ['user_id,xp\n', '1,5\n'],
  'rows that are bad': ['user_id,xp\n', 'x y,-\n'],
  'a line of NDJSON': ['{"user_id":"1","xp":5}\n{"user_id":"', '2'],
  'arrays of JSON in each other': ['[{"user_id":"1","xp":1},', '['],
  'a name of MEE6': [`${members('players')}{"username":"`, 'x'],
  'a number of Amari': [`${members('data')}{"id":"2","exp":`, '9'],
  'objects of Lurkr in each other': [`${members('levels')}`, '{"a":'],
  'a key of Polaris': ['{"settings":{},"users":{"', '1'],
  'settings of Polaris': ['{"settings":{"x":"', 'x'],
  'members of Tatsu': [members('rankings'), '{"user_id":"1","score":1},'],
};

/** Returns an archive of a text that begins with `head` and repeats a text. Only a piece of it is ever compressed. */
function archiveOf(head: string, repeated: string, bytes: number): Uint8Array<ArrayBuffer> {
  const size = Math.min(bytes, MB);
  const piece = gzipSync(Buffer.alloc(size - (size % repeated.length), repeated), { level: 1 });
  return new Uint8Array(Buffer.concat([gzipSync(head), ...Array.from({ length: bytes / size }, () => piece)]));
}

describe('the dashboard in 256 MiB, under attack', { ...needs('redis-server'), timeout: 300_000 }, () => {
  let redis: EmbeddedRedis;
  let guild: TestGuild;
  let dashboard: TestProcess;
  let url: string;
  let port: number;
  let attackers: Visitor[];
  let bystander: Visitor;

  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    guild = await guildOn(redis.url, 'third');
    port = await freePort();
    const env = {
      NODE_OPTIONS,
      ...LONG_REDIS_TIMEOUT,
      REDIS_URL: redis.url,
      DASHBOARD_PORT: String(port),
      TRUST_PROXY: '1',
      LOG_REQUESTS: 'off',
    };
    dashboard = runScript(['--import', SHORT_WAITS, 'src/cli/main.ts', 'dashboard'], env);
    ({ url } = (await dashboard.line((line) => typeof line.url === 'string')) as { url: string });
    attackers = [await signIn('first'), await signIn('second')];
    bystander = await signIn('third');
  });
  afterAll(async () => {
    await dashboard.stop();
    guild.close();
    await redis.stop();
  });

  async function signIn(guildId: string): Promise<Visitor> {
    const visitor = new Visitor({ url, localUrl: url });
    const link = await createInvite(guild.store, url, { guildId, userId: 'u1' });
    expect((await visitor.signIn(link)).status).toBe(303);
    return visitor;
  }

  /** The most memory that the process has had. */
  const peak = () =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${dashboard.child.pid}/status`, 'utf8'))?.[1]) * 1024;

  /** Looks at pages of another guild until the attack is over. */
  async function served(attack: Promise<unknown>): Promise<void> {
    let isOver = false;
    void attack
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    let answers = 0;
    do {
      for (const page of ['', '/members?id=u7', '/activity']) {
        expect((await bystander.get(`/guilds/third${page}`)).status).toBe(200);
        answers++;
      }
      // A person reads. Without a pause, this loop would take the processor from the dashboard.
      await Promise.race([attack.catch(() => {}), delay(500)]);
    } while (!isOver);
    await attack;
    expect(answers).toBeGreaterThan(0);
  }

  async function upload(
    owner: Visitor,
    own: string,
    content: Uint8Array<ArrayBuffer>,
    path = 'import',
  ): Promise<number> {
    const body = new FormData();
    body.append('_token', await owner.tokenOf(`/guilds/${own}`));
    for (const field of ['format', 'curve']) body.append(field, '');
    body.append('file', new Blob([content]), 'bomb.gz');
    const headers = { origin: url, cookie: owner.cookie };
    const answer = await fetch(`${url}/guilds/${own}/${path}`, { method: 'POST', headers, body, redirect: 'manual' });
    await answer.arrayBuffer();
    return answer.status;
  }

  it.each(Object.entries(BOMBS))(
    'the dashboard serves others while two owners upload %s, without end',
    async (_what, [head, repeated]) => {
      const bomb = archiveOf(head, repeated, repeated.includes(',') ? LONG_ROWS : LONG);
      await served(
        Promise.all(
          ['first', 'second'].map(async (own, index) => {
            const owner = attackers[index] as Visitor;
            expect([303, 400]).toContain(await upload(owner, own, bomb));
            await owner.submit(`/guilds/${own}`, `/guilds/${own}/import/discard`, {});
          }),
        ),
      );
      expect(peak()).toBeLessThan(MEMORY);
    },
  );

  it.each(['[', '{"":', '[],', '{},'])(
    'the dashboard serves others while two owners upload rules of %s, as long as a file may be',
    async (repeated) => {
      const rules = new Uint8Array(Buffer.concat([Buffer.from('['), Buffer.alloc(8 * MB - 1, repeated)]));
      await served(
        Promise.all(
          ['first', 'second'].map(async (own, index) =>
            expect(await upload(attackers[index] as Visitor, own, rules, 'settings/rules/file')).toBe(400),
          ),
        ),
      );
      expect(peak()).toBeLessThan(MEMORY);
    },
  );

  it.each([
    ['lists', `[${'["x"],'.repeat(999_990)}[]]`, 400],
    ['names', `{${Array.from({ length: 700_000 }, (_, n) => `"k${n}":1`).join(',')}}`, 400],
    [
      'members',
      `{"settings":{},"users":{${Array.from({ length: 400_000 }, (_, n) => `"${n}":{"xp":1}`).join(',')}}}`,
      200,
    ],
  ])('the dashboard serves others while ten owners upload rules of many %s at once', async (_what, text, status) => {
    const rules = new Uint8Array(Buffer.from(text));
    const owners = await Promise.all(Array.from({ length: 10 }, (_, n) => signIn(`rules${n}`)));
    const uploads = owners.map((owner, n) => upload(owner, `rules${n}`, rules, 'settings/rules/file'));
    await served(Promise.all(uploads).then((statuses) => expect(new Set(statuses)).toEqual(new Set([status]))));
    expect(peak()).toBeLessThan(MEMORY);
  });

  it('the dashboard serves others while two owners upload an archive in many pieces, cut off, and of a length that is a lie', async () => {
    const piece = gzipSync('1,5\n');
    const pieces = Buffer.concat([gzipSync('user_id,xp\n'), ...Array.from({ length: 20_000 }, () => piece)]);
    const cut = archiveOf('user_id,xp\n', '1,5\n', LONG_ROWS).subarray(0, -100);
    await served(
      Promise.all(
        [pieces, cut].map((content, index) =>
          upload(attackers[index] as Visitor, ['first', 'second'][index] as string, new Uint8Array(content)),
        ),
      ),
    );
    const owner = attackers[0] as Visitor;
    const token = await owner.tokenOf('/guilds/first');
    const begun = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        onTestFinished(() => void socket.destroy());
        await once(socket, 'connect');
        const part = `--x\r\ncontent-disposition: form-data; name="_token"\r\n\r\n${token}\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nuser_id,xp\n`;
        socket.write(
          `POST /guilds/first/import HTTP/1.1\r\nHost: x\r\nOrigin: ${url}\r\nCookie: ${owner.cookie}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 40000000\r\n\r\n${part}`,
        );
        return socket;
      }),
    );
    await served(Promise.resolve());
    for (const socket of begun) socket.destroy();
    expect(peak()).toBeLessThan(MEMORY);
  });

  describe('owners who send files that never end, more than there are places', () => {
    const sockets: Socket[] = [];
    const small = new Uint8Array(Buffer.from('user_id,xp\n1,5\n'));
    const send = () => upload(bystander, 'third', small);
    const discard = () => bystander.submit('/guilds/third', '/guilds/third/import/discard', {});

    beforeAll(async () => {
      for (let n = 0; n < 24; n++) {
        const owner = await signIn(`slow${n}`);
        const token = await owner.tokenOf(`/guilds/slow${n}`);
        const field = (name: string, value: string) => `--x\r\nContent-Disposition: form-data; name="${name}"${value}`;
        const body = `${field('_token', `\r\n\r\n${token}\r\n`)}${field('file', '; filename="a"\r\n\r\nuser_id,xp')}`;
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        sockets.push(socket);
        socket.write(
          `POST /guilds/slow${n}/import HTTP/1.1\r\nHost: x\r\nOrigin: ${url}\r\nCookie: ${owner.cookie}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n${body}`,
        );
      }
    });
    afterAll(() => sockets.forEach((socket) => void socket.destroy()));

    it('another file gets 400 while files that never end take all places', async () => {
      await vi.waitFor(async () => {
        const status = await send();
        if (status === 303) await discard();
        expect(status, 'all places are taken').toBe(400);
      }, PATIENT);
    });

    it('forms without a session that never end take no place for long', async () => {
      const sockets = await Promise.all(
        Array.from({ length: 300 }, async () => {
          const socket = connect(port, '127.0.0.1').on('error', () => {});
          onTestFinished(() => void socket.destroy());
          await once(socket, 'connect');
          socket.write(
            `POST /sign-in HTTP/1.1\r\nHost: x\r\nOrigin: ${url}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ninvite=`,
          );
          return socket.resume();
        }),
      );
      await served(Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close'))));
      expect(peak()).toBeLessThan(MEMORY);
    });

    it('connections without a session that send requests and read no answer are cut', async () => {
      const requests = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5000);
      const sockets: Socket[] = Array.from({ length: 30 }, () => connect(port, '127.0.0.1').pause());
      onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
      const sent = sockets.map(
        (socket) =>
          new Promise<void>((resolve) => socket.on('error', () => resolve()).write(requests, () => resolve())),
      );
      await served(Promise.all(sent));
      expect(peak()).toBeLessThan(MEMORY);
      // Their ends are seen by reading.
      await Promise.all(
        sockets.map((socket) => socket.closed || new Promise((done) => socket.once('close', done).resume())),
      );
    });

    it('the dashboard serves others while owners export all members and recount the levels side by side, and some do not read', async () => {
      const names = Array.from({ length: 4 }, (_, n) => `large${n}`);
      const members = Array.from({ length: 5000 }, (_, n) => ({
        userId: `${n}`,
        set: n,
        username: 'W'.repeat(200),
      }));
      await Promise.all(names.map((name) => guild.store.writer.recordMany(name, members)));
      const owners = await Promise.all(names.map(signIn));
      const exports = owners.map((owner, n) => owner.get(`/guilds/large${n}/members/export.csv`));
      const recounts = owners.map((owner, n) =>
        owner.submit(`/guilds/large${n}/settings/curve`, `/guilds/large${n}/settings/curve`, {
          curve: 'amari',
          custom: '',
        }),
      );
      for (const [n, { cookie }] of owners.entries()) {
        const socket = connect(port, '127.0.0.1')
          .pause()
          .on('error', () => {});
        onTestFinished(() => void socket.destroy());
        const path = `/guilds/large${n}/members/export.csv`;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`.repeat(20));
      }
      await served(Promise.all([...exports, ...recounts]));
      for (const { status, text } of await Promise.all(exports)) {
        // Another one of the guild may be under way.
        expect([200, 409]).toContain(status);
        if (status === 200) expect(text.split('\n').length).toBeGreaterThan(5000);
      }
      expect((await Promise.all(recounts)).map(({ status }) => status)).toEqual(names.map(() => 303));
      expect(peak()).toBeLessThan(MEMORY);
      for (const name of names) {
        expect(await guild.store.counters.check(name)).toMatchObject({ exact: true });
        await deleteGuild(guild.store, name);
      }
    });

    it('another file gets a place again after files that never end', async () => {
      dashboard.kill('SIGUSR2');
      await vi.waitFor(async () => expect(await send(), 'a place is given').toBe(303), PATIENT);
      await discard();
    });
  });

  it('an owner who floods the dashboard makes few changes, and the entries about access stay', async () => {
    const owner = attackers[0] as Visitor;
    const _token = await owner.tokenOf('/guilds/first');
    const changes = Array.from({ length: 200 }, (_, n) =>
      owner.post('/guilds/first/settings/multiplier', { _token, multiplier: String(n) }),
    );
    await served(Promise.all(changes));
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([303, 429]));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(100);
    expect((await owner.get('/guilds/first/activity')).text).toContain('Signed in');
  });

  it('the memory of the dashboard comes back after the attacks', async () => {
    await vi.waitFor(
      async () => {
        for (let n = 0; n < 50; n++) await bystander.get('/guilds/third');
        expect(dashboard.rss()).toBeLessThan(200 * MB);
      },
      { ...PATIENT, timeout: 120_000 },
    );
    expect((await guild.store.counters.check('third')).exact).toBe(true);
    const [, used] = /used_memory:(\d+)/.exec(await guild.store.client.info('memory')) ?? [];
    expect(Number(used)).toBeLessThan(20 * MB);
  });
});
