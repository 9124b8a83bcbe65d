-- hide: takes members out of the ranking and the counters, or puts them back. They keep XP and profile, and gain on while hidden.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden (sorted set: user id -> XP)
-- KEYS[5] gr:{G}:members
-- ARGV[1] "hide" | "unhide"   ARGV[2..] user ids
--
-- Reply: {"OK", rev, members that changed their place}, or {"REFUSED", index from 0, "user_id" | "total"}; nothing was changed.
-- A user who is no member, or in that place already, is passed over. A member that a raw writer put into the ranking while it was hidden
-- has the XP of both places. O(n log m).

--- @include lib-place

return change_place(ARGV[1] == 'hide', 2)
