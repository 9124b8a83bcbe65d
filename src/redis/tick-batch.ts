/**
 * Collects what arrives while the event loop handles one round of I/O and hands it over, grouped by key, when the round
 * is done. Whatever joins a group joined before anything was sent for it, so one answer is as fresh for all of them.
 */
export class TickBatch<T> {
  private groups = new Map<string, T[]>();

  constructor(private readonly flush: (key: string, items: T[]) => void) {}

  add(key: string, item: T): void {
    if (this.groups.size === 0) setImmediate(this.drain);
    const group = this.groups.get(key);
    if (group) group.push(item);
    else this.groups.set(key, [item]);
  }

  private readonly drain = (): void => {
    const { groups } = this;
    this.groups = new Map();
    for (const [key, items] of groups) this.flush(key, items);
  };
}
