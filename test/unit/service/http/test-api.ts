import type { Express } from 'express';
import { AddressLimiter, KEY_LOOK_UPS } from '../../../../src/core/access/address-limiter.ts';
import { ApiKeyIssuer } from '../../../../src/core/access/api-key-issuer.ts';
import { Authenticator } from '../../../../src/core/access/authenticator.ts';
import { Quotas } from '../../../../src/core/access/quotas.ts';
import { GuildWriter } from '../../../../src/core/guild-writer.ts';
import { CommandBatcher } from '../../../../src/core/reads/command-batcher.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { Scripts } from '../../../../src/core/store/scripts.ts';
import { openStore } from '../../../../src/core/store/store.ts';
import { timeLimit } from '../../../../src/core/store/timeouts.ts';
import { type AppParts, createApp } from '../../../../src/service/http/app.ts';
import { corsPolicy } from '../../../../src/service/http/response/headers.ts';
import { type RenderedBody, sizeInMemory } from '../../../../src/service/http/response/rendered-body.ts';
import { ResponseWriter } from '../../../../src/service/http/response/response-writer.ts';
import { RequestBatcher } from '../../../../src/service/serving/request-batcher.ts';
import { ResponseCache } from '../../../../src/service/serving/response-cache.ts';
import { connectMock } from '../../../support/redis-mock.ts';

export const START = Date.parse('2026-01-15T12:00:00Z');

/** The HTTP application with real keys, quotas and reads on ioredis-mock, without a port, a log or the rest of the service. */
export interface TestApi {
  readonly app: Express;
  readonly client: RedisClient;
  readonly apiKeys: ApiKeyIssuer;
  readonly authenticator: Authenticator;
  readonly writer: GuildWriter;
  /** A key of the guild "guild". */
  readonly key: string;
  /** Path of the guild "guild" with this rest. */
  path(rest: string): string;
  /** Route and status of each answer. */
  readonly answers: (readonly [route: string, status: number])[];
  /** Errors given to the log. */
  readonly reported: unknown[];
  /** Names of the scripts that were sent. */
  readonly commands: string[];
  /** Milliseconds since {@link START}; both clocks go by it. */
  now: number;
  /** Requests counted for a guild so far. */
  counted(guildId?: string): Promise<number>;
}

export interface TestApiOptions {
  /** Requests per window on the plan free. */
  readonly quota?: number;
  readonly corsOrigins?: readonly string[];
  readonly cacheMaxAgeS?: number;
  /** Time limit of a key's look-up. */
  readonly lookUpLimitMs?: number;
  readonly parts?: Partial<AppParts>;
}

/** Builds the application on an empty store of its own. */
export async function testApi(options: TestApiOptions = {}): Promise<TestApi> {
  const { quota = 100, corsOrigins = ['*'], cacheMaxAgeS = 0, lookUpLimitMs = 60_000 } = options;
  const client = connectMock();
  const api = { client, answers: [], reported: [], commands: [], now: 0 } as unknown as TestApi & { now: number };
  const clock = () => START + api.now;
  const store = openStore(client, 'gr');
  const scripts = new Scripts(client, { observe: (name) => api.commands.push(name) });
  const { redisKeys } = store;
  const commands = new CommandBatcher(scripts, redisKeys, { client });
  const cors = corsPolicy(corsOrigins);
  const apiKeys = new ApiKeyIssuer(store, clock);
  const lookUps = timeLimit(lookUpLimitMs);
  const authenticator = new Authenticator(apiKeys, store, clock, () => api.now, lookUps, 10_000);
  const cache = new ResponseCache<RenderedBody | null>({
    maxEntries: 100,
    maxBytes: 1_000_000,
    sizeOf: sizeInMemory,
    admits: () => true,
    now: () => api.now,
  });
  let requests = 0;
  const app = createApp({
    authenticator,
    limiter: new AddressLimiter(() => api.now, KEY_LOOK_UPS),
    batcher: new RequestBatcher(new Quotas(commands, new Map([['free', quota]])), { count: () => {} }, cache, commands),
    responses: new ResponseWriter({
      cacheMaxAgeS,
      cors,
      now: clock,
      keepAliveMs: 5000,
      onResponse: (_req, { context, statusCode }) => api.answers.push([context.route, statusCode]),
    }),
    cors,
    embedOrigins: [],
    publicPages: undefined,
    activity: { inFlight: 0, isClosing: false },
    trustProxy: 0,
    now: () => api.now,
    requestId: () => `r-${++requests}`,
    middleware: [],
    countOther: () => {},
    onProblem: undefined,
    readiness: () => undefined,
    extraRoutes: undefined,
    report: (error) => api.reported.push(error),
    ...options.parts,
  });
  const { key } = await apiKeys.create('guild', 'test', null);
  return Object.assign(api, {
    app,
    apiKeys,
    authenticator,
    key,
    writer: new GuildWriter({ scripts, redisKeys }, Date.now),
    path: (rest: string) => `/api/v1/servers/guild/${rest}`,
    counted: async (guildId = 'guild') => Number((await client.get(redisKeys.quota(guildId))) ?? 0),
  });
}
