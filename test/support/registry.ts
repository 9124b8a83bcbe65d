import type { TestProject } from 'vitest/node';
import { runProgram } from './run-command.ts';

/** Tells the suites of a run whether npm reaches its registry. The first tier needs no network, so it does not ask. */
export async function setup({ name, provide }: TestProject): Promise<void> {
  provide('hasRegistry', !name.startsWith('first') && (await canReachRegistry()));
}

async function canReachRegistry(): Promise<boolean> {
  return (await runProgram('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'])).code === 0;
}
