import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { runCommand } from '../support/command.ts';
import { type HostProxy, type HostProxyOptions, startHostProxy } from '../support/host-proxy.ts';
import { needs } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';

/** Guilds in both halves of the slots. */
const GUILDS = Array.from({ length: 8 }, (_, index) => `guild-${index}`);
const PLAN = 1000;

/** Starts servers behind one address, and the service on it. All end with the test. */
async function hostWithService(options: Omit<HostProxyOptions, 'servers'>, count: 1 | 2) {
  const servers = await Promise.all(Array.from({ length: count }, () => startEmbeddedRedis()));
  for (const server of servers) onTestFinished(server.stop);
  const ports = servers.map(({ port }) => port) as unknown as HostProxyOptions['servers'];
  const proxy = await startHostProxy({ ...options, servers: ports });
  onTestFinished(proxy.stop);
  const clients: Redis[] = [];
  const connect = () => {
    const client = new Redis({ host: '127.0.0.1', port: proxy.port });
    clients.push(client);
    return client;
  };
  const service = await startService({ connect }, { PLAN_QUOTAS: `free=${PLAN}`, PUBLIC_PAGES: '1' });
  onTestFinished(async () => {
    await service.close();
    for (const client of clients) client.disconnect();
  });
  return { proxy, service, client: connect(), url: `redis://127.0.0.1:${proxy.port}` };
}

/** Fills the guilds, each with another number of members. @returns an API key of each. */
async function fill({ store }: TestService): Promise<readonly string[]> {
  return Promise.all(
    GUILDS.map(async (guild, index) => {
      const records = Array.from({ length: index + 1 }, (_, member) => ({ userId: `u${member}`, set: 100 + member }));
      await store.writer.recordMany(guild, records);
      return (await store.apiKeys.create(guild, 'test', null)).key;
    }),
  );
}

/** Returns the total of a leaderboard page. */
const totalOf = async (answer: Response) => ((await answer.json()) as { total?: number }).total;

const get = (service: TestService, index: number, key: string | undefined, query = '') =>
  fetch(`${service.url}/api/v1/servers/${GUILDS[index]}/leaderboard${query}`, { headers: { 'x-api-key': key ?? '' } });

describe('a host where scripts may touch only declared keys', needs('redis-server'), () => {
  it('a strict host refuses a script that asks for another key, as the test means it', async () => {
    const { client } = await hostWithService({ isStrict: true }, 1);
    const refused = client.eval("return redis.call('GET', ARGV[1])", 1, 'a', 'b');
    await expect(refused).rejects.toThrow('undeclared key b');
    expect(await client.eval("return redis.call('GET', KEYS[1])", 1, 'a')).toBeNull();
  });

  it('the service serves requests for several guilds at once on a strict host, and doctor says what the host is', async () => {
    const { service, url } = await hostWithService({ isStrict: true }, 1);
    const keys = await fill(service);
    const answers = await Promise.all(keys.map((key, index) => get(service, index, key)));
    expect(await Promise.all(answers.map(totalOf))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const { stdout } = await runCommand('doctor', [], { REDIS_URL: url });
    expect(stdout).toContain('one server; scripts may touch only the keys that they declare');
  });
});

describe('the public pages of a host with strict scripts and two servers', needs('redis-server'), () => {
  it('on a strict host with two servers, the public pages have rewards, their members, and the rows of boards', async () => {
    const { service } = await hostWithService({ isStrict: true }, 2);
    await fill(service);
    const { guildConfig, writer } = service.store;
    for (const [index, guild] of GUILDS.entries()) {
      await guildConfig.update(guild, { publicPage: true, boards: ['week'] });
      await guildConfig.setRules(guild, JSON.stringify({ rewards: [{ level: 1, role: '801' }] }));
      await writer.record(guild, { userId: 'u0', add: 1 });
      const read = async (path: string) => (await fetch(`${service.url}/g/${guild}${path}`)).text();
      expect(await read('/rewards')).toContain(`${index + 1} member`);
      for (const board of ['', '&board=week']) {
        const document = JSON.parse(await read(`/data.json?rewards=1${board}`));
        expect(document).toMatchObject({ total: board ? 1 : index + 1, rewards: [{ level: 1, role: { id: '801' } }] });
      }
    }
  });
});

describe('a host with two servers behind one address', needs('redis-server'), () => {
  it('on a host with two servers, the service is ready, reads each guild from its own server, and counts each request once', async () => {
    const { service, client, url } = await hostWithService({ isStrict: true }, 2);
    const keys = await fill(service);
    for (let round = 1; round <= 5; round++) {
      const answers = await Promise.all(keys.map((key, index) => get(service, index, key, `?limit=${round}`)));
      expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
      const totals = await Promise.all(answers.map(totalOf));
      expect(totals).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      for (const { headers } of answers) expect(headers.get('x-ratelimit-remaining')).toBe(String(PLAN - round));
    }
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    for (const guild of GUILDS) expect(await client.get(`gr:quota:{${guild}}`)).toBe('5');
    expect(service.logText()).toContain('keeps guilds on several servers (CROSSSLOT)');
    const { stdout } = await runCommand('doctor', [], { REDIS_URL: url });
    expect(stdout).toContain('several servers behind one address');
  });
});

describe('a host that grows from one server to two while requests run', needs('redis-server'), () => {
  let running = false;
  afterEach(() => {
    running = false;
  });

  /** Sends requests for all guilds until told to stop, in bursts that share a batch. */
  async function load(service: TestService, keys: readonly string[], counts: number[]): Promise<string[]> {
    const faults: string[] = [];
    while (running) {
      await Promise.all(
        keys.map(async (key, index) => {
          const answer = await get(service, index, key, `?limit=${1 + ((counts[index] as number) % 5)}`);
          counts[index] = (counts[index] as number) + 1;
          const total = await totalOf(answer);
          const remaining = Number(answer.headers.get('x-ratelimit-remaining'));
          const isRight =
            answer.status === 200 && total === index + 1 && remaining === PLAN - (counts[index] as number);
          if (!isRight) faults.push(`${GUILDS[index]}: ${answer.status} ${remaining} ${total}`);
        }),
      );
    }
    return faults;
  }

  it('while a host grows, the service gives no wrong response, counts no request twice, and then shows writes from after the move', async () => {
    const { proxy, service, client } = await hostWithService({ beginsWithOne: true }, 2);
    const keys = await fill(service);
    const counts = GUILDS.map(() => 0);
    running = true;
    const faults = load(service, keys, counts);
    await afterRequests(counts, 20);
    await (proxy as HostProxy).split();
    await afterRequests(counts, 40);
    running = false;
    expect(await faults).toEqual([]);
    for (const [index, guild] of GUILDS.entries()) {
      expect(await client.get(`gr:quota:{${guild}}`)).toBe(String(counts[index]));
      await service.store.writer.record(guild, { userId: 'new', set: 1 });
      expect(await totalOf(await get(service, index, keys[index]))).toBe(index + 2);
    }
  });

  async function afterRequests(counts: readonly number[], least: number): Promise<void> {
    await expect.poll(() => Math.min(...counts)).toBeGreaterThanOrEqual(least);
  }
});
