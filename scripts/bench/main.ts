import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release, type } from 'node:os';
import { resolve } from 'node:path';
import { Argument, InvalidArgumentError } from 'commander';
import { contextOf } from '../../src/cli/context.ts';
import { print, program, run } from '../../src/cli/terminal.ts';
import { findRedisServer } from '../dev/embedded-redis.ts';
import { startScript } from './contenders.ts';
import { pinToCores } from './pinning.ts';
import { atMost, goalLines, logProgress, type SectionResult } from './report.ts';
import { runMix } from './sections/mix.ts';
import { runPages } from './sections/pages.ts';
import { runPair } from './sections/pair.ts';
import { runScale } from './sections/scale.ts';
import { runSearch } from './sections/search.ts';
import { runSeed } from './sections/seed.ts';
import { runTail } from './sections/tail.ts';
import { runVisitors } from './sections/visitors.ts';
import type { BenchOptions } from './testbed.ts';

const SECTIONS: Readonly<Record<string, (options: BenchOptions) => Promise<SectionResult>>> = {
  mix: runMix,
  scale: runScale,
  seed: runSeed,
  pair: runPair,
  tail: runTail,
  pages: runPages,
  search: runSearch,
  visitors: runVisitors,
};

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly before?: string;
  readonly small?: true;
  readonly json?: true;
}

const HELP = `
Sections:
  mix    requests a second and CPU time of the service, bare node:http and nginx with Lua
  scale  cost of a page in guilds of 1,000 to 1,000,000 members, and Redis memory a member
  seed   members a second that the writes of an import store, against redis-cli --pipe
  pair   CPU time of two builds at once on one core; needs --before
  tail   latency at 30, 50 and 70 % of the peak, beside bare node:http and nginx with Lua
  pages  latency of the API beside 1,000 requests of public pages a second
  search time of a search by name in a guild of 200,000 members, and of the steps in Redis
  visitors what 10,000 visitors of a widget cost a process, with and without the cache of nginx

It starts its own Redis and compiles the service first. Nothing else should run meanwhile.`;

const context = contextOf(process);
const command = program(context, 'bench', 'Measure the service')
  .addArgument(new Argument('[section]', 'without it: mix, scale and seed').choices(Object.keys(SECTIONS)))
  .option('--seconds <n>', 'measured seconds of one server in one round', positive, 4)
  .option('--rounds <n>', 'number of rounds; the report gives medians', positive, 5)
  .option('--before <dir>', 'a built checkout of the service to compare with, in mix and pair')
  .option('--small', 'a tenth of the data, to try the benchmark itself')
  .option('--json', 'print JSON')
  .addHelpText('after', HELP)
  .action(bench);

process.exitCode = await run(context, command, process.argv.slice(2));
process.exit();

async function bench(section: string | undefined, { before, small, json, seconds, rounds }: Options): Promise<void> {
  const redis = findRedisServer();
  if (!redis) throw new Error('The benchmark needs redis-server or valkey-server on PATH: install one');
  const folder = before === undefined ? undefined : resolve(before);
  if (folder !== undefined) startScript(folder);
  logProgress('compiling');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The project does not compile: see the messages above');
  const machine = [
    // A pinned process sees one core, so the machine is described before.
    `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores`,
    `${type()} ${release()}, Node ${process.version}`,
    spawnSync(redis, ['--version'], { encoding: 'utf8' }).stdout.trim(),
  ];
  const cores = pinToCores();
  machine.push(
    cores
      ? `the server under test on core ${cores.server}; load generator and XP writes on core ${cores.load}; Redis on core ${cores.redis}`
      : 'nothing is pinned: there is one core, or no taskset',
  );
  const options = { seconds, rounds, small: small === true, before: folder, cores, failures: {} };
  const results: Record<string, unknown> = { machine };
  const lines = [...machine, `medians of ${rounds} rounds of ${seconds} s`];
  const goals = [];
  for (const name of section === undefined ? ['mix', 'scale', 'seed'] : [section]) {
    const result = await (SECTIONS[name] as typeof runMix)(options);
    results[name] = result.data;
    lines.push('', `== ${name}`, ...result.lines);
    goals.push(...result.goals);
  }
  const failed = Object.entries<number>(options.failures);
  const count = failed.reduce((sum, [, each]) => sum + each, 0);
  goals.push(atMost('failed requests', count, 0));
  lines.push('', '== goals', ...goalLines(goals), ...failed.map(([what, each]) => `${what}, ${each} times`));
  print(context, json, { ...results, goals, failures: options.failures }, () => lines);
}

function positive(text: string): number {
  const n = Number(text);
  if (!(n > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return n;
}
