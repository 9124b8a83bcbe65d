import { defineConfig } from 'vitest/config';
import { LeftOutReporter } from './test/support/left-out-reporter.ts';
import { processes, tier } from './vitest.config.ts';

/** Suites of the other tiers that the long tier runs again, with these settings. */
const atLength = [
  'test/browser/{dashboard,dashboard-data,docs-firefox,widget-author,widget-engines,widget-engines-page,widget-tabs}.test.ts',
  'test/deploy/{proxies,rolling-restart}.test.ts',
  'test/fault/{connection-faults,crash-safety,fuzz,memory-bounds,redis-faults,slow-clients}.test.ts',
  'test/http/public/{documents,page-safety}.test.ts',
  'test/integration/bot/{award,boards,bot-model,card,correct,events,find,sync-members,time-zones}.test.ts',
  'test/integration/{guild-deletion,hidden-members,leaderboard-model,level-parity,replacement}.test.ts',
  'test/packages/{conformance,frameworks,generators,python}.test.ts',
  'test/process/{shutdown,standard-output}.test.ts',
  'test/topology/{failover,guild-move,moving-kit,resharding,topology}.test.ts',
  'test/unit/core/{access/caps,access/usage,counters/counters,ranking/curves,settings/time-zone}.test.ts',
  'test/unit/{imports/exporters,imports/round-trip,pictures/card,service/serving/request-batcher}.test.ts',
];
const FULL_LENGTH = {
  ALL_VARIANTS: '1',
  CRASH_RUNS: '50',
  FAULT_SECONDS: '10',
  FUZZ_RUNS: '100000',
  HOARD_REQUESTS: '100000',
  IDLE_CONNECTIONS: '5000',
  KIT_MOVES: '40',
  MOVE_MEMBERS: '1000000',
  PLANNED_FAILOVERS: '4',
  PROXY_VISITORS: '500',
  PROXY_BUSY_S: '70',
  PROXY_OUTAGE_S: '61',
  PROXY_HURRY: '1',
  RESHARD_ORDERS: '100',
  RESHARD_ANSWERS: '10000',
  SHUTDOWN_RUNS: '50',
  UNREAD_REQUESTS: '60000',
};

// npm run test:long, by hand. A configuration of its own: a run of single files must not run them at length.
export default defineConfig({
  test: {
    reporters: ['default', new LeftOutReporter()],
    maxWorkers: 1,
    projects: [
      tier('long', '', {
        include: ['test/long/**/*.test.ts', ...atLength],
        env: FULL_LENGTH,
        globalSetup: processes,
      }),
    ],
  },
});
