import type { Redis } from 'ioredis';
import { redisCodeOf, StoreUnavailableError } from '../../src/core/errors.ts';
import { type ScriptClient, scriptSource } from '../../src/core/store/scripts.ts';
import { clocked } from '../support/clocked.ts';
import { type Case, RUN_ID, type State, type Suite, sorted, type Value } from './state.ts';

/** Replaces ":" at the begin of a key by the prefix of the guild. */
const full = (key: string) => (key.startsWith(':') ? `gr:{g}${key}` : key);

/**
 * Runs each case of a suite on a client, in an empty database.
 * @returns a text for each case whose reply or whose state after it is another one.
 */
export async function failuresOf(suite: Suite, client: ScriptClient, admin: Redis): Promise<string[]> {
  const failures: string[] = [];
  let nowMs = 0;
  const runId = /run_id:(\w+)/.exec(await admin.info('server'))?.[1] as string;
  const own = <T>(value: T) => JSON.parse(JSON.stringify(value).replaceAll(RUN_ID, runId)) as T;
  const timed = clocked(client, () => nowMs);
  const source = scriptSource(suite.script);
  for (const each of suite.cases) {
    const before = suite.states[each.state] as State;
    nowMs = each.now / 1000;
    await admin.flushall();
    await fill(admin, before);
    // Without the kit, which adds the keys of boards itself.
    const reply = await timed
      .eval(source, each.keys.length, ...each.keys.map(full), ...own(each.args))
      .catch((error: unknown) => ({ error: redisCodeOf(StoreUnavailableError.of(error).reason) }));
    const difference = isExpected(reply, own(each.reply))
      ? await differenceOf(admin, before, each.changed)
      : JSON.stringify(reply);
    if (difference)
      failures.push(`${suite.script} ${each.name}: ${difference} instead of ${JSON.stringify(each.reply)}`);
  }
  return failures;
}

async function fill(admin: Redis, state: State): Promise<void> {
  const pipeline = admin.pipeline();
  for (const [key, value] of Object.entries(state)) {
    if ('hash' in value) pipeline.hset(full(key), value.hash);
    else if ('zset' in value)
      pipeline.zadd(full(key), ...Object.entries(value.zset).flatMap(([member, score]) => [score, member]));
    else if (value.ms) pipeline.set(full(key), value.string, 'PX', value.ms);
    else pipeline.set(full(key), value.string);
  }
  await pipeline.exec();
}

/** Returns what differs from the state that is expected, '' for nothing. */
async function differenceOf(admin: Redis, before: State, changed: Case['changed']): Promise<string> {
  const expected = Object.entries({ ...before, ...changed }).flatMap(([key, value]) =>
    value ? [[full(key), value]] : [],
  );
  const keys = await admin.keys('*');
  const found = await Promise.all(keys.map(async (key) => [key, await contentOf(admin, key)] as const));
  const state: State = Object.fromEntries(found);
  for (const [key, value] of expected as [string, Value][]) {
    const is = state[key];
    if (!is || !isSame(is, value)) return `${key} is ${sorted(is ?? null)}, not ${sorted(value)};`;
  }
  const extra = keys.filter((key) => !expected.some(([name]) => name === key));
  return extra.length > 0 ? `there is also ${extra.join(' ')};` : '';
}

function isSame(found: Value, expected: Value): boolean {
  if (!('string' in found && 'string' in expected)) return sorted(found) === sorted(expected);
  const left = found.ms ?? 0;
  return found.string === expected.string && (expected.ms ? left > expected.ms / 2 && left <= expected.ms : left === 0);
}

async function contentOf(admin: Redis, key: string): Promise<Value> {
  const type = await admin.type(key);
  if (type === 'hash') return { hash: await admin.hgetall(key) };
  if (type === 'string') {
    const ms = await admin.pttl(key);
    return { string: (await admin.get(key)) ?? '', ...(ms > 0 ? { ms } : {}) };
  }
  const rows = await admin.zrange(key, 0, -1, 'WITHSCORES');
  return { zset: Object.fromEntries(rows.flatMap((row, n) => (n % 2 ? [] : [[row, Number(rows[n + 1])]]))) };
}

function isExpected(reply: unknown, expected: Case['reply']): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(reply) &&
      reply.length === expected.length &&
      expected.every((part, n) => isExpected(reply[n], part))
    );
  }
  if (typeof expected === 'object' && expected !== null && 'at_most' in expected)
    return Number(reply) > 0 && Number(reply) <= expected.at_most;
  // A client may give whole numbers as text, to keep all their digits.
  if (typeof expected === 'number') return String(reply) === String(expected);
  return sorted(reply as Value) === sorted(expected as never);
}
