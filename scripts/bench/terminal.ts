/** Progress goes to stderr, so that stdout holds the result alone. */
export function logProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
