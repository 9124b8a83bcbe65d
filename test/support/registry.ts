import type { TestProject } from 'vitest/node';
import { runProgram } from './run-command.ts';

/** Tells the suites of a tier whether npm reaches its registry. */
export async function setup({ provide }: TestProject): Promise<void> {
  provide('hasRegistry', await canReachRegistry());
}

async function canReachRegistry(): Promise<boolean> {
  return (await runProgram('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'])).code === 0;
}
