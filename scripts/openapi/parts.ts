import * as z from 'zod';

/** The parts that the two OpenAPI documents share. */

/** A parameter of a request, as an OpenAPI parameter object. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: { readonly default?: unknown };
  readonly example?: unknown;
}

/** Returns the parameters that a schema describes. */
export function parameters(place: 'path' | 'query', schema: z.ZodObject): Parameter[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'output', override: opened });
  return Object.entries(properties).map(([name, property]) => {
    const { description, examples, ...rules } = property as { description: string; examples?: unknown[] };
    return {
      name,
      in: place,
      required: place === 'path',
      description,
      schema: rules,
      ...(examples && { example: examples[0] }),
    };
  });
}

/** Returns `components.schemas` for named schemas, which refer to each other by their names. */
export function componentSchemas(named: Readonly<Record<string, z.ZodType>>): Record<string, unknown> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, override: opened });
  return Object.fromEntries(Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]));
}

/**
 * Adapts a schema to clients. They accept fields of later versions, read integers beyond 32 bits as 64, and need no pattern that
 * repeats a format.
 */
function opened({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { type, format, maximum = Number.POSITIVE_INFINITY } = jsonSchema;
  if (type === 'object') delete jsonSchema.additionalProperties;
  if (type === 'integer' && maximum > 2 ** 31 - 1) jsonSchema.format = 'int64';
  if (format === 'date-time') delete jsonSchema.pattern;
}
