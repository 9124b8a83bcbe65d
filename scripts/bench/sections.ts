import { InvalidInputError } from '../../src/errors.ts';
import type { ContenderName } from './contenders.ts';
import { nginxModules } from './nginx.ts';
import { runBot } from './sections/bot.ts';
import { runKit } from './sections/kit.ts';
import { runMemory } from './sections/memory.ts';
import { runMix } from './sections/mix.ts';
import { runPair } from './sections/pair.ts';
import { runScale } from './sections/scale.ts';
import type { SectionOptions, SectionResult } from './sections/section.ts';
import { runSeed } from './sections/seed.ts';
import { runSoak } from './sections/soak.ts';

export interface Section {
  readonly name: string;
  readonly start: (options: SectionOptions) => Promise<SectionResult>;
}

const ALL_CONTENDERS: readonly ContenderName[] = [
  'guildrank',
  'node:http',
  'Express',
  'plain',
  'Fastify',
  'nginx',
  'cache off',
  'logs on',
];

const ALL: readonly (Section & { readonly inWholeRun: boolean })[] = [
  { name: 'mix', inWholeRun: true, start: mixSection(ALL_CONTENDERS) },
  { name: 'scale', inWholeRun: true, start: runScale },
  { name: 'seed', inWholeRun: true, start: runSeed },
  { name: 'memory', inWholeRun: true, start: runMemory },
  { name: 'pair', inWholeRun: false, start: runPair },
  { name: 'bot', inWholeRun: false, start: runBot },
  { name: 'kit', inWholeRun: false, start: runKit },
  { name: 'soak', inWholeRun: false, start: runSoak },
  { name: 'cold', inWholeRun: false, start: mixSection(['cache off', 'plain', 'Fastify']) },
  { name: 'logs', inWholeRun: false, start: mixSection(['guildrank', 'logs on']) },
  { name: 'traces', inWholeRun: false, start: mixSection(['guildrank', 'traces on', 'traces 10 %']) },
];

export const SECTION_NAMES: readonly string[] = ALL.map(({ name }) => name);

/**
 * Returns the section of that name, or without a name those of a whole run.
 * @throws InvalidInputError for another name.
 */
export function findSections(name: string | undefined): readonly Section[] {
  if (name === undefined) return ALL.filter(({ inWholeRun }) => inWholeRun);
  const section = ALL.find((one) => one.name === name);
  if (!section) throw new InvalidInputError(`There is no section ${name}: choose one of ${SECTION_NAMES.join(', ')}`);
  return [section];
}

function mixSection(defaults: readonly ContenderName[]): Section['start'] {
  return (options) => {
    const present = defaults.filter((name) => name !== 'nginx' || nginxModules() !== undefined);
    const chosen = options.contenders ?? present;
    // An earlier build that is given takes part, next to the service.
    const addBefore = options.runtime.before !== undefined && !chosen.includes('before');
    return runMix(addBefore ? chosen.toSpliced(1, 0, 'before') : chosen, options);
  };
}
