import { join, resolve } from 'node:path';
import ts from 'typescript';
import { repository } from './run-command.ts';

/** Parsed files of packages and of TypeScript, by name. To parse them takes most of the time of a check. */
const parsed = new Map<string, ts.SourceFile | undefined>();

const SHARED = {
  strict: true,
  noEmit: true,
  target: 'es2023',
  module: 'nodenext',
  typeRoots: [join(repository, 'node_modules/@types')],
  types: ['node'],
};

/** Whether a file is no part of a package. */
const isOutside = (file: string) => !file.includes('/node_modules/');

/**
 * Returns the errors of TypeScript, as its command line prints them, in this process.
 * @param files of the folder.
 * @param options as in tsconfig.json; without them the files are strict modules for Node.
 * @param isChecked tells whether to look for errors in a file that the files import; without it, in those outside of packages.
 */
export function typeErrors(
  folder: string,
  files: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
  isChecked = isOutside,
): string {
  const read = ts.convertCompilerOptionsFromJson({ ...SHARED, ...options }, folder);
  const host = ts.createCompilerHost(read.options);
  const { getSourceFile } = host;
  host.getCurrentDirectory = () => folder;
  host.getSourceFile = (name, language, ...rest) => {
    if (isOutside(name)) return getSourceFile(name, language, ...rest);
    const key = JSON.stringify([name, language]);
    if (!parsed.has(key)) parsed.set(key, getSourceFile(name, language, ...rest));
    return parsed.get(key);
  };
  const names = files.map((file) => resolve(folder, file));
  const program = ts.createProgram(names, read.options, host);
  const checked = program.getSourceFiles().filter(({ fileName }) => isChecked(fileName));
  const errors = [
    ...read.errors,
    ...program.getOptionsDiagnostics(),
    ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    ...program.getGlobalDiagnostics(),
  ];
  return ts.formatDiagnostics(errors, host);
}
