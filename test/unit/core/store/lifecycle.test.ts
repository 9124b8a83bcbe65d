import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { listen } from '../../../../src/core/store/lifecycle.ts';

/** A connection whose answers to SUBSCRIBE a test decides. */
class Connection extends EventEmitter {
  status = 'connecting';
  readonly subscribe = vi.fn<(channel: string) => Promise<unknown>>().mockResolvedValue(1);
}
const connection = () => {
  const fake = new Connection();
  return { fake, client: fake as unknown as RedisClient };
};

describe('listen', () => {
  it('each new connection subscribes, and says that something may have been missed', async () => {
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

  it('a connection that is there subscribes at once', () => {
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
