-- member: reads XP, rank and profile of one member. Reply: "" when the guild is at revision `cached`; else rev, rank from 0
-- (-1 = no such member), XP, curve, username, level, daily_streak, last_daily_claim; each "" when there is none. When the call declares
-- its keys and lacks the member's: "?", then the user id. O(log m).
local function member(guild, user_id, cached)
  local rev = revision(guild)
  if cached ~= '' and rev == cached then
    return ''
  end
  require_known_guild(guild)
  local base = guild.base
  if guild.declared and not guild.declared[base .. 'member:' .. user_id] then
    return '?\n' .. user_id
  end
  local score = redis.call('ZSCORE', base .. 'xp', user_id)
  if not score then
    return escape_field(rev) .. '\n-1\n\n\n\n\n\n'
  end
  local profile = redis.call('HMGET', base .. 'member:' .. user_id, 'username', 'level', 'daily_streak', 'last_daily_claim')
  return table.concat({
    escape_field(rev),
    redis.call('ZREVRANK', base .. 'xp', user_id),
    score,
    curve_field(base .. 'config', redis.call('HGET', base .. 'config', 'xp_curve')),
    escape_field(profile[1]),
    escape_field(profile[2]),
    escape_field(profile[3]),
    escape_field(profile[4]),
  }, '\n')
end
