#!/usr/bin/env node
import { takeEnvFile } from '../config/env-file.ts';
import { messageOf } from '../core/errors.ts';
import { contextOf } from './context.ts';
import { USAGE } from './exit-codes.ts';
import { runGuildrank } from './guildrank.ts';

const args = process.argv.slice(2);
// The service does this itself, and its log says so.
if (args[0] !== 'serve') readSettings();

// The service is loaded only where it is started: the other commands need neither Express nor its start-up time.
const startService = () => import('../service/main.ts');
void runGuildrank(contextOf(process), args, startService).then((exitCode) => {
  // ioredis keeps a timer for up to two minutes after a connection broke, so the process would not end by itself.
  process.exit(exitCode);
});

/** Takes the settings of a file `.env`, and says so on standard error. */
function readSettings(): void {
  try {
    const taken = takeEnvFile(process.env);
    if (taken) process.stderr.write(`${taken}\n`);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(USAGE);
  }
}
