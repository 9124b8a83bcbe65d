import { InvalidInputError } from '../../src/errors.ts';
import type { ContenderName } from './contenders.ts';
import { nginxModules } from './nginx.ts';
import { runMemory } from './sections/memory.ts';
import { runMix } from './sections/mix.ts';
import { runScale } from './sections/scale.ts';
import type { SectionOptions, SectionResult } from './sections/section.ts';
import { runSeed } from './sections/seed.ts';

export interface Section {
  readonly name: string;
  readonly start: (options: SectionOptions) => Promise<SectionResult>;
}

const ALL: readonly (Section & { readonly whenAll: boolean })[] = [
  {
    name: 'mix',
    whenAll: true,
    start: (options) => {
      const nginx: ContenderName[] = nginxModules() ? ['nginx'] : [];
      return runMix(
        ['guildrank', 'node:http', 'Express', 'plain', 'Fastify', ...nginx, 'cache off', 'logs on'],
        options,
      );
    },
  },
  { name: 'scale', whenAll: true, start: runScale },
  { name: 'seed', whenAll: true, start: runSeed },
  { name: 'memory', whenAll: true, start: runMemory },
  { name: 'cold', whenAll: false, start: (options) => runMix(['cache off', 'plain', 'Fastify'], options) },
  { name: 'logs', whenAll: false, start: (options) => runMix(['guildrank', 'logs on'], options) },
];

export const SECTIONS: readonly string[] = ALL.map(({ name }) => name);

/** The section of that name, or those that make up a whole run. @throws InvalidInputError for another name. */
export function sectionNamed(name: string | undefined): readonly Section[] {
  if (name === undefined) return ALL.filter(({ whenAll }) => whenAll);
  const section = ALL.find((one) => one.name === name);
  if (!section) throw new InvalidInputError(`There is no section ${name}: choose one of ${SECTIONS.join(', ')}`);
  return [section];
}
