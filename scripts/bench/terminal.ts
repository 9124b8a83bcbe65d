/** Progress goes to stderr, so that stdout holds the result alone. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
