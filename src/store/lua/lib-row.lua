-- lib-row: a stored member as one text of lines: user id, XP, "ranked" | "hidden", and the rest is its profile as in gr:{G}:members.
local function member_row(id, score, is_hidden, members_key)
  local place = is_hidden and 'hidden' or 'ranked'
  return table.concat({ id, format_integer(whole_xp(score)), place, redis.call('HGET', members_key, id) or '' }, '\n')
end
