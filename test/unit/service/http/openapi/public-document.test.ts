import { expect, it } from 'vitest';
import { publicDocument } from '../../../../../scripts/openapi/public-document.ts';
import { publicDocument as committed, faultsOf } from '../../../../support/api-document.ts';

it('docs/public-openapi.json is what the schemas say (renew it: npx vitest run test/unit/service/http/openapi -u)', async () => {
  const text = `${JSON.stringify(publicDocument(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../../../docs/public-openapi.json');
});

it('the examples of the document of public data fit their schemas', () => {
  const paths = committed.paths as Record<string, { get: { responses: Record<string, Content> } }>;
  const answers = Object.values(paths).map(({ get }) => get.responses['200']?.content['application/json']);
  expect(answers).toHaveLength(2);
  for (const answer of answers) {
    const { schema, examples } = answer ?? expect.fail();
    expect(faultsOf(`public${schema.$ref}`, examples.example?.value)).toEqual([]);
  }
});

interface Content {
  readonly content: Readonly<
    Record<string, { readonly schema: { $ref: string }; readonly examples: Record<string, { value: unknown }> }>
  >;
}
