import type { Store } from '../store/store.ts';
import type { CommandBatcher } from './command-batcher.ts';

/** A store that also reads many guilds in one command. */
export interface ReadStore extends Store {
  readonly commands: CommandBatcher;
}
