import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { parseConfig } from '../../src/config/service.ts';
import { openCore } from '../../src/core/core.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import { connect } from '../../src/core/store/connection.ts';
import { untilConnected } from '../support/connected.ts';
import { type Answer, ask } from '../support/load.ts';
import type { Call } from './history.ts';

const PAUSE_MS = 30;
/** How long the bot waits for replicas to acknowledge. */
const WAIT_MS = 300;
/** Errors by which Redis refuses a script, or ioredis a command, before anything is done. */
const NOT_DONE = /^(READONLY|NOREPLICAS|MASTERDOWN|LOADING)\b|there is no connection to/;

/** The calls of a bot and of readers, by member. */
export interface Recording {
  readonly calls: ReadonlyMap<string, readonly Call[]>;
  /** Every answer over HTTP so far. */
  readonly answers: readonly Answer[];
  stop(): Promise<void>;
}

/** A bot that adds 1 XP at a time, each with WAIT. */
export class Bot {
  private constructor(
    private readonly client: Redis,
    private readonly guildId: string,
  ) {}

  static async start(env: Record<string, string>, guildId: string): Promise<Bot> {
    const client = connect(parseConfig(env).redis) as Redis;
    await untilConnected(client);
    return new Bot(client, guildId);
  }

  /** Adds 1. @returns the call, without an end unless enough replicas have it; undefined when nothing was done. */
  async add(userId: string, replicas: number): Promise<Call | undefined> {
    const { client } = this;
    const { writer } = openCore(client, 'gr');
    const { stream } = client;
    const start = performance.now();
    try {
      const { xp } = await writer.record(this.guildId, { userId, add: 1 });
      const reached = await client.wait(replicas, WAIT_MS);
      // On a new connection, WAIT knows of no write and is content at once.
      const isKnown = reached >= replicas && client.stream === stream;
      return isKnown ? { kind: 'add', start, end: performance.now(), xp } : { kind: 'add', start };
    } catch (error) {
      if (error instanceof StoreUnavailableError && NOT_DONE.test(error.reason)) return undefined;
      return { kind: 'add', start };
    }
  }

  stop(): void {
    this.client.disconnect();
  }
}

/** Records additions to some members by the bot, and reads of them over HTTP: by member, and all on a page. */
export function startRecording(
  { url, headers, guildId }: { url: string; headers: Record<string, string>; guildId: string },
  bot: Bot,
  members: readonly string[],
  replicas: number,
): Recording {
  const calls = new Map<string, Call[]>(members.map((userId) => [userId, []]));
  const answers: Answer[] = [];
  const agent = new Agent({ keepAlive: true });
  let isOver = false;
  const adding = async (userId: string): Promise<void> => {
    while (!isOver) {
      const call = await bot.add(userId, replicas);
      if (call) calls.get(userId)?.push(call);
      await delay(PAUSE_MS);
    }
  };
  const get = async (path: string): Promise<Answer> => {
    const answer = await ask(agent, url, `/api/v1/servers/${guildId}/${path}`, headers);
    answers.push(answer);
    await delay(PAUSE_MS);
    return answer;
  };
  const note = (userId: string, { sentAt, took }: Answer, xp: number) =>
    calls.get(userId)?.push({ kind: 'read', start: sentAt, end: sentAt + took, xp });
  const reading = async (userId: string): Promise<void> => {
    while (!isOver) {
      const answer = await get(`members/${userId}`);
      if (answer.status === 200) note(userId, answer, JSON.parse(answer.body).xp);
    }
  };
  const paging = async (): Promise<void> => {
    while (!isOver) {
      const answer = await get('leaderboard?limit=100');
      if (answer.status !== 200) continue;
      const rows = (JSON.parse(answer.body) as { data: { user_id: string; xp: number }[] }).data;
      for (const userId of members) note(userId, answer, rows.find((row) => row.user_id === userId)?.xp ?? Number.NaN);
    }
  };
  const running = Promise.all([...members.map(adding), ...members.map(reading), paging()]);
  return {
    calls,
    answers,
    stop: async () => {
      isOver = true;
      await running;
      agent.destroy();
    },
  };
}
