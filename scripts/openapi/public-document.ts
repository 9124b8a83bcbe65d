import * as z from 'zod';
import { MAX_XP } from '../../src/core/ranking/curves.ts';
import { PROBLEMS, Problem, type ProblemCode } from '../../src/service/http/response/problem.ts';
import { dataParams, dataQuery, memberDataParams, memberDataQuery } from '../../src/service/public/queries.ts';
import { LEADERBOARD, STATS } from './examples.ts';
import { componentSchemas, parameters } from './parts.ts';
import { guildStatsSchema, leaderboardEntrySchema, memberSchema, problemSchema } from './schemas.ts';

const DESCRIPTION = `The data of the public page of a server, for every site and program: without an API key, and without a quota.

A server has it while the operator of the service and the owner of the server have switched the public page on. Hidden members are in no answer.

One address may send 60 requests at once and one more each second. A proxy may keep an answer for five seconds, and so may a browser. Answers carry
an ETag: send it back in \`If-None-Match\`, and unchanged data is 304 without a body.

HEAD works wherever GET does. Ids are always strings. Unknown query parameters are ignored. Later versions may add fields, curves and problem codes.`;

const url = z.url().nullable();
const boundary = z.int().min(0).max(MAX_XP).nullable();

const entry = leaderboardEntrySchema
  .extend({
    level_xp: boundary.meta({
      description: 'Total XP at which the level begins; null for a level that XP does not give, and on a board',
      examples: [4675],
    }),
    next_level_xp: boundary.meta({
      description: 'Total XP at which the next level begins; null at the last level, and where `level_xp` is null',
      examples: [5775],
    }),
    avatar: url.meta({ description: 'Address of a picture of the member; null when none is known' }),
  })
  .describe('One member in the ranking');

const head = z.object({
  guild: z
    .object({
      id: z.string().meta({ description: 'Server id', examples: ['81384788765712384'] }),
      name: z.string().nullable().describe('Name of the server; null when none is known'),
      icon: url.describe('Address of a picture of the server; null when none is known'),
    })
    .describe('The server'),
  board: z.string().meta({ description: 'The board, or `all` for the ranking of all time', examples: ['all'] }),
  period: z
    .object({
      from: z.iso.datetime().describe('When the board began to count'),
      to: z.iso.datetime().describe('When the next period begins'),
    })
    .nullable()
    .describe('The time that the board counts; null for all time'),
  stats: guildStatsSchema,
});

const total = z
  .int()
  .min(0)
  .meta({ description: 'Members in the ranking; with `find`, the members that were found', examples: [3] });

const reward = z
  .object({
    level: z
      .int()
      .min(0)
      .meta({ description: 'The level from which on members have the role', examples: [5] }),
    role: z
      .object({
        id: z.string().meta({ description: 'Role id', examples: ['81384788765712999'] }),
        name: z.string().nullable().describe('Name of the role; null when none is known'),
        color: z
          .string()
          .regex(/^#[0-9a-f]{6}$/)
          .nullable()
          .describe('Colour of the role; null when the role has no colour, or the colour is not known'),
      })
      .describe('The role'),
  })
  .describe('A role that a level gives');

const ranking = head
  .extend({
    data: z.array(entry).describe('Entries: XP descending, then user id descending in byte order'),
    total,
    page: z
      .int()
      .min(1)
      .meta({ description: 'Page number; with `around`, the page of the ranking that has the member', examples: [1] }),
    pages: z
      .int()
      .min(1)
      .meta({ description: 'Pages of the ranking at this limit', examples: [1] }),
    limit: z
      .int()
      .min(1)
      .max(100)
      .meta({ description: 'Entries a page', examples: [25] }),
    rewards: z
      .array(reward)
      .optional()
      .describe(
        'Only with `rewards=1`: the roles that levels give, by level. Empty when the server has no rewards, or the owner does not show them',
      ),
  })
  .describe('One view of a ranking, read at one moment');

const oneMember = head
  .extend({ member: entry.extend({ daily_streak: memberSchema.shape.daily_streak }), total })
  .describe('One member with its rank');

const NAMED = {
  Ranking: ranking,
  Entry: entry,
  Reward: reward,
  RankedMember: oneMember,
  GuildStats: guildStatsSchema,
  Problem: problemSchema,
};

const HEAD = {
  guild: { id: '81384788765712384', name: 'The Den', icon: null },
  board: 'all',
  period: null,
  stats: STATS,
};
const [first, ...others] = LEADERBOARD.data.map((row) => ({ ...row, level_xp: 255, next_level_xp: 475, avatar: null }));
const ENTRIES = [{ ...first, level_xp: 4675, next_level_xp: 5775 }, ...others];

const header = (description: string, pattern: string, example: string) => ({
  description,
  required: true,
  schema: { type: 'string', pattern },
  example,
});
const HEADERS = {
  'X-Request-Id': header(
    'Names this request in the logs of the service',
    '^[A-Za-z0-9_.:=+/-]{1,128}$',
    '9f86d081884c-1a',
  ),
  ETag: header(
    'Names this content; send it back in If-None-Match',
    '^"[A-Za-z0-9_-]+"$',
    '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  ),
  'Cache-Control': header(
    'How long an answer may be kept',
    '^(public, max-age=5, s-maxage=5|no-store)$',
    'public, max-age=5, s-maxage=5',
  ),
  Vary: header('Request headers that the answer depends on', '^Accept-Encoding$', 'Accept-Encoding'),
  'Retry-After': header('Seconds to wait before the next request', '^[0-9]+$', '1'),
};

const headersOf = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The problems of documents of data, by status. */
const PROBLEM_RESPONSES: Readonly<Record<string, [description: string, ...codes: ProblemCode[]]>> = {
  400: ['A parameter breaks its rule. `errors` names every such parameter.', 'invalid_request'],
  404: ['There is no public page here, or the ranking has no such member.', 'not_found', 'member_not_found'],
  405: ['The method is not GET, HEAD or OPTIONS.', 'method_not_allowed'],
  429: ['The address sent too many requests.', 'quota_exceeded'],
  500: ['The service failed.', 'internal'],
  503: ['The store is away or slow.', 'store_unavailable'],
};

/** Makes the OpenAPI 3.1 document of the data of public pages. It is apart from the document of the API, because the API needs an API key. */
export function publicDocument(): Record<string, unknown> {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Guildrank: public data',
      version: '1.0.0',
      summary: 'The data of the public pages of community servers, read-only',
      description: DESCRIPTION,
      contact: { name: 'The operator of the service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [],
    tags: [{ name: 'Public page', description: 'What the public page of a server shows' }],
    paths: {
      ...operation('/g/{guild_id}/data.json', {
        operationId: 'getPublicRanking',
        summary: 'A view of the ranking',
        description:
          'What one view of the public page shows, in one document: the server, its counters, and a page of members.',
        parameters: [...parameters('path', dataParams), ...parameters('query', dataQuery)],
        answers: 'Ranking',
        example: { ...HEAD, data: ENTRIES, total: 3, page: 1, pages: 1, limit: 25 },
      }),
      ...operation('/g/{guild_id}/m/{user_id}/data.json', {
        operationId: 'getPublicMember',
        summary: 'One member',
        description: 'What the public page of a member shows: XP, level, rank and streak.',
        parameters: [...parameters('path', memberDataParams), ...parameters('query', memberDataQuery)],
        answers: 'RankedMember',
        example: { ...HEAD, member: { ...ENTRIES[0], daily_streak: 5 }, total: 3 },
      }),
    },
    components: {
      parameters: {
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          description: 'ETag of the copy that the client has; the answer is 304 when it is still current',
          schema: { type: 'string' },
        },
      },
      headers: HEADERS,
      responses: {
        NotModified: {
          description: 'The copy named in If-None-Match is still current.',
          headers: headersOf('X-Request-Id', 'Cache-Control', 'Vary', 'ETag'),
        },
        ...Object.fromEntries(
          Object.entries(PROBLEM_RESPONSES).map(([status, texts]) => [`Problem${status}`, problemResponse(...texts)]),
        ),
      },
      schemas: componentSchemas(NAMED),
    },
  };
}

interface OperationParts {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly object[];
  readonly answers: keyof typeof NAMED;
  readonly example: object;
}

function operation(address: string, { answers, example, parameters, ...texts }: OperationParts): object {
  const get = {
    tags: ['Public page'],
    ...texts,
    parameters: [...parameters, { $ref: '#/components/parameters/IfNoneMatch' }],
    responses: {
      200: {
        description: 'The data',
        headers: headersOf('X-Request-Id', 'Cache-Control', 'Vary', 'ETag'),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${answers}` },
            examples: { example: { value: example } },
          },
        },
      },
      304: { $ref: '#/components/responses/NotModified' },
      ...Object.fromEntries(
        Object.keys(PROBLEM_RESPONSES).map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
      ),
    },
  };
  return { [address]: { get } };
}

function problemResponse(description: string, ...codes: ProblemCode[]): object {
  const isRetried = codes.includes('quota_exceeded') || codes.includes('store_unavailable');
  const common = ['X-Request-Id', 'Cache-Control', 'Vary'] as const;
  return {
    description,
    headers: isRetried ? headersOf(...common, 'Retry-After') : headersOf(...common),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            { value: JSON.parse(new Problem(code, PROBLEMS[code].title).body('9f86d081884c-1a')) },
          ]),
        ),
      },
    },
  };
}
