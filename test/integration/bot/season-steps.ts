import type { ScriptClient } from '../../../src/core/store/scripts.ts';
import type { SeasonModel } from '../../model/season-model.ts';

/** A client whose calls wait until a test lets them go on one by one. */
export class SteppedClient implements ScriptClient {
  private waiting: { run(): Promise<void>; fail(error: Error): void } | undefined;
  private arrived: () => void = () => {};
  private isKilled = false;

  /** @param season is told of each call with its reply. */
  constructor(
    private readonly client: ScriptClient,
    private readonly season: SeasonModel,
  ) {}

  evalsha(): Promise<unknown> {
    return Promise.reject(new Error('NOSCRIPT each call is sent with its source, which names the script'));
  }

  eval(source: string, count: number, ...rest: (string | number)[]): Promise<unknown> {
    if (this.isKilled) return Promise.reject(new Error('killed'));
    return new Promise((resolve, reject) => {
      const run = async () => {
        const script = /^-- (\S+):/.exec(source)?.[1] ?? '';
        const args = rest.slice(count).map(String);
        const reply = this.client.eval(source, count, ...rest);
        await reply.then((value) => this.season.follow(script, args, value)).catch(() => {});
        await reply.then(resolve, reject);
      };
      this.waiting = { run, fail: reject };
      this.arrived();
    });
  }

  /** Lets one call run, when there is one or comes one, or the work ends. */
  async step(work: Promise<unknown>): Promise<void> {
    await (await this.next(work))?.run();
  }

  /** Fails the next call, when there is one or comes one, and all after it. */
  async kill(work: Promise<unknown>): Promise<void> {
    const call = await this.next(work);
    this.isKilled = true;
    call?.fail(new Error('killed'));
    await work.catch(() => {});
  }

  private async next(work: Promise<unknown>) {
    if (!this.waiting) {
      const arrival = new Promise<void>((resolve) => {
        this.arrived = resolve;
      });
      await Promise.race([arrival, work.catch(() => {})]);
    }
    const call = this.waiting;
    this.waiting = undefined;
    return call;
  }
}
