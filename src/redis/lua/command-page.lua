-- page: reads one leaderboard page and the total. Reply: "" when the guild is at revision `cached`; else rev, total, curve,
-- then for each row user id, XP, username, level; each "" when there is none. When the call declares its keys and lacks that of a row:
-- "?", then the user ids of all rows. O(log m + rows).

local function lacks_key_of_row(guild, rows)
  for i = 1, #rows, 2 do
    if not guild.declared[guild.base .. 'member:' .. rows[i]] then
      return true
    end
  end
  return false
end

local function ask_for_rows(rows)
  local out = { '?' }
  for i = 1, #rows, 2 do
    out[#out + 1] = escape_field(rows[i])
  end
  return table.concat(out, '\n')
end

local function page(guild, first, last, cached)
  local rev = revision(guild)
  if cached ~= '' and rev == cached then
    return ''
  end
  require_known_guild(guild)
  local base = guild.base
  local xp, profiles = base .. 'xp', base .. 'member:'
  local rows = redis.call('ZREVRANGE', xp, first, last, 'WITHSCORES')
  if guild.declared and lacks_key_of_row(guild, rows) then
    return ask_for_rows(rows)
  end
  local out = { escape_field(rev), redis.call('ZCARD', xp), curve_field(base .. 'config', redis.call('HGET', base .. 'config', 'xp_curve')) }
  local n = 3
  for i = 1, #rows, 2 do
    local profile = redis.call('HMGET', profiles .. rows[i], 'username', 'level')
    out[n + 1], out[n + 2], out[n + 3], out[n + 4] = escape_field(rows[i]), rows[i + 1], escape_field(profile[1]), escape_field(profile[2])
    n = n + 4
  end
  return table.concat(out, '\n')
end
