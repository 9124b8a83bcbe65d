-- lib-row: a stored member as one text of lines: user id, XP, "ranked" or "hidden REASONS", and the rest is its profile as in gr:{G}:members.

--- @include lib-reasons

local function member_row(id, score, is_hidden, members_key, reasons_key)
  local place = is_hidden and 'hidden ' .. reasons_of(reasons_key, id) or 'ranked'
  return table.concat({ id, format_integer(whole_xp(score)), place, redis.call('HGET', members_key, id) or '' }, '\n')
end
