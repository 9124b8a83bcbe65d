import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { findOnPath } from '../../scripts/dev/embedded-redis.ts';
import { CONCLUSIVE, untilConclusive } from '../support/conclusive.ts';
import { nodeArguments } from '../support/entry.ts';
import { needs } from '../support/needs.ts';
import { jsonLines } from '../support/process.ts';
import { watchProcessorLag } from '../support/processor-lag.ts';
import { repository } from '../support/run-command.ts';
import { PATIENT } from '../support/wait.ts';
import { load, prepare, serving } from './two-workers.ts';

/** A longer pause of the test process or of a worker shows a busy machine. */
const QUIET_LAG_MS = 20;

const script = findOnPath(['script']);

it('two workers cut no request when Ctrl-C in a terminal reaches all processes at once', {
  ...CONCLUSIVE,
  ...needs('redis-server', 'script'),
}, async (context) => {
  const prepared = await prepare(context);
  await untilConclusive('Ctrl-C in a terminal', async () => {
    // In a terminal the signal goes to the whole foreground process group.
    const command = `exec ${[process.execPath, ...nodeArguments(['src/service/main.ts'])].join(' ')}`;
    const terminal = startChild(script as string, ['-qec', command, '/dev/null'], {
      cwd: repository,
      env: { PATH: process.env.PATH, SHELL: '/bin/sh', ...prepared.env },
      stdin: 'pipe',
    });
    context.onTestFinished(terminal.stop);
    const lines = jsonLines(terminal.stdout);
    await vi.waitFor(() => expect(serving(lines), 'workers that serve').toBe(2), PATIENT);
    const pids = lines().find((line) => Array.isArray(line.pids))?.pids as number[];
    const sent = load(context, prepared, 300);
    await vi.waitFor(() => expect(sent.answers.length).toBeGreaterThan(300), PATIENT);
    const stopWatching = watchProcessorLag(pids);
    terminal.child.stdin?.write('\x03');
    expect(await terminal.waitForEnd()).toEqual({ code: 0, signal: null });
    const lag = Math.max(sent.worstLag(), stopWatching());
    // Once the port is closed, a connection is refused before a request is sent.
    const others = (await sent.stop()).filter(({ status, error }) => status !== 200 && error !== 'ECONNREFUSED');
    expect(others.filter(({ error }) => error !== 'ECONNRESET')).toEqual([]);
    // The terminal shows ^C before one of the lines.
    expect(terminal.output().match(/: draining"/g)).toHaveLength(3);
    expect(terminal.output().match(/"stopped"/g)).toHaveLength(3);
    for (const pid of pids) expect(() => readFileSync(`/proc/${pid}/status`)).toThrow();
    // A connection can come between the last look for one and the close of the port, which a busy machine draws apart.
    const broken = others.map(
      ({ sentAt, took }) => `a new connection was reset after ${took} ms, sent at ${sentAt} ms`,
    );
    return {
      broken,
      noise: lag > QUIET_LAG_MS ? `one of the processes was held up for ${Math.round(lag)} ms` : undefined,
    };
  });
});
