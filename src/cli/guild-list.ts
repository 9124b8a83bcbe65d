import { isUnreadable } from '../core/errors.ts';
import { digits } from '../core/format-numbers.ts';
import { findGuilds } from '../core/guilds/guild-directory.ts';
import { type Overview, readOverview } from '../core/guilds/overview.ts';
import type { GuildOptions } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { textTable } from './table.ts';
import { print } from './terminal.ts';
import { planQuotasOf, withCore } from './with-core.ts';

/** Guilds that are read at once: seven commands each. */
const GUILDS_AT_ONCE = 50;

/** A guild whose data cannot be read. */
interface Unreadable {
  readonly guild: string;
  readonly unreadable: true;
}

/** Prints every guild with its plan, members, number of API keys and public page. O(all Redis keys), in small steps. */
export async function listGuilds(context: CommandContext, { json }: Pick<GuildOptions, 'json'>): Promise<void> {
  const planQuotas = planQuotasOf(context);
  const { guilds, pattern } = await withCore(context, async (core) => {
    const found: (Overview | Unreadable)[] = [];
    const ids = await findGuilds(core);
    const read = (guild: string): Promise<Overview | Unreadable> =>
      readOverview(core, planQuotas, guild).catch((error) => {
        if (isUnreadable(error)) return { guild, unreadable: true };
        throw error;
      });
    for (let from = 0; from < ids.length; from += GUILDS_AT_ONCE) {
      found.push(...(await Promise.all(ids.slice(from, from + GUILDS_AT_ONCE).map(read))));
    }
    return { guilds: found, pattern: core.redisKeys.guild('ID').xp };
  });
  print(context, json, { guilds }, () =>
    guilds.length === 0
      ? `There is no guild: no Redis key looks like ${pattern}. Check REDIS_URL and KEY_PREFIX.`
      : textTable(context, ['GUILD', 'PLAN', 'MEMBERS', 'API KEYS', 'PUBLIC PAGE'], guilds.map(rowOf), {
          alignRight: [2, 3],
        }),
  );
}

function rowOf(listed: Overview | Unreadable): readonly string[] {
  if ('unreadable' in listed) return [listed.guild, '?', '?', '?', 'its data cannot be read: run doctor'];
  const { guild, plan, ranked, keys, public_page, page_title } = listed;
  return [guild, plan, digits(ranked), digits(keys), public_page ? page_title || 'on' : 'off'];
}
