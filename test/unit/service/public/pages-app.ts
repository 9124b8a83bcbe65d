import express, { type ErrorRequestHandler } from 'express';
import request from 'supertest';
import { AddressLimiter } from '../../../../src/core/access/address-limiter.ts';
import type { ReadCommand } from '../../../../src/core/reads/command-batcher.ts';
import { PublicMemberCommand } from '../../../../src/core/reads/public-page.ts';
import { openContext } from '../../../../src/service/http/request-context.ts';
import { corsPolicy } from '../../../../src/service/http/response/headers.ts';
import { toProblem } from '../../../../src/service/http/response/problem.ts';
import type { RenderedBody } from '../../../../src/service/http/response/rendered-body.ts';
import { ResponseWriter } from '../../../../src/service/http/response/response-writer.ts';
import { type PublicPagesParts, publicPages } from '../../../../src/service/public/routes.ts';
import type { CacheableRead } from '../../../../src/service/serving/response-cache.ts';
import { MEMBER, MISSING, PAGE } from './fixtures.ts';

/** Finds Bob in each guild, and a page in each but "none". The title of a guild is "The Den", or none. */
function find({ command }: CacheableRead<unknown>) {
  const { guildId } = command;
  if (guildId === 'none') return null;
  const title = guildId === 'guild' ? PAGE.title : '';
  if (!(command instanceof PublicMemberCommand)) return { ...PAGE, title };
  return command.line.includes(' bob ') ? { ...MEMBER, title } : { ...MISSING, title };
}

/** The public pages alone, without a store. Their clock stands still. @param burst requests that an address may send. */
export function pagesApp(parts: Partial<PublicPagesParts> = {}, burst = 100) {
  /** Calls so far: requests that reached the router, reads, pictures drawn, public requests that were counted, files and searches that were counted, and problems left to others. */
  const seen = { routed: 0, reads: 0, drawn: 0, counted: 0, files: 0, left: 0 };
  const all: PublicPagesParts = {
    limiter: new AddressLimiter(() => 0, { burst, intervalMs: 1500 }),
    batcher: {
      read: async (read: CacheableRead<RenderedBody | null>) => {
        seen.reads++;
        try {
          return { response: read.render(find(read)), error: undefined };
        } catch (error) {
          return { response: undefined, error };
        }
      },
    },
    usage: { countPublic: () => seen.counted++ },
    searchLimiter: new AddressLimiter(() => 0, { burst, intervalMs: 1500 }),
    commands: {
      read: async <T>({ guildId }: ReadCommand<T>) => {
        seen.reads++;
        return { revision: '1', value: guildId === 'none' ? null : PAGE } as T;
      },
    },
    search: { find: async () => [] },
    responses: new ResponseWriter({
      ...{ cacheMaxAgeS: 0, cors: corsPolicy([]), now: () => 0, keepAliveMs: 5000 },
      onResponse: () => {},
    }),
    painter: async () => {
      seen.drawn++;
      return Buffer.from([0x89, 0x50, 0xff, 0x00]);
    },
    avatars: undefined,
    url: '',
    now: () => 0,
    embedOrigins: [],
    ...parts,
  };
  const pages = publicPages(all, () => seen.files++);
  const activity = { inFlight: 0, isClosing: false };
  const app = express().set('query parser', 'simple');
  app.use(openContext({ now: () => 0, requestId: () => 'r-1', activity }));
  app.use(pages.knownAddresses);
  app.use((_req, _res, next) => {
    seen.routed++;
    next();
  });
  app.use(pages.router);
  app.use((_req, res) => void res.status(404).send('no route'));
  const answerProblem: ErrorRequestHandler = (error, req, res, _next) => {
    if (pages.refuse(req, res, toProblem(error))) return;
    seen.left++;
    if (!res.headersSent) res.status(500).send('not of these pages');
  };
  app.use(answerProblem);
  return { app, pages, seen, get: (path: string) => request(app).get(path) };
}
