import { PROBLEMS, Problem, type ProblemCode } from '../response/problem.ts';
import { type HeaderName, responseHeaders } from './headers.ts';

/** The request id of examples. */
const REQUEST_ID = '9f86d081884c-1a';

interface ProblemResponse {
  readonly description: string;
  readonly quota: 'always' | 'never' | 'if counted';
  readonly headers: readonly HeaderName[];
  readonly examples: readonly Problem[];
}

const byName = {
  BadRequest: {
    description: 'A parameter breaks its rule. `errors` names each one. Counted against the quota.',
    quota: 'always',
    headers: [],
    examples: [
      new Problem('invalid_request', 'limit must be a whole number from 1 to 100, in digits, given once.', {
        errors: [{ parameter: 'limit', detail: 'must be a whole number from 1 to 100, in digits, given once' }],
      }),
    ],
  },
  Unauthorized: {
    description: 'There is no key, or it is malformed, unknown, expired or revoked. Not counted.',
    quota: 'never',
    headers: ['WWW-Authenticate'],
    examples: (['missing_api_key', 'invalid_api_key'] as const).map(
      (code) => new Problem(code, 'Send a valid API key of this server in the x-api-key header.'),
    ),
  },
  Forbidden: {
    description:
      "The key is valid, but of another server, or limited to other web origins. Counted against its own server's quota.",
    quota: 'always',
    headers: [],
    examples: [new Problem('wrong_guild', 'This API key belongs to another server.')],
  },
  MemberNotFound: {
    description: 'The ranking of the server has no such member. Counted against the quota.',
    quota: 'always',
    headers: [],
    examples: [new Problem('member_not_found', 'This server has no member with that user_id in its ranking.')],
  },
  MethodNotAllowed: {
    description: 'Any method but GET, HEAD and OPTIONS on this path.',
    quota: 'if counted',
    headers: ['Allow'],
    examples: [new Problem('method_not_allowed', 'This resource is read-only: use GET, HEAD or OPTIONS.')],
  },
  QuotaExceeded: {
    description: 'The quota of the hour is used up. Wait as long as Retry-After says.',
    quota: 'always',
    headers: ['Retry-After'],
    examples: [
      new Problem('quota_exceeded', 'The quota of 100 requests per hour is used up. It is renewed in 1284 seconds.'),
    ],
  },
  Internal: {
    description: 'The service failed. The request id finds the reason in its logs.',
    quota: 'if counted',
    headers: [],
    examples: [new Problem('internal', 'The request failed for a reason on our side.')],
  },
  StoreUnavailable: {
    description: 'The store is away or slow. Try again after Retry-After.',
    quota: 'if counted',
    headers: ['Retry-After'],
    examples: [new Problem('store_unavailable', 'The store did not answer in time. Try again shortly.')],
  },
} as const satisfies Record<string, ProblemResponse>;

type ResponseName = keyof typeof byName;

const status = (response: ProblemResponse): string => String(response.examples[0]?.status);

/** All problem responses, for `components.responses`. */
export const PROBLEM_RESPONSES = Object.fromEntries(
  Object.entries(byName).map(([name, response]: [string, ProblemResponse]) => [name, problemResponse(response)]),
);

/** `responses` entries that refer to the named problem responses, by status. */
export function refer(names: readonly ResponseName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [status(byName[name]), { $ref: `#/components/responses/${name}` }]));
}

function problemResponse({ description, quota, headers, examples }: ProblemResponse): object {
  const codes = examples.map(({ code }) => code);
  return {
    description,
    headers: responseHeaders(quota, headers),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties: narrowed(codes) }],
        },
        examples: Object.fromEntries(
          examples.map((example) => [example.code, { value: JSON.parse(example.body(REQUEST_ID)) }]),
        ),
      },
    },
  };
}

/** Returns the parts of the problem schema that this response fixes. */
function narrowed(codes: readonly ProblemCode[]): object {
  const kinds = codes.map((code) => PROBLEMS[code]);
  const oneOf = (values: readonly unknown[]) => {
    const different = [...new Set(values)];
    return different.length === 1 ? { const: different[0] } : { enum: different };
  };
  return {
    code: oneOf(codes),
    type: oneOf(kinds.map(({ type }) => type)),
    title: oneOf(kinds.map(({ title }) => title)),
    status: oneOf(kinds.map((kind) => kind.status)),
  };
}
