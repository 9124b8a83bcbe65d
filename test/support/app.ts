import type { Express } from 'express';
import { Operations } from '../../src/http/api/operations.ts';
import type { Gate } from '../../src/http/api/require-api-key.ts';
import { type Application, type AppParts, createApp } from '../../src/http/app.ts';
import { RawHead } from '../../src/http/response/headers.ts';
import { ResponseWriter } from '../../src/http/response/response-writer.ts';
import type { LeaderboardReader } from '../../src/leaderboard/reader.ts';

/** Replies that tell of each answer. */
export function repliesTo(onAnswer: (route: string, status: number) => void): ResponseWriter {
  return new ResponseWriter(
    0,
    false,
    () => 0,
    new RawHead(() => 0, 5000),
    (_req, res) => onAnswer(res.context.route, res.statusCode),
  );
}

/** The application on parts that do nothing, but for those given. */
export function appOf(change: Partial<AppParts> = {}): Express {
  return applicationOf(change).app;
}

/** The same with its shortcut. */
export function applicationOf(change: Partial<AppParts> = {}): Application {
  return createApp({
    gate: {} as Gate,
    operations: new Operations({} as LeaderboardReader),
    replies: repliesTo(() => {}),
    readiness: async () => true,
    extraRoutes: undefined,
    corsOrigins: ['*'],
    trustProxy: 0,
    now: () => 5,
    requestId: () => 'r-1',
    isDraining: () => false,
    onRequest: undefined,
    onProblem: undefined,
    report: () => {},
    ...change,
  });
}
