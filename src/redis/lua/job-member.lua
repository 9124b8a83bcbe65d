-- member: XP, rank and profile of one member, as of one moment. Reply: "" when the guild is at `held`; else rev, rank from 0 or -1
-- for no such member, XP, curve, username, level, daily_streak, last_daily_claim; each "" when there is none. O(log m).
local function member(guild, user_id, held)
  local rev = redis.call('HGET', guild.stats, 'rev')
  if held ~= '' and rev == held then
    return ''
  end
  local score = redis.call('ZSCORE', guild.xp, user_id)
  if not score then
    return line(rev) .. '\n-1\n\n\n\n\n\n'
  end
  local profile = redis.call('HMGET', guild.member .. user_id, 'username', 'level', 'daily_streak', 'last_daily_claim')
  return table.concat({
    line(rev),
    redis.call('ZREVRANK', guild.xp, user_id),
    score,
    line(redis.call('HGET', guild.config, 'xp_curve')),
    line(profile[1]),
    line(profile[2]),
    line(profile[3]),
    line(profile[4]),
  }, '\n')
end
