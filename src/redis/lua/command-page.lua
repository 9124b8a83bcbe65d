-- page: reads one leaderboard page and the total. Reply: "" when the guild is at revision `cached`; else rev, total, curve,
-- then for each row user id, XP, username, level; each "" when there is none. O(log m + rows).
local function page(guild, first, last, cached)
  local rev = revision(guild)
  if cached ~= '' and rev == cached then
    return ''
  end
  local base = guild.base
  local xp, profiles = base .. 'xp', base .. 'member:'
  local out = { escape_field(rev), redis.call('ZCARD', xp), escape_field(redis.call('HGET', base .. 'config', 'xp_curve')) }
  local n = 3
  local rows = redis.call('ZREVRANGE', xp, first, last, 'WITHSCORES')
  for i = 1, #rows, 2 do
    local profile = redis.call('HMGET', profiles .. rows[i], 'username', 'level')
    out[n + 1], out[n + 2], out[n + 3], out[n + 4] = escape_field(rows[i]), rows[i + 1], escape_field(profile[1]), escape_field(profile[2])
    n = n + 4
  end
  return table.concat(out, '\n')
end
