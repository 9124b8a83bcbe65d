import { Redis, type RedisOptions } from 'ioredis';
import { EARLIEST, TimeoutQueue } from './timeouts.ts';

/**
 * A connection that gives up on a command after some time, as ioredis does with `commandTimeout`, but by time in which this process runs.
 * When it was kept from running, by a limit on its CPU or a busy host, ioredis gives up on every command before it reads the replies that
 * came meanwhile; this one reads them first.
 */
export class RedisWithTimeout extends Redis {
  private readonly timeouts: TimeoutQueue;

  constructor(
    options: RedisOptions,
    /** How long a command may take. */
    private readonly timeoutMs: number,
  ) {
    super(options);
    // A command has all of its time.
    this.timeouts = new TimeoutQueue(timeoutMs / EARLIEST);
  }

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    const release = this.timeouts.add(() => command.reject(new Error(`no reply within ${this.timeoutMs} ms`)));
    command.promise.then(release, release);
    return super.sendCommand(command, stream);
  }
}
