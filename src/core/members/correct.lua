-- correct: changes members for a person, as record.lua does, but passes over every user who is not a member. It changes everything or nothing, once
-- for its event. A correction of one member keeps what undo.lua needs.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members   KEYS[6] gr:{G}:season
-- KEYS[7], for the event: gr:{G}:event:ID, or gr:{G}:event-part:N:ID for a further call of a list. The event keeps the reply. A repeat changes
--         nothing, and has that reply as texts, with "repeated" at its end. Another call of the event is refused.
-- ARGV[1] time to live of the event, 1 .. 86400000 ms
-- ARGV[2..] per member: the change of the XP, the user id, and the change of the profile, as record.lua takes them
--
-- Reply: {"OK", rev, how many users were passed over, and eight texts about the member: the text that record.lua returns for it with "each", the user
--        id, the season ("" for none), the explicit level before and after ("-" for none), the name before and after (with \n for a line end and
--        \\ for \), and "gain" for XP that boards count, else "set". For a list, and for a user who is no member, the eight texts are ""}
--        {"REFUSED", index from 0, reason as in record.lua}   nothing was changed
-- An error of Redis (READONLY, OOM, ...), MODEL or CURVE is the reply as it is; nothing was changed. O(n log m).

--- @include lib-change
--- @include lib-permissions
--- @include lib-record
--- @include lib-event
--- @include lib-correction

-- Lets record() pass over the users who are not members. Returns the number of these users.
local function pass_over_others()
  local stats, passed = read_stats(KEYS[2]), 0
  for i = 1, #ARGV - 2, 3 do
    if not score_and_place(stats, KEYS[1], KEYS[4], ARGV[i + 1]) then
      ARGV[i], ARGV[i + 2] = 'keep', ''
      passed = passed + 1
    end
  end
  return passed
end

local function correct_list(passed)
  local reply = record(1)
  if reply[1] ~= 'OK' then
    return reply
  end
  return { 'OK', reply[2], passed, '', '', '', '', '', '', '', '' }
end

local function correct_one()
  local change, id, profile = ARGV[1], ARGV[2], ARGV[3]
  local season = present_season(KEYS[6])
  local level, _, _, name = split_profile(redis.call('HGET', KEYS[5], id))
  ARGV[1], ARGV[2], ARGV[3], ARGV[4] = 'each', change, id, profile
  local reply = record(1)
  if reply[1] ~= 'OK' then
    return reply
  end
  local level_after, _, _, name_after = split_profile(redis.call('HGET', KEYS[5], id))
  local word = string.match(change, '^%l+')
  local kind = (word == 'add' or word == 'take') and 'gain' or 'set'
  return { 'OK', reply[2], 0, reply[6], id, season, level, level_after, in_one_line(name), in_one_line(name_after), kind }
end

return once(KEYS[7], function()
  return name_correction(table.concat(ARGV, '\n'))
end, function()
  local passed = pass_over_others()
  if #ARGV == 3 and passed == 0 then
    return correct_one()
  end
  return correct_list(passed)
end)
