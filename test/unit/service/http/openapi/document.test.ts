import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../../../scripts/openapi/document.ts';
import { PROBLEMS } from '../../../../../src/service/http/response/problem.ts';
import { dereference, document, expectValid, faultsOf } from '../../../../support/api-document.ts';

it('docs/openapi.json is what the schemas say (renew it: npx vitest run test/unit/service/http/openapi -u)', async () => {
  const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../../../docs/openapi.json');
});

it('every problem code has an example, with the response that sends it', () => {
  const { examples, responses } = document.components as {
    examples: Record<string, { value: { code: string; status: number } }>;
    responses: Record<string, { content?: Record<string, { examples: Record<string, { $ref: string }> }> }>;
  };
  const stated = Object.entries(examples).map(([name, { value }]) => [
    name,
    { code: value.code, status: value.status },
  ]);
  expect(Object.fromEntries(stated)).toEqual(
    Object.fromEntries(Object.entries(PROBLEMS).map(([code, { status }]) => [code, { code, status }])),
  );
  const sent = Object.values(responses).flatMap(({ content }) =>
    Object.entries(content?.['application/problem+json']?.examples ?? {}),
  );
  expect(sent.every(([code, { $ref }]) => $ref === `#/components/examples/${code}`)).toBe(true);
  // not_found is the answer outside the operations.
  const codes = Object.keys(PROBLEMS).filter((code) => code !== 'not_found');
  expect(sent.map(([code]) => code).sort()).toEqual(codes.sort());
});

describe('answers are open to later versions', () => {
  const STATS = { total_members: 1, total_xp: 1, average_level: 1, xp_curve: 'standard', xp_multiplier: 1 };
  const PROBLEM = { type: 'urn:x', title: 'T', status: 400, detail: 'D', code: 'internal', request_id: 'r' };
  it.each([
    ['GuildStats', STATS, { xp_curve: 'a new curve' }],
    ['GuildStats', STATS, { a_new_field: 1 }],
    ['Problem', PROBLEM, { code: 'a_new_code' }],
    ['Problem', PROBLEM, { a_new_field: { deep: true } }],
  ])(
    'the published schema of %s accepts %j with %j, and the stricter schema of the tests does not',
    (name, known, later) => {
      const at = (id: string) => `${id}#/components/schemas/${name}`;
      expect(faultsOf(at('published'), known)).toEqual([]);
      expect(faultsOf(at('document'), known)).toEqual([]);
      expect(faultsOf(at('published'), { ...known, ...later })).toEqual([]);
      expect(faultsOf(at('document'), { ...known, ...later })).not.toEqual([]);
    },
  );

  it('no schema closes an object, and every enumeration of an answer leaves a choice', () => {
    const text = JSON.stringify(document.components);
    expect(text).not.toContain('additionalProperties');
    const enumerations = [...text.matchAll(/"enum":/g)];
    const open = [...text.matchAll(/"anyOf":\[\{"type":"string","enum":\[[^\]]*\]\},\{"type":"string"\}\]/g)];
    expect(enumerations).toHaveLength(open.length);
    expect(open.length).toBeGreaterThanOrEqual(2);
  });
});

it('integers that can pass 32 bits say int64, and a format stands without a pattern', () => {
  let integers = 0;
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const {
      type,
      format,
      maximum = Number.POSITIVE_INFINITY,
    } = value as { type?: string; format?: string; maximum?: number };
    if (type === 'integer') {
      expect(format, JSON.stringify(value)).toBe(maximum > 2 ** 31 - 1 ? 'int64' : undefined);
      integers++;
    }
    if (format !== undefined) expect(value).not.toHaveProperty('pattern');
    Object.values(value).forEach(walk);
  };
  walk(document);
  expect(integers).toBeGreaterThan(15);
});

it('every example fits its schema', () => {
  let examples = 0;
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('schema' in value && 'examples' in value) {
      for (const [name, example] of Object.entries(value.examples as Record<string, Record<string, unknown>>)) {
        expectValid(`${pointer}/schema`, dereference(example).value, `${pointer} ${name}`);
        examples++;
      }
    } else if ('schema' in value && 'example' in value) {
      expectValid(`${pointer}/schema`, value.example, pointer);
      examples++;
    }
    for (const [key, child] of Object.entries(value))
      walk(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  };
  walk(document, '');
  expect(examples).toBeGreaterThan(20);
});
