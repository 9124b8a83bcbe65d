import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { listen, waitUntilReady } from '../../../src/redis/lifecycle.ts';
import type { RedisClient } from '../../../src/redis/redis-client.ts';

/** A connection whose answers to PING and SUBSCRIBE a test decides. */
class Connection extends EventEmitter {
  status = 'connecting';
  readonly ping = vi.fn<() => Promise<unknown>>();
  readonly subscribe = vi.fn<(channel: string) => Promise<unknown>>().mockResolvedValue(1);
}
const connection = () => {
  const fake = new Connection();
  return { fake, client: fake as unknown as RedisClient };
};

describe('waitUntilReady', () => {
  it('waits for the first answer, and leaves nothing behind', async () => {
    const { fake, client } = connection();
    fake.ping.mockRejectedValueOnce(new Error('not yet')).mockResolvedValue('PONG');
    const onWait = vi.fn();
    await waitUntilReady(client, 5000, onWait);
    expect(fake.ping).toHaveBeenCalledTimes(2);
    expect(onWait).not.toHaveBeenCalled();
    expect(fake.eventNames()).toEqual([]);
  });

  it('throws in the end what the connection met, and not that it could not be written to', async () => {
    const { fake, client } = connection();
    fake.ping.mockImplementation(async () => {
      fake.emit('error', new Error('ECONNREFUSED'));
      throw new Error('not writeable');
    });
    await expect(waitUntilReady(client, 60, () => {})).rejects.toThrow('ECONNREFUSED');
  });

  it('takes a refusal of PING because Redis cannot save to its disk for an answer', async () => {
    const { fake, client } = connection();
    fake.ping.mockRejectedValue(new Error('MISCONF Redis is configured to save RDB snapshots, but'));
    await waitUntilReady(client, 60_000, () => {});
    expect(fake.ping).toHaveBeenCalledTimes(1);
  });

  it.each(['error', 'node error'])(
    'gives up at once when an %s says that the credentials are refused',
    async (event) => {
      const { fake, client } = connection();
      fake.ping.mockImplementation(async () => {
        fake.emit(event, new Error('WRONGPASS invalid'));
        fake.emit('error', new Error('closed'));
        throw new Error('not writeable');
      });
      await expect(waitUntilReady(client, 60_000, () => {})).rejects.toThrow('WRONGPASS');
      expect(fake.ping).toHaveBeenCalledTimes(1);
    },
  );

  it('tells once of a wait that is more than a moment', async () => {
    const { fake, client } = connection();
    const onWait = vi.fn();
    fake.ping.mockImplementation(async () => {
      if (onWait.mock.calls.length === 0 || fake.ping.mock.calls.length < 15) throw new Error('away');
    });
    await waitUntilReady(client, 10_000, onWait);
    expect(onWait).toHaveBeenCalledExactlyOnceWith(new Error('away'));
  });
});

describe('listen', () => {
  it('subscribes with every connection, and says that something may have been missed', async () => {
    const { fake, client } = connection();
    const onGap = vi.fn();
    const onMessage = vi.fn();
    listen(client, 'gr:changed', onMessage, onGap);
    expect(fake.subscribe).not.toHaveBeenCalled();
    fake.emit('ready');
    await expect.poll(() => onGap.mock.calls.length).toBe(1);
    fake.subscribe.mockRejectedValueOnce(new Error('broken again'));
    fake.emit('ready');
    fake.emit('ready');
    await expect.poll(() => onGap.mock.calls.length).toBe(2);
    expect(fake.subscribe.mock.calls).toEqual(Array(3).fill(['gr:changed']));
    fake.emit('message', 'gr:changed', 'g');
    expect(onMessage.mock.calls).toEqual([['g']]);
  });

  it('subscribes at once on a connection that is there', () => {
    const { fake, client } = connection();
    fake.status = 'ready';
    listen(client, 'gr:changed', vi.fn(), vi.fn());
    expect(fake.subscribe).toHaveBeenCalledTimes(1);
  });
});

it('a failure of the store says why for the log, whatever the cause', () => {
  expect(new StoreUnavailableError(new Error('LOADING')).reason).toBe('LOADING');
  expect(new StoreUnavailableError(new RangeError('')).reason).toBe('RangeError');
  expect(new StoreUnavailableError('late').reason).toBe('late');
  expect(new StoreUnavailableError('late').name).toBe('StoreUnavailableError');
});
