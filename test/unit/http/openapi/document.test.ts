import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../../../src/http/openapi/document.ts';
import { PROBLEMS } from '../../../../src/http/response/problem.ts';
import { document, expectValid } from '../../../support/api-document.ts';

it('docs/openapi.json is what the schemas say (renew it: npx vitest run test/unit/http/openapi.test.ts -u)', async () => {
  const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../../docs/openapi.json');
});

it('the linter finds no error and no warning in it', () => {
  const bin = createRequire(import.meta.url)
    .resolve('@redocly/cli/package.json')
    .replace('package.json', 'bin/cli.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'lint', 'docs/openapi.json', '--format=json'], {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout).totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});

it('every problem code stands in it, and each that an operation can answer has an example', () => {
  const { schemas, responses } = document.components as {
    schemas: { Problem: { properties: { code: { enum: string[] } } } };
    responses: Record<string, { content?: Record<string, { examples: Record<string, unknown> }> }>;
  };
  expect(schemas.Problem.properties.code.enum).toEqual(Object.keys(PROBLEMS));
  const withExample = Object.values(responses).flatMap(({ content }) =>
    Object.keys(content?.['application/problem+json']?.examples ?? {}),
  );
  // not_found is the answer outside the operations.
  expect(withExample.sort()).toEqual(
    Object.keys(PROBLEMS)
      .filter((code) => code !== 'not_found')
      .sort(),
  );
});

it('every example fits its schema', () => {
  let examples = 0;
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('schema' in value && 'examples' in value) {
      for (const [name, example] of Object.entries(value.examples as Record<string, { value: unknown }>)) {
        expectValid(`${pointer}/schema`, example.value, `${pointer} ${name}`);
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
