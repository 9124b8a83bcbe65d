import type { GuildWriter } from '../core/guild-writer.ts';
import type { CurveText } from '../core/ranking/curves.ts';
import type { GuildConfig } from '../core/settings/guild-config.ts';
import type { Store } from '../core/store/store.ts';
import type { FormatCurve } from './curve-choice.ts';
import type { LevelChoice } from './levels.ts';
import type { Reading } from './read-members.ts';

/** The parts that a load writes with. */
export interface LoadTarget extends Store {
  readonly writer: GuildWriter;
  readonly guildConfig: GuildConfig;
}

/** What a load reads, and how it writes the members. */
export interface LoadJob {
  readonly guild: string;
  readonly reading: Reading;
  /** Called when a request to stop need not end the process any more: the load ends by itself, soon. */
  readonly holdExit?: () => void;
  /** Puts the members in the place of the guild's own ones. */
  readonly replace: boolean;
  readonly plan: string | undefined;
  readonly curve: CurveText | undefined;
  readonly formatCurve: FormatCurve | undefined;
  /** Undefined = refuse levels that the curve does not give. */
  readonly levels: LevelChoice | undefined;
  /** Members that are told apart, as `DistinctMembers` takes it. */
  readonly maxDistinct: number;
  /** Stops the load after about so many new members. Each hidden one of the file counts, new or not. */
  readonly maxCreated?: number;
}
