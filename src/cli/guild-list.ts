import { digits } from '../count.ts';
import { findGuilds } from '../guild/overview/guild-directory.ts';
import { type Overview, readOverview } from '../guild/overview/overview.ts';
import type { GuildOptions } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { planQuotasOf, withServices } from './services.ts';
import { table } from './table.ts';
import { print } from './terminal.ts';

/** Guilds that are read at once: seven commands each. */
const GUILDS_AT_ONCE = 50;

/** Prints every guild with its plan, members, number of API keys and public page. O(all Redis keys), in small steps. */
export async function listGuilds(context: CommandContext, { json }: Pick<GuildOptions, 'json'>): Promise<void> {
  const planQuotas = planQuotasOf(context);
  const guilds = await withServices(context, async (services) => {
    const found: Overview[] = [];
    const ids = await findGuilds(services);
    for (let from = 0; from < ids.length; from += GUILDS_AT_ONCE) {
      const step = ids.slice(from, from + GUILDS_AT_ONCE);
      found.push(...(await Promise.all(step.map((id) => readOverview(services, planQuotas, id)))));
    }
    return found;
  });
  print(context, json, { guilds }, () =>
    guilds.length === 0
      ? ['There is no guild.']
      : table(context, ['GUILD', 'PLAN', 'MEMBERS', 'API KEYS', 'PUBLIC PAGE'], guilds.map(rowOf), {
          alignRight: [2, 3],
        }),
  );
}

function rowOf({ guild, plan, ranked, keys, public_page, page_title }: Overview): readonly string[] {
  return [guild, plan, digits(ranked), digits(keys), public_page ? page_title || 'on' : 'off'];
}
