-- recount-commit: goes on with a count as recount-step.lua does. The call that ends the count stores the sums as counters.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- ARGV[1] token of the count   ARGV[2] members to count in this call, 1 to 2000
-- ARGV[3..] fields and values to store in the config with the counters
--
-- Reply: as the reply of recount-step.lua. At the end, rev is the new revision.

--- @include lib-recount

-- Returns the state of the boards with the counters that were counted.
local function counted_boards()
  local parts = { boards.clock }
  for i, board in ipairs(boards.list) do
    parts[i + 1] = table.concat({ board.name, format_integer(board.period), counted_on(board) }, ':')
  end
  return table.concat(parts, ' ')
end

return count_step(ARGV[1], tonumber(ARGV[2]), function(state, done)
  local total_xp, level_sum = format_sum(state.hi, state.lo), format_sum(state.level_hi, state.level_lo)
  if not total_xp or not level_sum then
    error('the members of ' .. KEYS[1] .. ' add up to more than 64 bits, lower their XP or levels', 0)
  end
  require_permissions(KEYS[3], 'HSET', 'HLEN')
  require_permissions(stats.key, 'HDEL')
  redis.call('HLEN', KEYS[3])
  local hidden = redis.call('ZCARD', KEYS[4])
  stats.recount = nil
  local fields = { 'members', format_integer(state.members), 'total_xp', total_xp, 'level_sum', level_sum, 'hidden', format_integer(hidden) }
  if boards then
    fields[9], fields[10] = 'boards', counted_boards()
  end
  -- Without an explicit level, XP alone tells again how many members have a level.
  stats.meets_explicit = state.has_explicit
  done[2] = write_stats(stats, unpack(fields))
  if not state.has_explicit then
    redis.call('HDEL', stats.key, 'explicit')
  end
  for i = 3, #ARGV, 2 do
    redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
  end
end)
