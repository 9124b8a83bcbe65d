-- member: reads XP, rank and profile of one member. Reply: "" when the guild is at revision `cached`; else rev and rank from 0
-- (-1 = the user is not ranked; then nothing follows), XP, curve, and profile as in gr:{G}:members. A missing value is "". O(log m).
local function member(guild, user_id, cached)
  local rev = revision(guild)
  if cached ~= '' and rev == cached then
    return ''
  end
  local base = guild.base
  local xp = base .. 'xp'
  local score = redis.call('ZSCORE', xp, user_id)
  if not score then
    return { rev, -1 }
  end
  local curve = curve_text(base .. 'config')
  return { rev, redis.call('ZREVRANK', xp, user_id), score, curve, redis.call('HGET', base .. 'members', user_id) or '' }
end
