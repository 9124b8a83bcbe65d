#!/usr/bin/env node
import { takeEnvFile } from '../config/env-file.ts';
import { messageOf } from '../core/errors.ts';
import { contextOf } from './context.ts';
import { USAGE } from './exit-codes.ts';
import { runGuildrank } from './guildrank.ts';

const args = process.argv.slice(2);

// The service is loaded only where it is started: the other commands need neither Express nor its start-up time.
const startService = () => import('../service/main.ts');
void main().then((exitCode) => {
  // ioredis keeps a timer for up to two minutes after a connection broke, so the process would not end by itself.
  process.exit(exitCode);
});

async function main(): Promise<number> {
  // The service reads the file itself, and its log says so.
  if (args[0] !== 'serve') await readSettings();
  return runGuildrank(contextOf(process), args, startService);
}

/** Takes the settings of a file `.env`, and says on standard error which it took and which are probably misspelt. */
async function readSettings(): Promise<void> {
  try {
    const { taken, names } = takeEnvFile(process.env);
    if (taken) process.stderr.write(`${taken}\n`);
    if (names.length === 0) return;
    const { misspeltNames } = await import('../config/setting-names.ts');
    const misspelt = misspeltNames(names);
    if (misspelt) process.stderr.write(`warning: ${misspelt}\n`);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(USAGE);
  }
}
