import type { CommandObserver, RedisClient } from './scripts.ts';

/** Returns the client with every command reported, for the few commands that are not scripts. */
export function observedClient(client: RedisClient, observe: CommandObserver): RedisClient {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const sentAt = performance.now();
        const reply: unknown = value.apply(target, args);
        if (!(reply instanceof Promise)) return reply;
        const report = (failed: boolean) => observe(String(name), performance.now() - sentAt, failed);
        reply.then(
          () => report(false),
          () => report(true),
        );
        return reply;
      };
    },
  });
}
