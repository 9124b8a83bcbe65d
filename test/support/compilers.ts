import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-command.ts';

/** The versions of TypeScript that the types are for, and how each may resolve modules. TypeScript 7 has no "node10" any more. */
export const COMPILERS = {
  '5.0': ['node10', 'node16', 'nodenext', 'bundler'],
  '5.9': ['node10', 'node16', 'nodenext', 'bundler'],
  '6.0': ['node10', 'node16', 'nodenext', 'bundler'],
  '7.0': ['node16', 'nodenext', 'bundler'],
} as const;
const MODULES = { node10: 'commonjs', node16: 'node16', nodenext: 'nodenext', bundler: 'esnext' } as const;

/** The versions of {@link COMPILERS} as dependencies in a package.json. */
export const COMPILER_DEPENDENCIES = Object.fromEntries(
  Object.keys(COMPILERS).map((version) => [`typescript-${version}`, `npm:typescript@${version}`]),
);

/**
 * Checks the types of a program in a folder that has the {@link COMPILER_DEPENDENCIES} installed. Where the ending of a file decides, the program is
 * checked as an ES module and as CommonJS.
 * @returns the exit code and what the compiler prints.
 */
export function checkTypes(folder: string, version: string, resolution: keyof typeof MODULES, program: string) {
  const project = join(folder, `typescript-${version}-${resolution}`);
  mkdirSync(project);
  const endings = resolution === 'node16' || resolution === 'nodenext' ? ['mts', 'cts'] : ['ts'];
  for (const ending of endings) writeFileSync(join(project, `program.${ending}`), program);
  const compilerOptions = {
    module: MODULES[resolution],
    moduleResolution: resolution,
    target: 'es2022',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
    ...(version === '6.0' && resolution === 'node10' && { ignoreDeprecations: '6.0' }),
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const compiler = join(folder, `node_modules/typescript-${version}/bin/tsc`);
  return runProgram(process.execPath, [compiler, '-p', '.'], { cwd: project });
}
