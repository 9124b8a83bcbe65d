import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../dev/embedded-redis.ts';
import { startCollector } from './collector.ts';
import type { ConstantReply } from './contenders/constant.ts';
import { BASELINES, type ContenderName, SERVICE_VARIANTS } from './contenders.ts';
import { prepareNginx } from './nginx.ts';
import { onCore } from './pinning.ts';
import { type ServerProcess, startProcess } from './processes.ts';
import { beforeCommand, type Runtime, serviceCommand } from './runtime.ts';
import { makeScratch } from './scratch.ts';
import type { Testbed } from './testbed.ts';

export interface RunningContender extends ServerProcess {
  readonly name: ContenderName;
}

const SERVICE_ENV = { ADMIN_PORT: '0', PLAN_QUOTAS: 'free=1000000000,pro=1000000000', LOG_REQUESTS: 'errors' };

/**
 * Starts a contender on the server core.
 * @param reply the answer that the two bare servers repeat.
 * @throws if it does not start.
 */
export async function startContender(
  testbed: Testbed,
  name: ContenderName,
  reply?: ConstantReply,
): Promise<RunningContender> {
  const port = await freePort();
  const log = name === 'logs on' ? openLog() : undefined;
  const nginx = name === 'nginx' ? await prepareNginx(testbed, port) : undefined;
  const collector = name.startsWith('traces') ? await startCollector() : undefined;
  const variant = SERVICE_VARIANTS[name];
  const server = await startProcess({
    command: onCore(testbed.pinning.serverCore, nginx?.command ?? nodeCommand(testbed.runtime, name)),
    env: {
      REDIS_URL: testbed.redis.url,
      ...(variant && { ...SERVICE_ENV, ...variant }),
      ...(collector && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }),
      REPLY: JSON.stringify(reply ?? null),
    },
    port,
    ...(log && { stdout: log.file }),
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    collector?.stop();
    log?.remove();
    nginx?.remove();
  };
  return { ...server, name, stop };
}

function nodeCommand(runtime: Runtime, name: ContenderName): readonly string[] {
  if (name === 'before') return beforeCommand(runtime);
  const baseline = BASELINES[name];
  return baseline ? [runtime.node, `dist/bench/scripts/bench/contenders/${baseline}.js`] : serviceCommand(runtime);
}

function openLog(): { readonly file: number; remove(): void } {
  const scratch = makeScratch();
  const file = openSync(join(scratch.folder, 'requests.log'), 'w');
  const remove = (): void => {
    closeSync(file);
    scratch.remove();
  };
  return { file, remove };
}
