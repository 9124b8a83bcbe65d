-- undo: takes back a correction of one member (correct.lua), once. What the member gained since then stays.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members   KEYS[6] gr:{G}:season
-- KEYS[7], for the event of the correction, and KEYS[8], for the event of the undo: gr:{G}:event:ID. KEYS[8] must live as long as KEYS[7], so that a
--         correction is undone once.
-- ARGV[1] time to live of the event of the undo, 1 .. 86400000 ms
--
-- The XP changes by the difference that the correction made, in the other direction, but not below 0. Boards count this difference if they counted
-- the correction. An explicit level and a name become what they were before the correction, unless something has changed them since the correction.
--
-- Reply: the reply of record.lua with "each" for the member, then what became of the explicit level, and what became of the name. Each is "" if the
--         correction had not changed it, "back" if it is restored, or "left" if something has changed it since then.
--        {"GONE"} no such correction is kept, or {"SEASON"} a season has ended since then, or {"MISSING"} the user is not a member any more, or
--        {"REFUSED", 0, reason as in record.lua}   nothing was changed
-- A repeat has the reply as texts, with "repeated" at its end.
-- An error of Redis (READONLY, OOM, ...), MODEL or CURVE is the reply as it is; nothing was changed. O(log m).

--- @include lib-change
--- @include lib-permissions
--- @include lib-record
--- @include lib-event
--- @include lib-correction

-- Returns the change of the XP that takes a difference back.
local function xp_back(difference, kind, xp)
  if difference == 0 then
    return 'keep'
  elseif kind == 'set' then
    return format_integer(math.max(xp - difference, 0))
  end
  return (difference > 0 and 'take ' or 'add ') .. format_integer(math.abs(difference))
end

local function undo()
  local parts = kept_correction(KEYS[7])
  if not parts then
    return { 'GONE' }
  elseif parts.season ~= present_season(KEYS[6]) then
    return { 'SEASON' }
  end
  local id = parts.id
  local score = score_and_place(read_stats(KEYS[2]), KEYS[1], KEYS[4], id)
  if not score then
    return { 'MISSING' }
  end
  local xp, difference = whole_xp(score), parts.xp_after - parts.xp_before
  if xp - difference > MAX_INTEGER then
    return { 'REFUSED', 0, 'range' }
  end
  local level, _, _, name = split_profile(redis.call('HGET', KEYS[5], id))
  local level_state, name_state, profile = '', '', ''
  if parts.level_before ~= parts.level_after then
    level_state = level == parts.level_after and 'back' or 'left'
  end
  if parts.name_before ~= parts.name_after then
    name_state = in_one_line(name) == parts.name_after and 'back' or 'left'
  end
  if level_state == 'back' or name_state == 'back' then
    local level_back = parts.level_before == '-' and 'none' or parts.level_before
    profile = (level_state == 'back' and level_back or '-') .. ' - -'
    if name_state == 'back' then
      profile = profile .. ' ' .. of_one_line(parts.name_before)
    end
  end
  ARGV[1], ARGV[2], ARGV[3], ARGV[4] = 'each', xp_back(difference, parts.kind, xp), id, profile
  local reply = record(1)
  if reply[1] == 'OK' then
    reply[7], reply[8] = level_state, name_state
  end
  return as_reply(reply)
end

return once(KEYS[8], function()
  return 'undo'
end, undo)
