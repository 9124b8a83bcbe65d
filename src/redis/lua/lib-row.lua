-- lib-row: a stored member as one text of lines: user id, XP, "ranked" | "hidden", username, level, daily_streak, last_daily_claim.

--- @include lib-fields

local function member_row(id, score, is_hidden, member_key)
  local row = { id, format_integer(whole_xp(score)), is_hidden and 'hidden' or 'ranked' }
  local profile = redis.call('HMGET', member_key, 'username', 'level', 'daily_streak', 'last_daily_claim')
  for f = 1, 4 do
    row[f + 3] = escape_field(profile[f])
  end
  return table.concat(row, '\n')
end
