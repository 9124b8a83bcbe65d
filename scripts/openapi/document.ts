import type * as z from 'zod';
import { codeSamples } from '../../src/service/explorer/samples.js';
import { guildParams, memberParams, noQuery, pageQuery } from '../../src/service/http/api/schemas.ts';
import { BASE_URL, DESCRIPTION, LEADERBOARD, MEMBER, STATS } from './examples.ts';
import { HEADERS, responseHeaders } from './headers.ts';
import { componentSchemas, type Parameter, parameters } from './parts.ts';
import { PROBLEM_EXAMPLES, PROBLEM_RESPONSES, refer } from './responses.ts';
import {
  guildStatsSchema,
  leaderboardEntrySchema,
  leaderboardPageSchema,
  memberSchema,
  problemSchema,
} from './schemas.ts';

/**
 * Makes the OpenAPI 3.1 document of the API from the schemas that validate its requests, so that each rule is written once.
 */
export function openApiDocument(): Record<string, unknown> {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Guildrank',
      version: '1.0.0',
      summary: 'XP, levels and leaderboards of community servers, read-only',
      description: DESCRIPTION,
      contact: { name: 'The owner of the server, who created the API key' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api/v1', description: 'This service' }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'Server', description: 'What a key can read of its server' }],
    paths: {
      ...operation('/servers/{guild_id}/leaderboard', {
        operationId: 'getLeaderboard',
        summary: 'A page of the leaderboard',
        description: 'Members by XP, highest first; equal XP by user id, in descending byte order.',
        path: guildParams,
        query: pageQuery,
        answers: 'LeaderboardPage',
        example: LEADERBOARD,
      }),
      ...operation('/servers/{guild_id}/members/{user_id}', {
        operationId: 'getMember',
        summary: 'One member',
        description: 'XP, level, rank, streak and last daily claim of one member.',
        path: memberParams,
        query: noQuery,
        answers: 'Member',
        example: MEMBER,
        notFound: true,
      }),
      ...operation('/servers/{guild_id}/stats', {
        operationId: 'getStats',
        summary: 'Statistics of the server',
        description: 'Members with XP, total XP earned, average level and curve configuration.',
        path: guildParams,
        query: noQuery,
        answers: 'GuildStats',
        example: STATS,
      }),
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key of the server' },
      },
      parameters: { IfNoneMatch: IF_NONE_MATCH },
      headers: HEADERS,
      examples: PROBLEM_EXAMPLES,
      responses: { ...PROBLEM_RESPONSES, NotModified: NOT_MODIFIED },
      schemas: componentSchemas(NAMED),
    },
  };
}

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description: 'ETag of the copy that the client has; the answer is 304 when it is still current',
  schema: { type: 'string' },
};
const NOT_MODIFIED = {
  description: 'The copy named in If-None-Match is still current. Counted against the quota.',
  headers: responseHeaders('always', ['ETag']),
};

interface OperationParts {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly path: z.ZodObject;
  readonly query: z.ZodObject;
  readonly answers: keyof typeof NAMED;
  readonly example: object;
  readonly notFound?: boolean;
}

function operation(
  address: string,
  { path, query, answers, example, notFound, ...texts }: OperationParts,
): Record<string, object> {
  const inPath = parameters('path', path);
  const inQuery = parameters('query', query);
  const get = {
    tags: ['Server'],
    ...texts,
    parameters: [...inPath, ...inQuery, { $ref: '#/components/parameters/IfNoneMatch' }],
    responses: {
      200: {
        description: 'The data',
        headers: responseHeaders('always', ['ETag']),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${answers}` },
            examples: { example: { value: example } },
          },
        },
      },
      304: { $ref: '#/components/responses/NotModified' },
      ...refer(['BadRequest', 'Unauthorized', 'Forbidden']),
      ...(notFound && refer(['MemberNotFound'])),
      ...refer(['MethodNotAllowed', 'QuotaExceeded', 'Internal', 'StoreUnavailable']),
    },
    'x-codeSamples': codeSamples(exampleUrl(address, inPath, inQuery)),
  };
  return { [address]: { get } };
}

/** Returns an address with the examples of its path parameters and the defaults of its query. */
function exampleUrl(address: string, inPath: readonly Parameter[], inQuery: readonly Parameter[]): string {
  const path = inPath.reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), address);
  const query = inQuery.map(({ name, schema }) => `${name}=${schema.default}`).join('&');
  return `${BASE_URL}${path}${query && `?${query}`}`;
}

const NAMED = {
  LeaderboardPage: leaderboardPageSchema,
  LeaderboardEntry: leaderboardEntrySchema,
  Member: memberSchema,
  GuildStats: guildStatsSchema,
  Problem: problemSchema,
};
