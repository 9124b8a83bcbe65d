-- remove: removes members from the ranking, with their profiles.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config
-- KEYS[4..] per user id: gr:{G}:member:U. They may be left out, all of them, as in record.lua.
-- ARGV[1] prefix of the member keys   ARGV[2] a curve table, "" = the built-in one   ARGV[3..] user ids
--
-- Reply: number of them that were in the ranking; at 0, rev stays as it is.
-- An error of Redis (READONLY, OOM, ...) is the reply as it is; nothing was changed. O(n log m).

--- @include lib-level
--- @include lib-counters
--- @include lib-recount
--- @include lib-permissions
--- @include lib-stable-slot

local xp_key, member_prefix, curves = KEYS[1], ARGV[1], ARGV[2]
local named = KEYS[4] ~= nil
if not named then
  require_stable_slot(xp_key)
end
local stats = read_stats(KEYS[2])
local curve = guild_curve(KEYS[3], curves)
local sums, removed, found = new_sums(), 0, {}

for i = 3, #ARGV do
  local id = ARGV[i]
  local member_key = member_prefix .. id
  if named and KEYS[i + 1] ~= member_key then
    error('KEYS[' .. i + 1 .. '] is not ' .. member_key, 0)
  end
  local level = explicit_level(redis.call('HGET', member_key, 'level'))
  local score = not found[id] and redis.call('ZSCORE', xp_key, id)
  if score then
    found[id] = true
    removed = removed + 1
    local xp = whole_xp(score)
    add_to_sums(sums, xp, level or level_of(curve, xp), -1)
    correct_recount(stats, curves, id, score, level, -1)
  end
end

require_permissions(xp_key, 'ZREM')
require_permissions(member_prefix .. 'x', 'DEL')
if removed > 0 and not apply_sums(stats, sums) then
  error('a counter of ' .. stats.key .. ' would leave 64 bits, run stats rebuild', 0)
end
for i = 3, #ARGV do
  redis.call('ZREM', xp_key, ARGV[i])
  redis.call('DEL', member_prefix .. ARGV[i])
end
return removed
