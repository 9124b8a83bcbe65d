import { InvalidInputError } from '../../errors.ts';
import type { RedisClient } from '../../store/client.ts';
import { publishInvalidation } from '../../store/invalidation.ts';
import type { RedisKeys } from '../../store/keys.ts';
import { defineScript } from '../../store/script.ts';
import type { Scripts } from '../../store/scripts.ts';
import type { CounterAudit } from '../counters/counters.ts';
import type { CurveText } from '../ranking/curves.ts';

export const configure = defineScript('configure', ['stats', 'config']);

/** The config fields to change. A field left out stays as it is. */
export interface GuildConfigChange {
  readonly plan?: string;
  readonly xpCurve?: CurveText;
  readonly xpMultiplier?: number;
}

/** Changes the configuration of guilds. */
export class GuildConfig {
  constructor(
    private readonly client: RedisClient,
    private readonly scripts: Scripts,
    private readonly redisKeys: RedisKeys,
    private readonly audit: CounterAudit,
  ) {}

  /**
   * Stores config fields, raises the revision and publishes the invalidation. Two round trips, O(1). A new curve moves
   * every computed level, so it is stored with recounted counters: O(n log n), see {@link CounterAudit.rebuild}.
   * @throws InvalidInputError when the change is empty.
   * @throws StoreUnavailableError
   */
  async update(guildId: string, change: GuildConfigChange): Promise<void> {
    const fields = toFields(change);
    if (fields.length === 0) throw new InvalidInputError('Nothing to set: give a plan, a curve or a multiplier');
    if (change.xpCurve === undefined) await this.store(guildId, fields);
    else await this.audit.rebuild(guildId, { curve: change.xpCurve, fields });
    await publishInvalidation(this.client, this.redisKeys, guildId);
  }

  private async store(guildId: string, fields: readonly string[]): Promise<void> {
    await configure(this.scripts, this.redisKeys.guild(guildId), fields);
  }
}

/** Returns the change as configure.lua reads it: field, value, ... */
function toFields({ plan, xpCurve, xpMultiplier }: GuildConfigChange): string[] {
  const fields: string[] = [];
  if (plan !== undefined) fields.push('plan', plan);
  if (xpCurve !== undefined) fields.push(...curveFields(xpCurve));
  if (xpMultiplier !== undefined) fields.push('xp_multiplier', String(xpMultiplier));
  return fields;
}

/** Returns a curve as fields of a config: field, value, ... */
export function curveFields(curve: CurveText): string[] {
  const [name, coefficients] = curve.split('=') as [string, string?];
  return coefficients === undefined ? ['xp_curve', name] : ['xp_curve', name, 'xp_curve_custom', coefficients];
}
