-- hide: gives members a reason to be hidden, or lifts a reason. While a member has a reason, the member is out of the ranking and the counters, but
-- keeps XP and profile, and can still gain XP.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden (sorted set: user id -> XP)
-- KEYS[5] gr:{G}:members   KEYS[6] gr:{G}:hidden:reasons (hash: user id -> "left", "self", "moderator", in this order, with spaces
--         between; a hidden member without a value is hidden by "moderator")
-- ARGV[1] "hide" | "unhide" | "add", which hides, and makes a user who is not a member a hidden member with 0 XP
-- ARGV[2] reason: "left" | "self" | "moderator"   ARGV[3..] user ids
--
-- Reply: {"OK", rev, members that changed their place}, then "user id reasons" for each of the named members that is hidden now;
--        or {"REFUSED", index from 0, "user_id" | "argument" | "total"}; nothing was changed.
-- "hide" and "unhide" pass over a user who is not a member. A member that already has the reason, or lacks a reason to lift, stays as it is. A member
-- that a raw writer put into the ranking while it was hidden has the XP of both places. O(n log m).

--- @include lib-place

local mode, reason = ARGV[1], ARGV[2] or ''
if (mode ~= 'hide' and mode ~= 'unhide' and mode ~= 'add') or changed_reasons(reason) ~= reason or string.find(reason, ' ') or reason == '' then
  return { 'REFUSED', 0, 'argument' }
end
local ids = {}
for i = 3, #ARGV do
  ids[i - 2] = ARGV[i]
end
return change_place(KEYS[6], ids, function(_, before)
  return changed_reasons(before, reason, mode ~= 'unhide')
end, mode == 'add')
