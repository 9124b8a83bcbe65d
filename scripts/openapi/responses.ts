import { PROBLEMS, Problem, type ProblemCode } from '../../src/service/http/response/problem.ts';
import { type HeaderName, responseHeaders } from './headers.ts';

/** The request id of examples. */
const REQUEST_ID = '9f86d081884c-1a';

interface ProblemTexts {
  readonly when: string;
  readonly whatToDo: string;
  readonly detail: string;
  readonly errors?: Problem['extra']['errors'];
}

const UNAUTHORIZED = 'Send a valid API key of this server in the x-api-key header.';
const LIMIT_RULE = 'must be a whole number from 1 to 100, in digits, given once';

const TEXTS: Readonly<Record<ProblemCode, ProblemTexts>> = {
  invalid_request: {
    when: 'A parameter breaks its rule. `errors` names every such parameter.',
    whatToDo: 'Correct the parameters.',
    detail: `limit ${LIMIT_RULE}.`,
    errors: [{ parameter: 'limit', detail: LIMIT_RULE }],
  },
  missing_api_key: {
    when: 'The request has no API key.',
    whatToDo: 'Send a key in `x-api-key`. The owner of the server creates keys.',
    detail: UNAUTHORIZED,
  },
  invalid_api_key: {
    when: 'The key is malformed, unknown, expired or revoked.',
    whatToDo: 'Get a new key from the owner of the server.',
    detail: UNAUTHORIZED,
  },
  wrong_guild: {
    when: 'The key is of another server, or limited to other websites.',
    whatToDo: 'Use a key of this server that allows your website.',
    detail: 'This API key belongs to another server.',
  },
  member_not_found: {
    when: 'The ranking of the server has no such member.',
    whatToDo: 'Check the user id. A member without a record of XP has no rank.',
    detail: 'This server has no member with that user_id in its ranking.',
  },
  not_found: {
    when: 'The path is no path of this API.',
    whatToDo: 'Check the address: `/api/v1`, then the path of an operation.',
    detail: 'There is no such resource. The operations are under /api/v1/servers/{guild_id}.',
  },
  method_not_allowed: {
    when: 'The method is not GET, HEAD or OPTIONS.',
    whatToDo: 'Use GET.',
    detail: 'This resource is read-only: use GET, HEAD or OPTIONS.',
  },
  quota_exceeded: {
    when: 'The quota of the hour or the cap of the key is used up, or there were too many invalid keys.',
    whatToDo: 'Wait for the seconds in `Retry-After`.',
    detail: 'The quota of 100 requests per hour is used up. It is renewed in 1284 seconds.',
  },
  internal: {
    when: 'The service failed.',
    whatToDo: 'Report the `request_id`. It finds the reason in the logs of the service.',
    detail: 'The request failed for a reason on our side.',
  },
  store_unavailable: {
    when: 'The store is away or slow.',
    whatToDo: 'Try again after the seconds in `Retry-After`.',
    detail: 'The store did not answer in time. Try again shortly.',
  },
};

/** One problem for each code, for `components.examples`. The summary says when the problem comes, and the description says what to do. */
export const PROBLEM_EXAMPLES = Object.fromEntries(
  Object.entries(TEXTS).map(([code, { when, whatToDo, detail, errors }]) => {
    const problem = new Problem(code as ProblemCode, detail, errors && { errors });
    return [code, { summary: when, description: whatToDo, value: JSON.parse(problem.body(REQUEST_ID)) }];
  }),
);

interface ProblemResponse {
  readonly quota: 'always' | 'never' | 'if counted';
  readonly headers: readonly HeaderName[];
  readonly codes: readonly ProblemCode[];
}

const byName = {
  BadRequest: { quota: 'always', headers: [], codes: ['invalid_request'] },
  Unauthorized: { quota: 'never', headers: ['WWW-Authenticate'], codes: ['missing_api_key', 'invalid_api_key'] },
  Forbidden: { quota: 'always', headers: [], codes: ['wrong_guild'] },
  MemberNotFound: { quota: 'always', headers: [], codes: ['member_not_found'] },
  MethodNotAllowed: { quota: 'if counted', headers: ['Allow'], codes: ['method_not_allowed'] },
  QuotaExceeded: { quota: 'always', headers: ['Retry-After'], codes: ['quota_exceeded'] },
  Internal: { quota: 'if counted', headers: [], codes: ['internal'] },
  StoreUnavailable: { quota: 'if counted', headers: ['Retry-After'], codes: ['store_unavailable'] },
} as const satisfies Record<string, ProblemResponse>;

const COUNTED = {
  always: "Counted against the quota of the key's server.",
  never: 'Not counted.',
  'if counted': 'Counted if it shows the quota.',
};

type ResponseName = keyof typeof byName;

/** All problem responses, for `components.responses`. */
export const PROBLEM_RESPONSES = Object.fromEntries(
  Object.entries(byName).map(([name, response]: [string, ProblemResponse]) => [name, problemResponse(response)]),
);

/** `responses` entries that refer to the named problem responses, by status. */
export function refer(names: readonly ResponseName[]): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => [PROBLEMS[byName[name].codes[0]].status, { $ref: `#/components/responses/${name}` }]),
  );
}

function problemResponse({ quota, headers, codes }: ProblemResponse): object {
  return {
    description: [...codes.map((code) => TEXTS[code].when), COUNTED[quota]].join(' '),
    headers: responseHeaders(quota, headers),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}
