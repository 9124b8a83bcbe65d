-- remove: erases members, ranked or hidden, with their profiles, cooldowns and marks of a season's end.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:season:xp
-- KEYS[6..] per user id, two keys: gr:{G}:member:U and gr:{G}:cooldown:U
-- A call of an older version has KEYS[4..] gr:{G}:member:U per user id, or no further keys. It leaves cooldowns, which end by themselves, and
-- marks. A Cluster refuses it while it moves the guild's slot if it reads undeclared keys.
-- ARGV[1] prefix of the member keys   ARGV[2] a curve table, "" = the built-in one   ARGV[3..] user ids
--
-- Reply: number of them that were members; at 0, rev stays as it is.
-- An error of Redis (READONLY, OOM, ...), MODEL or CURVE is the reply as it is; nothing was changed. O(n log m).

--- @include lib-level
--- @include lib-counters
--- @include lib-recount
--- @include lib-permissions
--- @include lib-stable-slot
--- @include lib-member

local xp_key, member_prefix, curves = KEYS[1], ARGV[1], ARGV[2]
local hidden_key = string.sub(xp_key, 1, -3) .. 'hidden'
local is_complete = KEYS[4] == hidden_key
local named = KEYS[4] ~= nil
local stats = read_stats(KEYS[2])
if not named or (stats.hidden and not is_complete) then
  require_stable_slot(xp_key)
end
local curve = guild_curve(KEYS[3], curves)
local sums, removed, unhidden, found = new_sums(), 0, 0, {}

for i = 3, #ARGV do
  local id = ARGV[i]
  local member_key, place = member_prefix .. id, is_complete and 2 * i or i + 1
  if named and KEYS[place] ~= member_key then
    error('KEYS[' .. place .. '] is not ' .. member_key, 0)
  end
  local level = explicit_level(redis.call('HGET', member_key, 'level'))
  local score, is_hidden = nil, false
  if not found[id] then
    score, is_hidden = score_and_place(stats, xp_key, hidden_key, id)
  end
  if score then
    found[id] = true
    removed = removed + 1
    if is_hidden then
      unhidden = unhidden + 1
    else
      -- A raw writer can have put a hidden member into the ranking too.
      unhidden = unhidden + (stats.hidden and redis.call('ZSCORE', hidden_key, id) and 1 or 0)
      local xp = whole_xp(score)
      add_to_sums(sums, xp, level or level_of(curve, xp), -1)
      correct_recount(stats, curves, id, score, level, -1)
    end
  end
end

require_permissions(xp_key, 'ZREM')
require_permissions(member_prefix .. 'x', 'DEL')
if unhidden > 0 then
  require_permissions(hidden_key, 'ZREM')
end
if is_complete and KEYS[7] then
  require_permissions(KEYS[5], 'ZREM')
  require_permissions(KEYS[7], 'DEL')
end
if removed > 0 then
  local hidden = unhidden > 0 and format_integer(redis.call('ZCARD', hidden_key) - unhidden)
  if not apply_sums(stats, sums, unpack(hidden and { 'hidden', hidden } or {})) then
    error('a counter of ' .. stats.key .. ' would leave 64 bits, run stats rebuild', 0)
  end
end
for i = 3, #ARGV do
  local id = ARGV[i]
  redis.call('ZREM', xp_key, id)
  redis.call('DEL', member_prefix .. id)
  if unhidden > 0 then
    redis.call('ZREM', hidden_key, id)
  end
  if is_complete then
    redis.call('ZREM', KEYS[5], id)
    redis.call('DEL', KEYS[2 * i + 1])
  end
end
return removed
