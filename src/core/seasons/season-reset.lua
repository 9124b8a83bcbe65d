-- season-reset: subtracts the marked XP of some members, and removes their explicit levels. XP gained since the mark stays.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:season   KEYS[7] gr:{G}:season:xp   KEYS[8] gr:{G}:next:xp:lock
-- KEYS[9] gr:{G}:hidden:reasons   KEYS[10] gr:{G}:avatars
-- ARGV[1] token of the lock   ARGV[2] number of marked members
--
-- Reply: {"OK", marked members left, how many are reset}, {"AGAIN"} when season-end-copy.lua was lost in a failover, {"REFUSED", 0, "lock"}
--        when the lock has another token, or {"REFUSED", 0, "total"} when a counter would leave 64 bits. Nothing was changed then.
-- O(n log m) for n members of m.

--- @include lib-change
--- @include lib-permissions
--- @include lib-member
--- @include lib-profile
--- @include lib-reasons
--- @include lib-lock

local count = ARGV[2]
local SEASON_KEY, MARKS_KEY, REASONS_KEY, AVATARS_KEY = KEYS[6], KEYS[7], KEYS[9], KEYS[10]
local stats = read_stats(KEYS[2])

local function store_without_level(id, value)
  local _, streak, claim, name = split_profile(value)
  local changed = join_profile('-', streak, claim, name)
  if changed == '- 0 -' then
    redis.call('HDEL', KEYS[5], id)
  else
    redis.call('HSET', KEYS[5], id, changed)
  end
end

return under_lock(KEYS[8], ARGV[1], function()
  local phase, rest = unpack(redis.call('HMGET', SEASON_KEY, 'phase', 'rest'))
  if phase == 'copy' then
    return { 'AGAIN' }
  end
  local curve = guild_curve(KEYS[3])
  local marks = redis.call('ZRANGE', MARKS_KEY, 0, count - 1, 'WITHSCORES')
  local writes, hidden = {}, stats.hidden and redis.call('ZCARD', KEYS[4]) or 0
  for i = 1, #marks, 2 do
    local id, marked = marks[i], marks[i + 1]
    local score, is_hidden = score_and_place(stats, KEYS[1], KEYS[4], id)
    if score then
      local profile = redis.call('HGET', KEYS[5], id)
      local old, level = whole_xp(score), explicit_level(profile)
      local xp = math.max(old - whole_xp(marked), 0)
      -- A member hidden by "self" or "moderator" stays: if it were removed, its next message would put it into the ranking.
      local goes = xp == 0 and rest == 'drop' and (not is_hidden or reasons_of(REASONS_KEY, id) == 'left')
      hidden = is_hidden and goes and hidden - 1 or hidden
      redis.call('HGET', AVATARS_KEY, id)
      local after = not goes and { score = format_integer(xp), xp = xp, is_hidden = is_hidden }
      change_member(stats, curve, id, { score = score, xp = old, explicit = level, is_hidden = is_hidden }, after)
      writes[#writes + 1] = { is_hidden and KEYS[4] or KEYS[1], id, profile, not goes and format_integer(xp) }
    end
  end
  require_permissions(KEYS[1], 'ZADD', 'ZREM')
  require_permissions(KEYS[4], 'ZADD', 'ZREM')
  require_permissions(MARKS_KEY, 'ZREMRANGEBYRANK', 'ZCARD')
  require_permissions(KEYS[5], 'HSET', 'HDEL')
  require_permissions(REASONS_KEY, 'HDEL')
  require_permissions(AVATARS_KEY, 'HDEL')
  if writes[1] and not store_changes(stats, 'hidden', format_integer(hidden)) then
    return { 'REFUSED', 0, 'total' }
  end
  for _, write in ipairs(writes) do
    local key, id, profile, xp = unpack(write)
    if xp then
      redis.call('ZADD', key, xp, id)
      if explicit_level(profile) then
        store_without_level(id, profile)
      end
    else
      redis.call('ZREM', key, id)
      redis.call('HDEL', KEYS[5], id)
      redis.call('HDEL', REASONS_KEY, id)
      redis.call('HDEL', AVATARS_KEY, id)
    end
  end
  redis.call('ZREMRANGEBYRANK', MARKS_KEY, 0, count - 1)
  return { 'OK', redis.call('ZCARD', MARKS_KEY), #marks / 2 }
end)
