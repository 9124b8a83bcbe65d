#!/usr/bin/env node
import { contextOf } from './context.ts';
import { runGuildrank } from './guildrank.ts';

// The service is loaded only where it is started: the other commands need neither Express nor its start-up time.
const startService = () => import('../main.ts');
void runGuildrank(contextOf(process), process.argv.slice(2), startService).then((exitCode) => {
  // ioredis keeps a timer for up to two minutes after a connection broke, so the process would not end by itself.
  process.exit(exitCode);
});
