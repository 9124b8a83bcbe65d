import type { RedisClient } from '../../src/core/store/client.ts';
import { BOARD_KINDS, type BoardKind } from '../../src/core/store/redis-keys.ts';

/** In one step, because a bot may write at the same time. */
const END = `local text = redis.call('HGET', KEYS[1], 'boards')
for _, kind in ipairs(text and ARGV or {}) do
  for _, board in ipairs({ kind, kind .. '%.prev' }) do
    text = string.gsub(text, '(' .. board .. ':)(%d+)', function(name, period) return name .. string.format('%.0f', period - 1) end)
  end
end
return text and redis.call('HSET', KEYS[1], 'boards', text)`;

/** Puts the end of the present week and month of a guild with boards into the past: its next write rolls the boards over. */
export async function endBoards(
  client: Pick<RedisClient, 'eval'>,
  guild: string,
  kinds: readonly BoardKind[] = BOARD_KINDS,
): Promise<void> {
  await client.eval(END, 1, `gr:{${guild}}:stats`, ...kinds);
}
