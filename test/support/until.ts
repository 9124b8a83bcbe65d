import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until `probe` returns something true. Calls it every ten milliseconds; after a rejection only if `retry` is set.
 * Tests use `vi.waitFor`.
 * @throws after `timeoutMs`, naming what was waited for.
 */
export async function until<T>(
  probe: () => T | Promise<T>,
  {
    what = () => 'the condition',
    timeoutMs = 30_000,
    retry = false,
  }: { what?: () => string; timeoutMs?: number; retry?: boolean } = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value as NonNullable<T>;
    } catch (error) {
      if (!retry) throw error;
      last = error;
    }
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms for ${what()}`, { cause: last });
    await delay(10);
  }
}
