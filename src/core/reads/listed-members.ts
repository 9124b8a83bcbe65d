import { GUILD_KEYS } from '../store/redis-keys.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';

/** Members of one step. */
interface ListedMembers {
  /** Where the next step begins; "0" at the end. */
  readonly cursor: string;
  /** Ranked members of the guild. */
  readonly ranked: number;
  readonly userIds: readonly string[];
}

/** Lists members in steps: the ranked members, the hidden members, or the hidden members with the reason "left". */
export const listScript = defineScript({
  name: 'list',
  keys: [...GUILD_KEYS, 'hiddenReasons'],
  args: ({ kind, cursor }: { kind: 'ranked' | 'hidden' | 'left'; cursor: string }) => [kind, cursor],
  decode: ([cursor, ranked, ...userIds]: ScriptReply): ListedMembers => ({
    cursor: String(cursor),
    ranked: Number(ranked),
    userIds: userIds.map(String),
  }),
});
