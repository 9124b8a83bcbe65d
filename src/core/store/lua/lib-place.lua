-- lib-place: takes members out of the ranking and the counters, or puts them back. They keep XP and profile.
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members

--- @include lib-change
--- @include lib-permissions
--- @include lib-member
--- @include lib-profile
--- @include lib-reasons
--- @include lib-lists

-- Gives members the places and the reasons that `reasons_after` says: this function gets a user id and the reasons before the change, "" for a ranked
-- member, and returns the reasons after the change. With `is_adding`, a user who is not a member becomes a hidden member with 0 XP. Returns "OK",
-- rev, the number of members that changed their place, and then "user id reasons" for each given member that is hidden now; or a refusal. Reads and
-- checks everything before the first write.
local function change_place(reasons_key, ids, reasons_after, is_adding)
  local stats = read_stats(KEYS[2])
  local xp_key, hidden_key, curve = KEYS[1], KEYS[4], guild_curve(KEYS[3])
  local writes, reply, seen, moved, hidden_more = {}, { 'OK', '', 0 }, {}, 0, 0

  local function move(id, ranked, hidden, after)
    local level = explicit_level(redis.call('HGET', KEYS[5], id))
    local xp = math.min((ranked and whole_xp(ranked) or 0) + (hidden and whole_xp(hidden) or 0), MAX_INTEGER)
    -- The member leaves the ranking with the XP that stands there, and enters it with all.
    local before = ranked and { score = ranked, xp = whole_xp(ranked), explicit = level } or { xp = xp, explicit = level, is_hidden = true }
    local place = { score = format_integer(xp), xp = xp, explicit = level, is_hidden = after ~= '', joins = true }
    change_member(stats, curve, id, before, place)
    moved = moved + 1
    if after == '' then
      hidden_more = hidden_more - 1
    elseif not hidden then
      hidden_more = hidden_more + 1
    end
    return format_integer(xp)
  end

  for i, id in ipairs(ids) do
    if not is_valid_id(id) then
      return { 'REFUSED', i - 1, 'user_id' }
    end
    local ranked = not seen[id] and redis.call('ZSCORE', xp_key, id)
    local hidden = not seen[id] and redis.call('ZSCORE', hidden_key, id)
    local is_new = is_adding and not seen[id] and not ranked and not hidden
    if ranked or hidden or is_new then
      seen[id] = true
      local before = hidden and reasons_of(reasons_key, id) or ''
      local after = reasons_after(id, before)
      local is_moving = (after == '' and hidden) or (after ~= '' and ranked)
      local xp
      if is_new then
        xp = '0'
        hidden_more = hidden_more + 1
      elseif is_moving then
        xp = move(id, ranked, hidden, after)
      end
      if xp or after ~= before then
        note_hidden(stats, hidden_key, id, true)
        writes[#writes + 1] = { id = id, reasons = after, xp = xp }
      end
      if after ~= '' then
        reply[#reply + 1] = id .. ' ' .. after
      end
    end
  end
  if #writes == 0 then
    reply[2] = stats.rev == '' and '0' or stats.rev
    return as_reply(reply)
  end

  require_permissions(xp_key, 'ZADD', 'ZREM')
  require_permissions(hidden_key, 'ZADD', 'ZREM')
  require_permissions(reasons_key, 'HSET', 'HDEL')
  local rev = store_changes(stats, 'hidden', format_integer(redis.call('ZCARD', hidden_key) + hidden_more))
  if not rev then
    return { 'REFUSED', #ids - 1, 'total' }
  end
  for _, write in ipairs(writes) do
    if write.xp then
      local is_shown = write.reasons == ''
      redis.call('ZREM', is_shown and hidden_key or xp_key, write.id)
      redis.call('ZADD', is_shown and xp_key or hidden_key, write.xp, write.id)
    end
    store_reasons(reasons_key, write.id, write.reasons)
  end
  reply[2], reply[3] = rev, moved
  return as_reply(reply)
end
