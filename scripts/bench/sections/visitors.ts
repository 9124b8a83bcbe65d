import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findOnPath, freePort } from '../../dev/embedded-redis.ts';
import { type RunningContender, startContender } from '../contenders.ts';
import { besideWrites, fillBenchGuild } from '../data.ts';
import { measure } from '../measure.ts';
import { onCore } from '../pinning.ts';
import { cpuSeconds, type ServerProcess, startProcess } from '../processes.ts';
import { atMost, figure, logProgress, median, type SectionResult, tableLines } from '../report.ts';
import { CONNECTIONS, type FilledGuild } from '../requests.ts';
import { type BenchOptions, makeFolder, type Testbed, withTestbed } from '../testbed.ts';

/** Visitors who keep a widget open, and the seconds between two refreshes of a widget. */
const VISITORS = 10_000;
const REFRESH_S = 60;
const RATE = VISITORS / REFRESH_S;
const MEMBERS = 10_000;
const WARM_UP_S = 3;
const SMALL_WARM_UP_S = 0.5;
/** The part of a core that a process may take for the visitors behind the cache. */
const GOAL = 0.05;
const CONFIGURATION = new URL('../../../deploy/nginx/guildrank.conf', import.meta.url);

/** Parts of a core that one process of the service was busy, round by round. */
interface VisitorsSamples {
  /** While nobody looks. */
  readonly idle: number[];
  /** While all visitors ask the service itself. */
  readonly direct: number[];
  /** While they ask the cache of nginx in front of it. */
  readonly cached: number[];
}

/** Measures what ten thousand visitors of a widget cost the service, with and without the cache of nginx, while the guild is written to. */
export async function runVisitors(options: BenchOptions): Promise<SectionResult> {
  if (!findOnPath(['nginx'])) throw new Error('The section visitors needs nginx on PATH: install it');
  return withTestbed(options, async (testbed) => {
    logProgress(`visitors: filling a guild with ${MEMBERS} members`);
    const guild = await fillBenchGuild(testbed.store, 0, MEMBERS);
    await testbed.store.guildConfig.update(guild.id, { publicPage: true });
    const service = await startContender(testbed, 'public pages');
    const nginx = await startCache(options, service.port);
    const samples: VisitorsSamples = { idle: [], direct: [], cached: [] };
    try {
      await besideWrites(testbed.store, [guild], async () => {
        // The first round warms up and is not counted.
        for (let round = 0; round <= options.rounds; round++) {
          logProgress(`visitors: ${round === 0 ? 'warming up' : `round ${round} of ${options.rounds}`}`);
          const idle = await idleShare(service, options.seconds);
          const direct = await shareOf(testbed, service, service.port, guild);
          const cached = await shareOf(testbed, service, nginx.port, guild);
          if (round === 0) continue;
          samples.idle.push(idle);
          samples.direct.push(direct);
          samples.cached.push(cached);
        }
      });
    } finally {
      await nginx.stop();
      await service.stop();
    }
    return visitorsResult(samples);
  });
}

/** Starts nginx with the configuration of deploy/nginx, without TLS, in front of one process. */
async function startCache({ cores }: BenchOptions, upstream: number): Promise<ServerProcess> {
  const folder = makeFolder();
  const port = await freePort();
  const http = readFileSync(CONFIGURATION, 'utf8')
    .replace(/127\.0\.0\.1:808[12]/g, `127.0.0.1:${upstream}`)
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace(/^ *ssl_.*$/gm, '')
    .replaceAll('/var/cache/nginx/guildrank', join(folder, 'cache'));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = `daemon off; master_process off; pid ${folder}/pid; error_log stderr error; events { worker_connections 1024; }`;
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `${main} http { access_log off; ${paths.join(' ')} ${http} }`);
  const command = onCore(cores?.load, ['nginx', '-c', file, '-p', folder]);
  return startProcess({ command, env: {}, port });
}

/** Returns the part of a core that the service is busy while nobody looks. */
async function idleShare({ pid }: RunningContender, seconds: number): Promise<number> {
  const before = cpuSeconds(pid);
  await delay(seconds * 1000);
  return (cpuSeconds(pid) - before) / seconds;
}

/** Returns the part of a core that the service is busy while all visitors look, through a port. */
async function shareOf(testbed: Testbed, service: RunningContender, port: number, guild: FilledGuild): Promise<number> {
  const plan = { requests: requestsOf(guild), from: 0, connections: CONNECTIONS, rate: RATE };
  const { seconds, small } = testbed.options;
  const { busy } = await measure(
    testbed,
    { ...service, port },
    { ...plan, settleSeconds: small ? SMALL_WARM_UP_S : WARM_UP_S, seconds },
  );
  return busy.server;
}

/** Returns the requests of the visitors, each from an address of its own. They ask for the data of a widget, as a browser does. */
function requestsOf({ id }: FilledGuild): Buffer[] {
  return Array.from({ length: VISITORS }, (_, n) =>
    Buffer.from(
      `GET /g/${id}/data.json?limit=10&page=1&rewards=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip, deflate, br\r\nX-Forwarded-For: 10.0.${n >> 8}.${n & 255}\r\n\r\n`,
    ),
  );
}

function visitorsResult(samples: VisitorsSamples): SectionResult {
  const idle = median(samples.idle);
  const direct = median(samples.direct);
  const cached = median(samples.cached);
  const share = (part: number) => `${figure(100 * part)} %`;
  return {
    data: samples,
    lines: tableLines(
      [`${figure(VISITORS)} visitors, a refresh every ${REFRESH_S} s`, 'of a core'],
      [
        ['while nobody looks', share(idle)],
        ['without a cache', share(direct)],
        ['behind the cache of nginx', share(cached)],
      ],
    ),
    goals: [atMost('part of a core behind the cache', cached, GOAL)],
  };
}
