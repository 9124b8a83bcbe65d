-- replace: puts the staged members in the place of all present ones, with the curve that they were staged with. A member that is hidden in
-- the guild stays hidden: with the staged XP and profile, or with its own when it is not staged. Ranking, profiles, counters, curve and
-- revision change at one moment.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:next:xp   KEYS[7] gr:{G}:next:stats   KEYS[8] gr:{G}:next:config   KEYS[9] gr:{G}:next:hidden   KEYS[10] gr:{G}:next:members
-- KEYS[11] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock   ARGV[2..] user ids of staged members to hide
--
-- Reply: {"OK", members in the ranking}, or {"REFUSED", 0, "lock"} when the lock has another token, or {"REFUSED", 0, "total"} when a counter would
--        leave 64 bits; nothing was changed.
--        Without staged members nothing is changed either. O(h log m) for h members that are hidden or to hide; Redis frees the old members beside other work.

--- @include lib-change
--- @include lib-permissions
--- @include lib-lock
--- @include lib-profile

local LOCK = KEYS[11]
if not holds_lock(LOCK, ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
if redis.call('ZCARD', KEYS[6]) == 0 then
  return { 'OK', redis.call('ZCARD', KEYS[1]) }
end
local stats, counted = read_stats(KEYS[2]), read_stats(KEYS[7])
local curve = guild_curve(KEYS[8])

-- Staged members that are hidden in the guild, or to hide, leave the staged ranking. Hidden members that are not staged keep their profile.
local hiding, kept, seen = {}, {}, { [ARGV[1]] = true }
local hidden_ids = redis.call('ZRANGE', KEYS[4], 0, -1)
local hidden = #hidden_ids
for from, ids in ipairs({ hidden_ids, ARGV }) do
  for _, id in ipairs(ids) do
    local score = not seen[id] and redis.call('ZSCORE', KEYS[6], id)
    if score then
      local before = { score = score, xp = whole_xp(score), explicit = explicit_level(redis.call('HGET', KEYS[10], id)) }
      change_member(counted, curve, id, before, nil)
      hiding[#hiding + 1] = { id, score }
      hidden = from == 1 and hidden or hidden + 1
    elseif from == 1 then
      kept[#kept + 1] = id
    end
    seen[id] = true
  end
end
local members, total_xp, level_sum = changed_counters(counted)
if not members then
  return { 'REFUSED', 0, 'total' }
end

require_permissions(KEYS[1], 'UNLINK', 'ZREM', 'ZCARD')
require_permissions(KEYS[2], 'HSET')
require_permissions(KEYS[3], 'HSET')
require_permissions(KEYS[4], 'ZADD')
require_permissions(KEYS[5], 'UNLINK', 'HMGET')
require_permissions(KEYS[6], 'RENAME')
require_permissions(KEYS[10], 'EXISTS', 'RENAME', 'HSET')
require_permissions(KEYS[7], 'UNLINK')
require_permissions(LOCK, 'PEXPIRE')

local config, rev = redis.call('HGETALL', KEYS[8]), next_revision(stats.rev)
redis.call('HSET', KEYS[3], unpack(config))
-- A running count of the old members does not see this revision, and begins again.
local counters = { 'members', members, 'total_xp', total_xp, 'level_sum', level_sum, 'hidden', format_integer(hidden) }
redis.call('HSET', KEYS[2], 'rev', rev, 'model', MODEL, unpack(counters))
-- In slices, because Lua's stack bounds the arguments of a call.
for first = 1, #kept, 1000 do
  local ids = { unpack(kept, first, math.min(first + 999, #kept)) }
  local profiles = {}
  for i, value in ipairs(redis.call('HMGET', KEYS[5], unpack(ids))) do
    if type(value) == 'string' then
      profiles[#profiles + 1] = ids[i]
      profiles[#profiles + 1] = value
    end
  end
  if profiles[1] then
    redis.call('HSET', KEYS[10], unpack(profiles))
  end
end
redis.call('UNLINK', KEYS[1], KEYS[5])
redis.call('RENAME', KEYS[6], KEYS[1])
if redis.call('EXISTS', KEYS[10]) == 1 then
  redis.call('RENAME', KEYS[10], KEYS[5])
end
for _, each in ipairs(hiding) do
  redis.call('ZREM', KEYS[1], each[1])
  redis.call('ZADD', KEYS[4], each[2], each[1])
end
redis.call('UNLINK', KEYS[7], KEYS[8])
renew_lock(LOCK)
return { 'OK', redis.call('ZCARD', KEYS[1]) }
