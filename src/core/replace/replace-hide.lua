-- replace-hide: hides the staged members that the file hides.
--
-- KEYS[1] gr:{G}:next:xp   KEYS[2] gr:{G}:next:stats   KEYS[3] gr:{G}:next:config   KEYS[4] gr:{G}:next:hidden   KEYS[5] gr:{G}:next:members
-- KEYS[6] gr:{G}:next:carried   KEYS[7] gr:{G}:next:xp:lock   KEYS[8] gr:{G}:next:hidden:reasons
-- ARGV[1] token of the lock   ARGV[2..] per member: user id, and the reasons of the file. A user who is not staged is left out.
--
-- Reply: as reply_of_change in lib-carry.lua, or {"REFUSED", 0, "lock"} when the lock has another token. Nothing was changed after a refusal.
-- O(n log m) for n user ids.

--- @include lib-carry

staged = { xp = KEYS[1], stats = KEYS[2], config = KEYS[3], hidden = KEYS[4], members = KEYS[5], carried = KEYS[6], reasons = KEYS[8] }

return under_lock(KEYS[7], ARGV[1], function()
  local ids, reasons = {}, {}
  for i = 2, #ARGV, 2 do
    ids[#ids + 1], reasons[ARGV[i]] = ARGV[i], ARGV[i + 1]
  end
  return reply_of_change(function(id)
    hide_staged(id, reasons[id])
  end, ids)
end)
