/** Prints the files and the own classes of which a GET runs code: `node --import tsx scripts/dev/request-path.ts`. See docs/architecture.md. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import ts from 'typescript';
import { servicesOn } from '../../src/cli/services.ts';
import { parseConfig } from '../../src/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { startServer } from '../../src/server.ts';
import { startEmbeddedRedis } from './embedded-redis.ts';

/** Code that ran while a request was served. */
interface Path {
  readonly files: readonly string[];
  readonly classes: readonly string[];
}

/** Functions that ran, by script. */
type Coverage = readonly Profiler.ScriptCoverage[];

/** Requests of each kind. Only code that each of them ran counts: a timer can run between. */
const REPEATS = 8;
const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const GUILD = '1000';

/** Returns the names of the innermost classes around functions that ran. */
function classesOf(source: string, ranOffsets: readonly number[]): string[] {
  const classes: ts.ClassLikeDeclaration[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node)) classes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('ran.js', source, ts.ScriptTarget.Latest, true));
  const around = (offset: number) => classes.filter((each) => each.pos <= offset && offset < each.end).at(-1);
  return ranOffsets.flatMap((offset) => around(offset)?.name?.text ?? []);
}

/** Returns the code of src that ran. */
async function pathOf(session: Session, coverage: Coverage): Promise<Path> {
  const files = new Set<string>();
  const classes = new Set<string>();
  for (const { scriptId, url, functions } of coverage) {
    const path = url.startsWith('file:') ? fileURLToPath(url.replace(/\?.*/, '')) : '';
    const ran = functions.flatMap(({ ranges: [range] }) => (range && range.count > 0 ? [range.startOffset] : []));
    if (!path.startsWith(SRC) || ran.length === 0) continue;
    files.add(path.slice(SRC.length));
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
    for (const name of classesOf(scriptSource, ran)) classes.add(name);
  }
  return { files: [...files].sort(), classes: [...classes].sort() };
}

function common(paths: readonly Path[], list: keyof Path): string[] {
  return (paths[0] as Path)[list].filter((name) => paths.every((path) => path[list].includes(name)));
}

// Another process can take the port that was free.
const redis = await startEmbeddedRedis().catch(() => startEmbeddedRedis());
const store = new Redis(redis.url);
const config = parseConfig({ HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', REDIS_URL: redis.url });
const server = await startServer(config, { logger: createLogger('silent', process.stdout) });
const { apiKeys, writer } = servicesOn(store, config.keyPrefix, [...config.planQuotas.keys()]);
const agent = new Agent({ keepAlive: true });
const session = new Session();
session.connect();
await session.post('Debugger.enable');
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const ask = async (key: string, page: number): Promise<void> => {
  const path = `/api/v1/servers/${GUILD}/leaderboard?page=${page}`;
  const request = get(server.url + path, { agent, headers: { 'x-api-key': key } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  if (response.statusCode !== 200) throw new Error(`GET ${path} was answered with ${response.statusCode}`);
};

await writer.record(GUILD, { userId: '1', set: 100, profile: { username: 'Ada' } });
const known = (await apiKeys.create(GUILD, 'known', null)).key;
await ask(known, 1);
const take = async (): Promise<Coverage> => (await session.post('Profiler.takePreciseCoverage')).result;
const recorded: Record<'first' | 'repeated', Coverage[]> = { first: [], repeated: [] };
for (let page = 2; page < 2 + REPEATS; page++) {
  const { key } = await apiKeys.create(GUILD, 'unseen', null);
  await take();
  await ask(key, page);
  recorded.first.push(await take());
  await ask(known, 1);
  recorded.repeated.push(await take());
}
// Only now, because the work for it would let timers fall due in the next request.
for (const [title, coverages] of Object.entries(recorded)) {
  const paths: Path[] = [];
  for (const coverage of coverages) paths.push(await pathOf(session, coverage));
  for (const list of ['files', 'classes'] as const) {
    const names = common(paths, list);
    process.stdout.write(`${title} ${list} ${names.length}: ${names.join(' ')}\n`);
  }
}
await server.close();
agent.destroy();
store.disconnect();
await redis.stop();
