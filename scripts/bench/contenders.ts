import { InvalidInputError } from '../../src/errors.ts';

/** Descriptions of the contenders for the report, by name. */
export const CONTENDERS = {
  guildrank: 'the service, compiled, LOG_REQUESTS=errors',
  before: 'an earlier build of the service, given with --before',
  'cache off': 'the service with CACHE_MAX_PAGES=0',
  'logs on': 'the service with LOG_REQUESTS=all, standard output to a file',
  'traces on': 'the service with a span of each request, sent to a collector',
  'traces 10 %': 'the same with spans of one request in ten',
  'node:http': '(a) bare node:http, constant reply of the same bytes',
  Express: '(b) stock Express 5, constant reply of the same bytes',
  plain: '(c) Express + ioredis the plain way',
  Fastify: '(d) Fastify + ioredis done well',
  nginx: '(e) nginx with Lua done well',
} as const;

export type ContenderName = keyof typeof CONTENDERS;

/** Builds and variants of the service, with the environment that differs from the benchmark's own. */
export const SERVICE_VARIANTS: Partial<Record<ContenderName, Readonly<Record<string, string>>>> = {
  guildrank: {},
  before: {},
  'cache off': { CACHE_MAX_PAGES: '0' },
  'logs on': { LOG_REQUESTS: 'all' },
  'traces on': {},
  'traces 10 %': { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
};

/** Modules of the baselines that run on Node. */
export const BASELINES: Partial<Record<ContenderName, string>> = {
  'node:http': 'bare-http',
  Express: 'bare-express',
  plain: 'plain-express',
  Fastify: 'fastify',
};

/** Returns true for the baselines that repeat a captured answer. */
export function isConstant(name: ContenderName): boolean {
  return name === 'node:http' || name === 'Express';
}

/**
 * Parses a list of contenders, separated by commas.
 * @throws InvalidInputError for an unknown or repeated name, or if the first is not the service, which the others are compared with.
 */
export function parseContenders(text: string): ContenderName[] {
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!Object.hasOwn(CONTENDERS, name)) {
      throw new InvalidInputError(`There is no contender "${name}": choose from ${Object.keys(CONTENDERS).join(', ')}`);
    }
  }
  if (new Set(names).size < names.length) throw new InvalidInputError('A contender is named twice');
  const [first] = names as ContenderName[];
  if (!first || !SERVICE_VARIANTS[first]) {
    throw new InvalidInputError(`The first contender must be one of ${Object.keys(SERVICE_VARIANTS).join(', ')}`);
  }
  return names as ContenderName[];
}
