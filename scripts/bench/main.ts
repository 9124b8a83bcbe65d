import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { contextOf } from '../../src/cli/context.ts';
import { print, program, run } from '../../src/cli/terminal.ts';
import { findRedisServer } from '../dev/embedded-redis.ts';
import { CONTENDERS, type ContenderName, parseContenders } from './contenders.ts';
import { describeMachine } from './machine.ts';
import { pinToTwoCores } from './pinning.ts';
import { beforeCommand, type Runtime, serviceCommand, splitOptions } from './runtime.ts';
import { findSections, SECTION_NAMES } from './sections.ts';
import { goalLines } from './table.ts';
import { logProgress } from './terminal.ts';

interface Options {
  readonly json?: boolean;
  readonly seconds: number;
  readonly rounds: number;
  readonly minutes: number;
  readonly small?: boolean;
  readonly contenders?: readonly ContenderName[];
  readonly node: string;
  readonly nodeOptions?: readonly string[];
  readonly before?: string;
}

const context = contextOf(process);
const command = program(context, 'bench', 'Measure the service and its baselines, on a Redis of its own')
  .argument('[section]', `${SECTION_NAMES.join(', ')}; without it: mix, scale, seed and memory`)
  .option('--seconds <n>', 'measured seconds of one contender in one round', positive, 4)
  .option('--rounds <n>', 'number of rounds; the report gives medians', positive, 5)
  .option('--minutes <n>', 'length of the soak', positive, 1)
  .option('--contenders <names>', `contenders of the mix, from ${Object.keys(CONTENDERS).join(',')}`, parseContenders)
  .option('--before <dir>', 'a built checkout of the service to compare with in the mix or the pair')
  .option('--node <path>', 'the Node binary of the servers under test', process.execPath)
  .option('--node-options <options>', 'Node options of the service instead of those of npm start', splitOptions)
  .option('--small', 'a tenth of the data, to try the benchmark itself')
  .option('--json', 'print JSON')
  .action(async (section: string | undefined, options: Options) => {
    const sections = findSections(section);
    if (!findRedisServer()) throw new Error('The benchmark needs redis-server or valkey-server on PATH: install one');
    const runtime: Runtime = {
      node: options.node,
      nodeOptions: options.nodeOptions,
      before: options.before === undefined ? undefined : resolve(options.before),
    };
    if (runtime.before !== undefined || options.contenders?.includes('before')) beforeCommand(runtime);
    // A pinned process sees one core, so the machine is described before.
    const machine = describeMachine(runtime.node);
    compile();
    const pinning = pinToTwoCores();
    const started = `the service is started with ${['node', ...serviceCommand(runtime).slice(1)].join(' ')}`;
    const results: Record<string, unknown> = { machine, pinning: pinning.description, started };
    const lines = [...Object.values(machine), pinning.description, started];
    const goals = [];
    for (const { name, start } of sections) {
      const result = await start({ ...options, small: options.small === true, runtime, pinning });
      results[name] = result.data;
      lines.push('', `== ${name}`, ...result.lines);
      goals.push(...result.goals);
    }
    if (goals.length > 0) lines.push('', '== goals', ...goalLines(goals));
    print(context, options.json, { ...results, goals }, () => lines);
  });

// The servers end on this process's 'exit' event, which these signals would skip.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => process.exit(code));
}
// Each server has one 'exit' listener; this many are not a leak.
process.setMaxListeners(50);

process.exitCode = await run(context, command, process.argv.slice(2));
process.exit();

/** Compiles the service and the baselines, so that they run as they are deployed and without a loader. */
function compile(): void {
  logProgress('compiling');
  for (const args of [
    ['run', '--silent', 'build'],
    ['exec', '--', 'tsc', '-p', 'scripts/bench/tsconfig.json'],
  ]) {
    const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
    if (status !== 0) throw new Error('The project does not compile: see the messages above');
  }
}

function positive(text: string): number {
  const n = Number(text);
  if (!(n > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return n;
}
