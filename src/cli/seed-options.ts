import type { CurveText } from '../core/ranking/curves.ts';
import type { FieldMap } from '../imports/fields.ts';
import type { FormatName } from '../imports/formats.ts';
import type { LevelChoice } from '../imports/level-check.ts';
import type { GuildOptions } from './arguments.ts';

/** The options of `seed`. */
export interface SeedOptions extends GuildOptions {
  readonly file?: readonly string[];
  readonly generate?: number;
  readonly randomSeed: string;
  readonly format?: FormatName;
  readonly map?: FieldMap;
  readonly sourceGuild?: string;
  readonly curve?: CurveText;
  readonly levels?: LevelChoice;
  readonly plan?: string;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly strict?: boolean;
  readonly rules?: boolean;
  readonly refused?: string;
}
