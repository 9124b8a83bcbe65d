-- replace-carry: hides or shows members in the replacement as the guild does now (lib-carry.lua).
--
-- KEYS[1] gr:{G}:next:xp   KEYS[2] gr:{G}:next:stats   KEYS[3] gr:{G}:next:config   KEYS[4] gr:{G}:next:hidden   KEYS[5] gr:{G}:next:members
-- KEYS[6] gr:{G}:next:carried   KEYS[7] gr:{G}:next:xp:lock   KEYS[8] gr:{G}:next:hidden:reasons   KEYS[9] gr:{G}:next:avatars
-- KEYS[10] gr:{G}:hidden   KEYS[11] gr:{G}:members   KEYS[12] gr:{G}:hidden:reasons   KEYS[13] gr:{G}:avatars
-- ARGV[1] token of the lock   ARGV[2..] user ids
--
-- Reply: as reply_of_change in lib-carry.lua, or {"REFUSED", 0, "lock"} when the lock has another token. Nothing was changed after a refusal.
-- O(n log m) for n user ids.

--- @include lib-carry

staged = { xp = KEYS[1], stats = KEYS[2], config = KEYS[3], hidden = KEYS[4], members = KEYS[5], carried = KEYS[6], reasons = KEYS[8], avatars = KEYS[9] }
present = { hidden = KEYS[10], members = KEYS[11], reasons = KEYS[12], avatars = KEYS[13] }

return under_lock(KEYS[7], ARGV[1], function()
  return reply_of_change(carry, { unpack(ARGV, 2) })
end)
