import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROBLEMS } from '../../src/service/http/response/problem.ts';
import { expectDocumented } from '../support/api-document.ts';

const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const ANY_OPERATION = '/servers/1/leaderboard';

it('every response in docs/api.md matches the OpenAPI document', () => {
  const blocks = [...text.matchAll(/(?:```sh\ncurl [^\n]*\$BASE([^\n"]*)"\n```\n\n)?```http\n([\s\S]*?)```/g)];
  expect(blocks.length).toBeGreaterThanOrEqual(6);
  for (const [, url = ANY_OPERATION, answer = ''] of blocks) {
    const [head = '', body = ''] = answer.split('\n\n');
    const [statusLine = '', ...lines] = head.trim().split('\n');
    const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*: /, '')]);
    const printed = {
      status: Number(statusLine.split(' ')[1]),
      headers: Object.fromEntries(headers),
      text: body.trim(),
    };
    expectDocumented(printed, url);
    const length = printed.headers['content-length'];
    if (length !== undefined) expect(Buffer.byteLength(printed.text), statusLine).toBe(Number(length));
  }
});

it('the table of errors in docs/api.md has every code with its status', () => {
  const rows = [...text.matchAll(/^\| (\d{3})\s*\| ([^|]*)\|/gm)];
  const named = rows.flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)]),
  );
  expect(Object.fromEntries(named)).toEqual(
    Object.fromEntries(Object.entries(PROBLEMS).map(([code, { status }]) => [code, status])),
  );
});
