import type { CurveText } from '../core/ranking/curves.ts';
import type { GuildConfig } from '../core/settings/guild-config.ts';
import type { Store } from '../core/store/store.ts';
import type { FormatCurve } from './curve-choice.ts';
import type { LevelChoice } from './level-check.ts';
import type { Reading } from './read-members.ts';

/** The parts that an import writes with. */
export interface ImportTarget extends Store {
  readonly guildConfig: GuildConfig;
}

/** What an import reads, and how it writes the members. */
export interface ImportJob {
  readonly guild: string;
  readonly reading: Reading;
  /** Called from the moment at which a signal must no longer end the process: the import ends by itself, soon. */
  readonly holdExit?: () => void;
  /** Whether the members replace the present members of the guild. */
  readonly replace: boolean;
  readonly plan: string | undefined;
  readonly curve: CurveText | undefined;
  readonly formatCurve: FormatCurve | undefined;
  /** Undefined = refuse the import if levels differ from the curve. */
  readonly levels: LevelChoice | undefined;
  /** Most members that are told apart, as for `DistinctMembers`. */
  readonly maxDistinct: number;
  /** Stops the import after about this number of new members. Each hidden member of the file counts, new or not. */
  readonly maxCreated?: number;
}
