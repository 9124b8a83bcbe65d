-- season-place: puts members of an archive where they stand in the guild, ranked or hidden, with the same reasons.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:next:xp:lock   KEYS[7] gr:{G}:hidden:reasons
-- ARGV[1] token of the lock   ARGV[2..] per member: user id, and its reasons as KEYS[7] has them, "" for a ranked member
--
-- Reply: as of hide.lua, or {"REFUSED", 0, "lock"} when the lock has another token. A user whom the archive does not have is left out.
-- O(n log m) for n members of m.

--- @include lib-place
--- @include lib-lock

-- read_stats refuses data of a newer version, before anything else.
read_stats(KEYS[2])
return under_lock(KEYS[6], ARGV[1], function()
  local ids, reasons = {}, {}
  for i = 2, #ARGV, 2 do
    local id = ARGV[i]
    ids[#ids + 1], reasons[id] = id, changed_reasons(ARGV[i + 1])
  end
  return change_place(KEYS[7], ids, function(id)
    return reasons[id]
  end)
end)
