import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

/** The parts of an answer that supertest and a fetch wrapper share. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; empty for 304 and HEAD. */
  readonly text: string;
}

interface HeaderObject {
  readonly required: boolean;
  readonly schema: { readonly type: string };
}
type Json = Record<string, unknown>;

/** The committed OpenAPI document. */
export const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as Json;

/** The committed OpenAPI document of the data of public pages. */
export const publicDocument = JSON.parse(
  readFileSync(new URL('../../docs/public-openapi.json', import.meta.url), 'utf8'),
) as Json;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'document', ...(strict(document) as Json) });
ajv.addSchema({ $id: 'published', ...document });
ajv.addSchema({ $id: 'public', ...(strict(publicDocument) as Json) });
const validators = new Map<string, ValidateFunction>();

/**
 * Fails unless the document describes the answer: its status for the operation, every header it must have and the form of
 * those it has, its content type, and its body to the last field.
 * @param url path and query that were asked for, below /api/v1.
 */
export function expectDocumented(answer: Answer, url: string, method = 'GET'): void {
  const where = `${method} ${url} -> ${answer.status}`;
  const [path, item] = pathItem(url);
  const pointer = `/paths/${pointerKey(path)}/get/responses/${answer.status}`;
  const responses = (item.get as Json).responses as Record<string, Json>;
  expect(Object.keys(responses), where).toContain(String(answer.status));
  const response = dereference(responses[answer.status] as Json);

  for (const [name, reference] of Object.entries((response.headers ?? {}) as Record<string, Json>)) {
    expectHeader(
      dereference(reference) as unknown as HeaderObject,
      answer.headers[name.toLowerCase()],
      `${where}: ${name}`,
    );
  }
  const content = response.content as Record<string, Json> | undefined;
  if (!content || method === 'HEAD') {
    expect(answer.text ?? '', where).toBe('');
    return;
  }
  const type = answer.headers['content-type']?.replace(/;.*/, '') ?? 'none';
  expect(Object.keys(content), where).toContain(type);
  const base = '$ref' in (responses[answer.status] as Json) ? String(responses[answer.status]?.$ref).slice(1) : pointer;
  const body = JSON.parse(answer.text);
  expectValid(`${base}/content/${pointerKey(type)}/schema`, body, where);
  if (type === 'application/problem+json') expectExample(content[type]?.examples as Record<string, Json>, body, where);
}

/**
 * Returns a copy of the document that is as strict as this version of the service. The published one is open, because clients
 * must accept the fields and values of later versions.
 */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== 'object' || value === null) return value;
  const { anyOf, ...rest } = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, strict(child)])) as {
    anyOf?: Json[];
  } & Json;
  const known = anyOf?.find((choice) => 'enum' in choice);
  return {
    ...rest,
    ...(known ?? (anyOf && { anyOf })),
    ...(rest.type === 'object' && { additionalProperties: false }),
    ...(rest.format === 'date-time' && { pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  };
}

/** Fails unless the value fits the strict schema at the JSON pointer into the document. */
export function expectValid(pointer: string, value: unknown, where: string): void {
  expect(faultsOf(`document#${pointer}`, value), where).toEqual([]);
}

/**
 * Returns what is wrong with a value by the schema at a reference: `document#POINTER` strictly, `published#POINTER` for clients, and
 * `public#POINTER` of the document of public data strictly.
 */
export function faultsOf(reference: string, value: unknown): readonly unknown[] {
  const validate = validators.get(reference) ?? ajv.compile({ $ref: encodeURI(reference) });
  validators.set(reference, validate);
  validate(value);
  return validate.errors ?? [];
}

/** Fails unless an example of the response has the code of the problem, with the same status, type and title. */
function expectExample(examples: Record<string, Json>, problem: Json, where: string): void {
  const { value } = dereference(examples[String(problem.code)] ?? {}) as { value?: Json };
  const { code, status, type, title } = problem;
  expect({ code, status, type, title }, where).toEqual({
    code: value?.code,
    status: value?.status,
    type: value?.type,
    title: value?.title,
  });
}

function expectHeader(header: HeaderObject, value: string | undefined, where: string): void {
  if (header.required) expect(value, where).toBeDefined();
  if (value === undefined) return;
  const parsed = header.schema.type === 'integer' ? Number(value) : value;
  expect(ajv.validate(header.schema, parsed), `${where}: ${value}`).toBe(true);
}

/** Returns whether the document has an operation at this path. */
export function isDocumentedPath(url: string): boolean {
  return findPath(url) !== undefined;
}

function pathItem(url: string): [string, Json] {
  const found = findPath(url);
  if (!found) throw new Error(`The document has no path for ${url}`);
  return found;
}

function findPath(url: string): [string, Json] | undefined {
  const path = url.replace(/\?.*/, '').replace(/^\/api\/v1/, '');
  const paths = document.paths as Record<string, Json>;
  return Object.entries(paths).find(([pattern]) =>
    new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]*')}$`).test(path),
  );
}

/** Follows a reference within the document. */
export function dereference(value: Json): Json {
  if (typeof value.$ref !== 'string') return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Json)[key], document) as Json;
}

function pointerKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
