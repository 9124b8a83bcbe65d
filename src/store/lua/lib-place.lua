-- lib-place: takes members out of the ranking and the counters, or puts them back. They keep XP and profile.
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members

--- @include lib-change
--- @include lib-permissions
--- @include lib-member
--- @include lib-profile

-- Moves the members whose ids stand in ARGV from `first_arg` on. Returns the reply of hide.lua. All is read and checked before the first write.
local function change_place(hides, first_arg)
  local stats = read_stats(KEYS[2])
  local from_key, to_key = KEYS[hides and 1 or 4], KEYS[hides and 4 or 1]
  local curve = guild_curve(KEYS[3])
  local writes, moved = {}, {}

  for i = first_arg, #ARGV do
    local id = ARGV[i]
    if not is_valid_id(id) then
      return { 'REFUSED', i - first_arg, 'user_id' }
    end
    local score = not moved[id] and redis.call('ZSCORE', from_key, id)
    if score then
      moved[id] = true
      local other = redis.call('ZSCORE', to_key, id)
      local level = explicit_level(redis.call('HGET', KEYS[5], id))
      local xp = math.min(whole_xp(score) + (other and whole_xp(other) or 0), MAX_INTEGER)
      -- The member leaves the ranking with the XP that stands there, and enters it with all.
      local ranked = hides and score or other
      local before = ranked and { score = ranked, xp = whole_xp(ranked), explicit = level } or { xp = xp, explicit = level, is_hidden = true }
      change_member(stats, curve, id, before, { score = format_integer(xp), xp = xp, explicit = level, is_hidden = hides, joins = true })
      note_hidden(stats, KEYS[4], id, true)
      writes[#writes + 1] = { id, format_integer(xp) }
    end
  end
  if #writes == 0 then
    return { 'OK', stats.rev == '' and '0' or stats.rev, 0 }
  end

  require_permissions(from_key, 'ZREM')
  require_permissions(to_key, 'ZADD')
  local hidden = redis.call('ZCARD', KEYS[4])
  for _, write in ipairs(writes) do
    hidden = hidden + (hides and not redis.call('ZSCORE', KEYS[4], write[1]) and 1 or not hides and -1 or 0)
  end
  local rev = store_changes(stats, 'hidden', format_integer(hidden))
  if not rev then
    return { 'REFUSED', #ARGV - first_arg, 'total' }
  end
  for _, write in ipairs(writes) do
    redis.call('ZREM', from_key, write[1])
    redis.call('ZADD', to_key, write[2], write[1])
  end
  return { 'OK', rev, #writes }
end
