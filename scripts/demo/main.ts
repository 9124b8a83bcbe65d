import { contextOf } from '../../src/cli/context.ts';
import { textTable } from '../../src/cli/table.ts';
import { program, run } from '../../src/cli/terminal.ts';
import { parseConfig } from '../../src/config/service.ts';
import { createInvite } from '../../src/core/access/invites.ts';
import { openCore } from '../../src/core/core.ts';
import { waitUntilReady } from '../../src/core/store/lifecycle.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createService } from '../../src/service/service.ts';
import { PUBLIC_PAGES, startDemoDashboard } from './dashboard.ts';
import { type DemoServer, demoPage } from './demo-page.ts';
import { DEMO_GUILDS, DEMO_REWARDS, DEMO_VISITOR, demoUserId, fillDemoGuild } from './guilds.ts';
import { startRising } from './rising-members.ts';
import { stopRequested } from './stop-signal.ts';
import { startDemoStore } from './store.ts';

/** `demo`: the service on a Redis of its own, with invented guilds, until Ctrl-C. Nothing is kept. */

/** The members of page 1, the lowest first: each climbs in turn. */
const CLIMBERS = Array.from({ length: 10 }, (_, i) => demoUserId(9 - i));

/** Longer than the service's default of 100 ms, because the demo may run on a busy laptop. */
const SERVICE_TIMEOUT_MS = 1000;
const FILL_TIMEOUT_MS = 10_000;
const DAY_S = 86_400;

const context = contextOf(process);
const command = program(context, 'demo', 'Start the service on an embedded Redis with invented guilds; Ctrl-C ends it')
  .addHelpText(
    'after',
    '\nEnvironment: HOST (127.0.0.1), PORT (8080), DASHBOARD_PORT (8090, else a free one), LOG_LEVEL (warn)',
  )
  .action(demo);
process.exitCode = await run(context, command, process.argv.slice(2));
process.exit();

async function demo(): Promise<void> {
  const stopped = stopRequested();
  const config = parseConfig({
    HOST: process.env.HOST || '127.0.0.1',
    PORT: process.env.PORT,
    ADMIN_PORT: '0',
    LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
    LOG_REQUESTS: 'errors',
    SHUTDOWN_TIMEOUT_MS: '2000',
    ...PUBLIC_PAGES,
  });
  const demoStore = await startDemoStore();
  const closing: (() => Promise<void>)[] = [() => demoStore.stop()];
  // Silent at the start, where errors become one line, and at the end, where Redis is stopped on purpose.
  const logger = createLogger('silent', { write: () => {} });
  try {
    const filler = demoStore.connect(FILL_TIMEOUT_MS);
    closing.push(async () => filler.disconnect());
    await waitUntilReady(filler, FILL_TIMEOUT_MS, () => {});
    const core = openCore(filler, config.keyPrefix);
    const servers: DemoServer[] = [];
    for (const guild of DEMO_GUILDS) {
      const key = await fillDemoGuild(core, guild, Date.now());
      servers.push({ ...guild, requestsPerHour: config.planQuotas.get(guild.plan) ?? 0, key });
    }

    const connect = () => demoStore.connect(SERVICE_TIMEOUT_MS);
    const connections = { client: connect(), subscriber: connect() };
    const redis = demoStore.address ?? config.redis;
    const [shown] = DEMO_GUILDS;
    const grant = { guildId: shown.id, userId: '' };
    const dashboardLink = () => createInvite(core, dashboard.url, grant, DAY_S);
    const content = { servers, visitor: DEMO_VISITOR, rewards: DEMO_REWARDS };
    const page = demoPage({ ...content, redisUrl: demoStore.url, dashboardLink });
    const parts = { logger, store: connections, extraRoutes: page };
    const service = await createService({ ...config, redis }, parts);
    const server = await service.start().catch((error: Error) => {
      throw explain(error, config.port);
    });
    closing.push(() => server.close());
    // A browser cannot open the address that stands for all.
    const url = server.url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//127.0.0.1:');
    const dashboard = await startDemoDashboard(redis, connect, logger, url);
    closing.push(() => dashboard.close());
    const lines = welcome(url, demoStore.description, servers);
    process.stdout.write(`${lines.join('\n')}\n`);

    closing.push(
      startRising(core.writer, shown.id, CLIMBERS, (error) => logger.warn({ err: error }, 'the XP no longer rises')),
    );
    logger.level = config.logLevel;
    await Promise.race([stopped, demoStore.lost]);
  } finally {
    logger.level = 'silent';
    for (const close of closing.reverse()) await close();
  }
}

function welcome(url: string, store: string, servers: readonly DemoServer[]): string[] {
  const [shown] = servers as readonly [DemoServer];
  const api = `${url}/api/v1/servers/${shown.id}`;
  const curl = (target: string) => `  curl -sS -w '\\n' -H 'x-api-key: ${shown.key}' '${target}'`;
  return [
    `The demo of Guildrank is ready. Open ${url}/`,
    '',
    `Public page  ${url}/g/${shown.id}`,
    `API          ${url}/docs, with key and server filled in`,
    `Dashboard    ${url}/dashboard, which signs you in`,
    '',
    ...textTable(
      context,
      ['PLAN', 'REQUESTS/HOUR', 'GUILD', 'API KEY'],
      servers.map(({ plan, requestsPerHour, id, key }) => [plan, String(requestsPerHour), id, key]),
    ),
    '',
    `The top of the leaderboard, and ${DEMO_VISITOR.name}:`,
    curl(`${api}/leaderboard?limit=10`),
    curl(`${api}/members/${DEMO_VISITOR.id}`),
    '',
    `The data is in ${store}.`,
    'Ctrl-C ends the demo; nothing of it is kept.',
  ];
}

function explain(error: Error, port: number): Error {
  if (!/EADDRINUSE|EACCES/.test(error.message)) return error;
  const why = error.message.includes('EADDRINUSE') ? 'is taken' : 'is not allowed';
  return new Error(`Port ${port} ${why}: choose another, such as PORT=${otherThan(port)} npm run demo`);
}

/** Returns a port beside this port that every user may listen on. */
function otherThan(port: number): number {
  if (port < 1024) return 8080;
  return port === 65_535 ? 8081 : port + 1;
}
