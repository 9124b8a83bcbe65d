-- lib-row: a stored member as one text of lines: user id, XP, "ranked" or "hidden REASONS", its avatar ("" for
-- none), and the rest is its profile as in gr:{G}:members.

--- @include lib-reasons
--- @include lib-avatars

local function member_row(id, score, is_hidden, members_key, reasons_key, avatars_key)
  local place = is_hidden and 'hidden ' .. reasons_of(reasons_key, id) or 'ranked'
  local stored = redis.call('HGET', avatars_key, id)
  local avatar = type(stored) == 'string' and on_avatars().is_avatar(stored) and stored or ''
  return table.concat({ id, format_integer(whole_xp(score)), place, avatar, redis.call('HGET', members_key, id) or '' }, '\n')
end
