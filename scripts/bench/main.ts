import { spawnSync } from 'node:child_process';
import { InvalidArgumentError } from 'commander';
import { print, program, run } from '../../src/cli/terminal.ts';
import { findOnPath } from '../dev/embedded-redis.ts';
import { machine } from './machine.ts';
import { pinToTwoCores } from './pinning.ts';
import { SECTIONS, sectionNamed } from './sections.ts';
import { goalLines } from './table.ts';
import { logProgress } from './terminal.ts';

interface Options {
  readonly json?: boolean;
  readonly seconds: number;
  readonly rounds: number;
  readonly small?: boolean;
}

const command = program('bench', 'Measure the service against its baselines, on a Redis of its own')
  .argument('[section]', `${SECTIONS.join(', ')}; without it: mix, scale, seed and memory`)
  .option('--seconds <n>', 'measured seconds of one contender in one round', positive, 4)
  .option('--rounds <n>', 'rounds, of which the median counts', positive, 5)
  .option('--small', 'a tenth of the data: to try the benchmark itself')
  .option('--json', 'print JSON')
  .action(async (section: string | undefined, options: Options) => {
    const sections = sectionNamed(section);
    if (!findOnPath()) throw new Error('The benchmark needs redis-server or valkey-server on PATH: install one');
    compile();
    // Before it is pinned: a pinned process sees one core.
    const facts = machine();
    const pinning = pinToTwoCores();
    const results: Record<string, unknown> = { machine: facts, pinning: pinning.description };
    const lines = [...Object.values(facts), pinning.description];
    const goals = [];
    for (const { name, start } of sections) {
      const result = await start({ ...options, small: options.small === true, pinning });
      results[name] = result.data;
      lines.push('', `== ${name}`, ...result.lines);
      goals.push(...result.goals);
    }
    if (goals.length > 0) lines.push('', '== goals', ...goalLines(goals));
    print(options.json, { ...results, goals }, () => lines);
  });

// Each server started ends with this process; these two would otherwise end it without its 'exit' event.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => process.exit(code));
}
// One 'exit' listener a process started: a dozen of them is no leak.
process.setMaxListeners(50);

await run(command);

/** The servers run as they are deployed, compiled: a loader's helpers would slow them. */
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
