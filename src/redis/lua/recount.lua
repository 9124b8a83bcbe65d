-- recount: computes the counters over a range of ranks and, on request, stores them.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config
-- ARGV[1] prefix of the member keys   ARGV[2] the curve table   ARGV[3] name of the curve to count with, or "" for the guild's
-- ARGV[4] first and ARGV[5] last rank from 0
-- ARGV[6] "commit" to store the sums as counters and ARGV[7..] (field, value, ...) in the config; else ""
--
-- Reply: {rev, members, XP hi, XP lo (the sum is hi * 10^8 + lo), level sum, members in the ranking,
--         and as stored before the call: members, total_xp, level_sum}, digits or ""
-- O(n) for n ranks. Redis serves nobody else meanwhile, so callers read in slices.

--- @include lib-level
--- @include lib-counters

local curve = ARGV[3] ~= '' and curve_named(ARGV[2], ARGV[3]) or guild_curve(KEYS[3], ARGV[2])
local sums = new_sums()
local first, last = tonumber(ARGV[4]), tonumber(ARGV[5])
local total = redis.call('ZCARD', KEYS[1])
if last < 0 or last >= total then
  last = total - 1
end
for from = first, last, 1000 do
  local rows = redis.call('ZREVRANGE', KEYS[1], format_integer(from), format_integer(math.min(from + 999, last)), 'WITHSCORES')
  for i = 1, #rows, 2 do
    local xp = whole_xp(rows[i + 1])
    local level = explicit_level(redis.call('HGET', ARGV[1] .. rows[i], 'level'))
    add_to_sums(sums, xp, level or level_of(curve, xp), 1)
  end
end

local function text(value)
  return type(value) == 'string' and value or ''
end

local stored = redis.call('HMGET', KEYS[2], 'rev', 'members', 'total_xp', 'level_sum')
local rev = text(stored[1])
if ARGV[6] == 'commit' then
  redis.call('HSET', KEYS[2], 'members', format_integer(sums.members), 'level_sum', format_integer(sums.levels), 'total_xp', '0')
  add_total(KEYS[2], sums.hi, sums.lo)
  rev = bump_revision(KEYS[2])
  for i = 7, #ARGV, 2 do
    redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
  end
end
return {
  rev, format_integer(sums.members), format_integer(sums.hi), format_integer(sums.lo), format_integer(sums.levels), total,
  text(stored[2]), text(stored[3]), text(stored[4]),
}
