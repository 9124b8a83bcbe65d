import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { StoreHealth } from '../../../../src/core/store/health.ts';
import { PATIENT } from '../../../support/wait.ts';

const failure = (message: string) => new StoreUnavailableError(new Error(message));
const silence = () => new StoreUnavailableError(new Error('no reply within 100 ms'), 'timeout');
const notWriteable = () => failure("Stream isn't writeable and enableOfflineQueue options is false");

describe('StoreHealth', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function make(idleMs = 1000, readRefusal = async (): Promise<string | undefined> => undefined) {
    const client = new EventEmitter();
    const probe = vi.fn<() => Promise<unknown>>().mockResolvedValue('OK');
    const lines: string[] = [];
    const seen = { counted: 0, uncounted: 0 };
    const traffic = () => ({ ...seen });
    const log = ({ reason }: { reason?: string }, message: string) => lines.push(`${reason ?? ''} ${message}`.trim());
    const logger = { error: log, warn: log, info: log };
    const now = () => performance.now();
    const health = new StoreHealth({
      client: client as unknown as RedisClient,
      probe,
      logger,
      where: 'R',
      now,
      idleMs,
      traffic,
      readRefusal,
    });
    return { client, probe, lines, health, seen };
  }

  /** Lets time pass, and promises settle. node:timers/promises is not faked, so a repeated check takes its real time. */
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('the store has a problem until the first check succeeds, and then checks Redis after each idle period', async () => {
    const { probe, health, lines } = make();
    expect(health.problem?.code).toBe('unreachable');
    await health.start();
    expect(health.problem).toBeUndefined();
    for (let second = 2; second < 5; second++) {
      await pass(1000);
      expect(probe).toHaveBeenCalledTimes(second);
    }
    expect(lines).toEqual([]);
  });

  it('an idle Redis is sent nothing before the idle period is over', async () => {
    const { probe, health } = make(15_000);
    await health.start();
    await pass(14_000);
    expect(probe).toHaveBeenCalledTimes(1);
    await pass(1000);
    expect(probe).toHaveBeenCalledTimes(2);
  });

  it('nothing is checked while requests are counted, and Redis is checked every second while they are only read', async () => {
    const { probe, health, seen } = make(15_000);
    await health.start();
    for (let second = 1; second <= 30; second++) {
      seen.counted++;
      seen.uncounted++;
      await pass(1000);
    }
    expect(probe).toHaveBeenCalledTimes(1);
    for (let second = 1; second <= 5; second++) {
      seen.uncounted++;
      await pass(1000);
    }
    expect(probe).toHaveBeenCalledTimes(6);
  });

  it('a single refusal is an outage, and the log has two lines for it', async () => {
    const { probe, health, lines } = make();
    await health.start();
    probe.mockRejectedValue(failure('READONLY You cannot'));
    await pass(1000);
    expect(health.problem?.code).toBe('READONLY');
    await pass(5000);
    probe.mockResolvedValue('OK');
    await pass(250);
    expect(health.problem).toBeUndefined();
    expect(lines).toEqual(['READONLY You cannot requests fail at R', 'back: R']);
  });

  it('a late reply is an outage only when the next reply is late too', async () => {
    const { probe, health, lines } = make();
    await health.start();
    probe.mockRejectedValueOnce(silence());
    await health.check();
    expect(health.problem).toBeUndefined();
    probe.mockRejectedValueOnce(silence()).mockRejectedValueOnce(silence());
    await health.check();
    expect(health.problem?.code).toBe('timeout');
    expect(lines).toEqual(['no reply within 100 ms requests fail at R']);
  });

  it('a lost connection is one line of the log, with its reason, however often it fails', async () => {
    const { client, probe, health, lines } = make();
    await health.start();
    probe.mockRejectedValue(notWriteable());
    client.emit('error', new Error('connect ECONNREFUSED'));
    client.emit('error', new Error('connect ECONNREFUSED'));
    await health.check();
    expect(health.problem?.reason).toBe('connect ECONNREFUSED');
    probe.mockResolvedValue('OK');
    client.emit('ready');
    await vi.waitFor(() => expect(health.problem).toBeUndefined(), PATIENT);
    client.emit('error', new AggregateError([], ''));
    expect(lines).toEqual(['connect ECONNREFUSED lost R', 'back: R', 'AggregateError lost R']);
  });

  it('the log has what the server says to a new connection, when it closes connections at once', async () => {
    const { client, probe, health, lines } = make(1000, async () => 'ERR max number of clients reached');
    await health.start();
    probe.mockRejectedValue(notWriteable());
    client.emit('error', new Error('write EPIPE'));
    expect(health.problem?.code).toBe('unreachable');
    await pass(0);
    expect(lines).toEqual(['ERR max number of clients reached lost R']);
  });

  it('the log has what the server says to a new connection, even when connections close without an error', async () => {
    const { client, probe, health, lines } = make(1000, async () => 'ERR max number of clients reached');
    await health.start();
    probe.mockRejectedValue(notWriteable());
    client.emit('close');
    await health.check();
    expect(health.problem?.code).toBe('unreachable');
    expect(lines).toEqual(['ERR max number of clients reached lost R']);
  });

  it('a failed request that is no outage is logged once a minute for each code', async () => {
    const { health, lines } = make();
    await health.start();
    const report = (message: string) => health.report(failure(message), {});
    await Promise.all([report('WRONGTYPE a'), report('WRONGTYPE b'), report('OOM c')]);
    await pass(59_000);
    await report('WRONGTYPE d');
    await pass(1000);
    await report('WRONGTYPE e');
    expect(lines).toEqual(['WRONGTYPE a', 'OOM c', 'WRONGTYPE e'].map((reason) => `${reason} store unavailable`));
  });

  it('failed requests of an outage are not logged, neither at its beginning nor just after its end', async () => {
    const { probe, health, lines } = make();
    await health.start();
    probe.mockRejectedValue(failure('OOM full'));
    await Promise.all([health.report(failure('OOM full'), {}), health.report(failure('OOM full'), {})]);
    await health.report(failure('OOM full'), {});
    probe.mockResolvedValue('OK');
    await pass(250);
    await health.report(silence(), {});
    expect(lines).toEqual(['OOM full requests fail at R', 'back: R']);
  });

  it('nothing is logged before the start is over, and afterwards what fails is logged at once', async () => {
    const { client, probe, health, lines } = make();
    probe.mockRejectedValue(failure('LOADING Redis is loading'));
    client.emit('error', new Error('connect ECONNREFUSED'));
    await health.check();
    expect(lines).toEqual([]);
    probe.mockRejectedValue(failure('READONLY x'));
    await health.start();
    expect(lines).toEqual(['READONLY x requests fail at R']);
  });

  it('nothing is checked once the health check is stopped', async () => {
    const { probe, health } = make();
    await health.start();
    health.stop();
    await pass(10_000);
    expect(probe).toHaveBeenCalledTimes(1);
  });
});

it.each([
  ['READONLY You cannot write', 'READONLY'],
  ["OOM command not allowed when used memory > 'maxmemory'. script: 1, on @user_script:2.", 'OOM'],
  ["ERR The user executing the script can't run this command or subcommand", 'NOPERM'],
  ['connect ECONNREFUSED 127.0.0.1:1', 'unreachable'],
  ["Stream isn't writeable and enableOfflineQueue options is false", 'unreachable'],
  ['Connection is closed.', 'unreachable'],
  ['Failed to refresh slots cache.', 'unreachable'],
  ["ERR unknown command 'evalsha'", 'other'],
  ['OOMPH', 'other'],
])('the failure "%s" has the code %s', (message, code) => {
  expect(failure(message).code).toBe(code);
});
