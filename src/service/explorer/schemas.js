import { el, heading, prose, table } from './elements.js';

/**
 * The parts of an OpenAPI document that are shown.
 * @typedef {{ $ref: string }} Reference
 * @typedef {{
 *   $ref?: string, type?: string, enum?: string[], anyOf?: Schema[], items?: Schema, minimum?: number, maximum?: number,
 *   pattern?: string, format?: string, default?: unknown, description?: string, required?: string[],
 *   properties?: Record<string, Schema>,
 * }} Schema
 * @typedef {{ name: string, in: string, schema: Schema, description: string, example?: unknown, required?: boolean }} Parameter
 * @typedef {{ summary?: string, description?: string, value: unknown }} Example
 * @typedef {{ description: string }} Header
 * @typedef {{
 *   description: string, headers?: Record<string, Header | Reference>,
 *   content?: Record<string, { schema: Schema, examples: Record<string, Example | Reference> }>,
 * }} ResponseObject
 * @typedef {{
 *   operationId: string, summary: string, description: string, parameters: (Parameter | Reference)[],
 *   responses: Record<string, ResponseObject | Reference>,
 * }} Operation
 * @typedef {{
 *   info: { summary: string, description: string }, paths: Record<string, { get: Operation }>,
 *   components: { schemas: Record<string, Schema>, examples: Record<string, Example> },
 * }} Spec
 */

/**
 * Returns a function that follows references within the document.
 * @param {Spec} spec
 */
export function resolver(spec) {
  /**
   * @template {object} T
   * @param {T | Reference} value
   * @returns {T}
   */
  return (value) =>
    '$ref' in value
      ? value.$ref
          .slice(2)
          .split('/')
          .reduce((/** @type {any} */ at, key) => at[key], spec)
      : value;
}

/**
 * Returns a schema in a few words, such as "integer 1..100, default 10". The name of a schema links to it.
 * @param {Schema} schema
 * @returns {HTMLElement}
 */
export function describe(schema) {
  const { $ref, anyOf, items, type, format, minimum, maximum, pattern, default: fallback } = schema;
  if ($ref) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return el('a', { href: `#schema-${name}` }, name);
  }
  if (schema.enum) return el('span', {}, schema.enum.join(' | '));
  if (anyOf) {
    const choices = anyOf.flatMap((choice) => [' or ', describe(choice)]);
    return el('span', {}, ...choices.slice(1));
  }
  if (items?.$ref) return el('span', {}, 'array of ', describe(items));
  if (items) return el('span', {}, `array of {${Object.keys(items.properties ?? {}).join(', ')}}`);
  let text = String(type);
  if (format) text += ` (${format})`;
  else if (pattern) text += ` ${pattern}`;
  text += rangeOf(minimum, maximum);
  if (fallback !== undefined) text += `, default ${fallback}`;
  return el('span', {}, text);
}

/**
 * Returns the range of a number, such as " 1..100".
 * @param {number | undefined} minimum
 * @param {number | undefined} maximum
 */
function rangeOf(minimum, maximum) {
  if (minimum === undefined) return '';
  if (maximum === undefined) return ` from ${minimum}`;
  return ` ${minimum}..${maximum === Number.MAX_SAFE_INTEGER ? '2^53-1' : maximum}`;
}

/**
 * Creates the part of the page on one schema.
 * @param {string} name
 * @param {Schema} schema
 */
export function schemaPart(name, { description = '', properties = {}, required = [] }) {
  const rows = Object.entries(properties).map(([field, rule]) => ({
    cells: [
      el('code', {}, field),
      el('span', {}, describe(rule), required.includes(field) ? '' : ' (optional)'),
      prose('span', rule.description ?? ''),
    ],
  }));
  const title = heading('h3', `schema-${name}`, name);
  return el('div', {}, title, prose('p', description), table(`Fields of ${name}`, ['Field', 'Type', 'Meaning'], rows));
}
