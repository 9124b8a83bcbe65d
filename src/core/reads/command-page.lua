-- page: reads one leaderboard page and the total. Reply: "" when the guild is at revision `cached`; else rev, total and curve, "" for a missing
-- value; user id, XP, user id, ... of the rows; and their profiles as in gr:{G}:members. O(log m + rows).
local function page(guild, first, last, cached)
  local rev = revision(guild)
  if cached ~= '' and rev == cached then
    return ''
  end
  local base = guild.base
  local xp = base .. 'xp'
  local rows = redis.call('ZREVRANGE', xp, first, last, 'WITHSCORES')
  local ids, n = {}, 0
  for i = 1, #rows, 2 do
    n = n + 1
    ids[n] = rows[i]
  end
  local profiles = n > 0 and redis.call('HMGET', base .. 'members', unpack(ids)) or ids
  return { rev, redis.call('ZCARD', xp), curve_text(base .. 'config'), rows, profiles }
end
