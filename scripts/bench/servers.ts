import { spawnSync } from 'node:child_process';
import { InvalidArgumentError } from 'commander';
import { contextOf } from '../../src/cli/context.ts';
import { print, program, run } from '../../src/cli/terminal.ts';
import { infoFields } from '../../src/redis/store-inspection.ts';
import { seedGuild, userIdOf } from './data.ts';
import { measure } from './measure.ts';
import { mixOf, requestBytes } from './mix.ts';
import { pinToTwoCores } from './pinning.ts';
import { startContender } from './start-contender.ts';
import { figure, median, tableLines } from './table.ts';
import { logProgress } from './terminal.ts';
import { openTestbed } from './testbed.ts';

const CONNECTIONS = 64;
const REQUESTS = 50_000;

interface Options {
  readonly members: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly json?: boolean;
}

/** Makes the table of servers in docs/operations.md: bytes a member, and requests a second, one server after the other in each round. */
const context = contextOf(process);
const command = program(context, 'servers', 'Compare servers under the service: scripts/dev/servers.sh fetches some')
  .argument('<paths...>', 'paths of redis-server or valkey-server')
  .option('--members <n>', 'members of the guild', positive, 100_000)
  .option('--seconds <n>', 'measured seconds of one server in one round', positive, 4)
  .option('--rounds <n>', 'number of rounds', positive, 5)
  .option('--json', 'print JSON')
  .action(compare);

async function compare(paths: string[], { members, seconds, rounds, json }: Options): Promise<void> {
  const built = spawnSync('npm', ['run', '-s', 'build'], { stdio: ['ignore', 2, 2] });
  if (built.status !== 0) throw new Error('The build failed');
  const pinning = pinToTwoCores();
  const servers: Awaited<ReturnType<typeof prepare>>[] = [];
  try {
    for (const path of paths) servers.push(await prepare(path, members, pinning));
    for (let round = 1; round <= rounds; round++) {
      for (const server of servers) {
        logProgress(`round ${round} of ${rounds}: ${server.name}`);
        const plan = { requests: server.requests, from: 0, connections: CONNECTIONS, settleSeconds: 1, seconds };
        const sample = await measure(server.testbed, server.service, plan);
        if (sample.answered === 0) throw new Error(`${server.name}: ${JSON.stringify(sample.failures)}`);
        server.samples.push(sample);
      }
    }
    const rows = servers.map(({ name, bytes, samples }) => ({
      server: name,
      bytes_a_member: bytes,
      requests_a_second: median(samples.map((sample) => sample.requestsPerSecond)),
      redis_us_a_request: median(samples.map((sample) => sample.cpuUs.redis)),
      failures: samples.flatMap(({ failures }, i) =>
        Object.entries(failures).map(([reason, count]) => `${count} times ${reason} in round ${i + 1}`),
      ),
    }));
    print(context, json, { members, seconds, rounds, servers: rows }, () =>
      tableLines(
        ['server', 'bytes a member', 'requests/s', 'CPU of Redis a request, µs', 'failures'],
        rows.map(({ server, failures, ...figures }) => [
          server,
          ...Object.values(figures).map(figure),
          failures.join(', ') || 'none',
        ]),
      ),
    );
  } finally {
    for (const { service, testbed } of servers) {
      await service.stop();
      await testbed.close();
    }
  }
}

async function prepare(path: string, members: number, pinning: ReturnType<typeof pinToTwoCores>) {
  process.env.REDIS_SERVER = path;
  const testbed = await openTestbed({
    pinning,
    runtime: { node: process.execPath, nodeOptions: undefined, before: undefined },
  });
  const { client } = testbed.store;
  const info = infoFields(String(await client.info()));
  const name = info.has('valkey_version')
    ? `Valkey ${info.get('valkey_version')}`
    : `Redis ${info.get('redis_version')}`;
  logProgress(`loading ${members} members into ${name}`);
  const before = await testbed.usedMemory();
  const guild = await seedGuild(testbed.store, 0, members);
  const bytes = ((await testbed.usedMemory()) - before) / members;
  const requests = mixOf([guild], userIdOf, REQUESTS, 2).map(requestBytes);
  const service = await startContender(testbed, 'guildrank');
  return { name, testbed, service, requests, bytes, samples: [] as Awaited<ReturnType<typeof measure>>[] };
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

process.exitCode = await run(context, command, process.argv.slice(2));
process.exit();
