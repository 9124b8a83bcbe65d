/** Prints a line of progress to stderr: stdout has only the result. */
export function logProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
