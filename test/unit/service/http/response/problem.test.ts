import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../../../src/core/errors.ts';
import {
  invalidRequest,
  methodNotAllowed,
  PROBLEMS,
  Problem,
  type ProblemCode,
  toProblem,
  unauthorized,
} from '../../../../../src/service/http/response/problem.ts';

const EXPECTED: [ProblemCode, number, string, string][] = [
  ['missing_api_key', 401, 'Unauthorized', 'unauthorized'],
  ['invalid_api_key', 401, 'Unauthorized', 'unauthorized'],
  ['wrong_guild', 403, 'Forbidden', 'wrong-guild'],
  ['invalid_request', 400, 'Bad Request', 'invalid-request'],
  ['member_not_found', 404, 'Not Found', 'member-not-found'],
  ['not_found', 404, 'Not Found', 'not-found'],
  ['method_not_allowed', 405, 'Method Not Allowed', 'method-not-allowed'],
  ['quota_exceeded', 429, 'Too Many Requests', 'quota-exceeded'],
  ['store_unavailable', 503, 'Service Unavailable', 'store-unavailable'],
  ['internal', 500, 'Internal Server Error', 'internal'],
];

it.each(EXPECTED)('the problem %s has the status %d and the title %s', (code, status, title, type) => {
  const problem = new Problem(code, 'why');
  expect(problem.status).toBe(status);
  expect(JSON.parse(problem.body('r-1'))).toEqual({
    type: `urn:guildrank:problem:${type}`,
    title,
    status,
    detail: 'why',
    code,
    request_id: 'r-1',
  });
});

it('the set of codes is closed', () => {
  expect(Object.keys(PROBLEMS)).toEqual(EXPECTED.map(([code]) => code));
});

it('the two 401 problems differ in their code only', () => {
  const detail = 'Send a valid API key of this server in the x-api-key header.';
  const headers = ['WWW-Authenticate', 'ApiKey realm="guildrank"'];
  for (const code of ['missing_api_key', 'invalid_api_key'] as const)
    expect(unauthorized(code)).toMatchObject({ code, detail, extra: { headers } });
});

it('the problem of a refused method names the allowed methods', () => {
  expect(methodNotAllowed()).toMatchObject({
    code: 'method_not_allowed',
    detail: 'This resource is read-only: use GET, HEAD or OPTIONS.',
    extra: { headers: ['Allow', 'GET, HEAD, OPTIONS'] },
  });
});

it('the problem of an invalid request names every parameter, in its detail and apart', () => {
  const errors = [
    { parameter: 'limit', detail: 'must be small' },
    { parameter: 'page', detail: 'must be there' },
  ];
  const problem = invalidRequest(errors);
  expect(problem.detail).toBe('limit must be small; page must be there.');
  expect(JSON.parse(problem.body('r-1'))).toMatchObject({ code: 'invalid_request', errors });
});

it('the problem of a failed store is 503 with Retry-After, and has its cause for the log only', () => {
  const error = new StoreUnavailableError(new Error('127.0.0.1 said WRONGTYPE'));
  const problem = toProblem(error);
  expect(problem).toMatchObject({
    code: 'store_unavailable',
    detail: 'The store did not answer in time. Try again shortly.',
    extra: { headers: ['Retry-After', '1'] },
  });
  expect(problem.extra.cause).toBe(error);
  expect(problem.cause).toBe(error);
  expect(problem.body('r-1')).not.toContain('WRONGTYPE');
});

it('the problem of a path that is not percent-encoded is a bad request', () => {
  expect(toProblem(new URIError('x'))).toMatchObject({
    code: 'invalid_request',
    extra: { errors: [{ parameter: 'path', detail: 'must be valid percent-encoding' }] },
  });
});

it('any other error is a failure of the service, and a problem stays what it is', () => {
  const error = new Error('secret');
  const problem = toProblem(error);
  expect(problem).toMatchObject({ code: 'internal', detail: 'The request failed for a reason on our side.' });
  expect(problem.extra.cause).toBe(error);
  expect(toProblem(problem)).toBe(problem);
});
