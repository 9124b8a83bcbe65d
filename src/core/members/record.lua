-- record: sets or adds the XP of one or more members, with profile fields. It changes everything or nothing.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6], for a call with avatars: gr:{G}:avatars (hash: user id -> avatar). The key of an event then comes after it.
-- KEYS[6], for a call that is done once for an event: gr:{G}:event:ID. ARGV then begins with its time to live, 1 .. 86400000 ms. The event keeps
--         the reply. A repeat changes nothing, and has that reply as texts, with "repeated" at its end. Another call of the event is refused.
-- ARGV[1] "each" for a reply that names each member; may be left out   ARGV[2] "avatars" for a call with avatars, else left out
-- ARGV[3..] per member: the change of the XP, the user id, the change of the profile, and, in a call with avatars, the avatar
-- XP: "N" sets it. "hidden N" sets it too, and makes a user who is not a member a hidden member. "add N" adds; N may be negative. "take N" subtracts
-- as much as is there. "level N" sets the least XP of a level on the guild's curve; the explicit level stays, so give "none - -" too. "keep" leaves
-- the XP as it is. "keep" and "take" pass over a user who is not a member. A hidden member stays hidden.
-- Profile: "" for no change, or "LEVEL STREAK CLAIM", and then a space and the name to its end when the name changes, "" for no name. LEVEL, STREAK
-- and CLAIM are digits ("-" before the digits of a claim before 1970; a claim is in ms since 1970), "none", or "-" for the stored value.
-- Avatar: 32 hex digits, with "a_" before the digits of an animated avatar; "none" removes it, "" leaves it as it is.
-- A member named twice is recorded twice, in order.
--
-- Reply: {"OK", rev, members new to the ranking, XP and level of the last member named}; with "each" then a text for each member:
--        XP and level before, XP and level after, and "new" | "ranked" | "hidden" | "none" (no member: passed over), with spaces between
--        {"REFUSED", index from 0, "user_id" | "xp" | "range" | "level" | "field" | "argument" | "total" | "event"}   nothing was changed
-- An error of Redis (READONLY, OOM, ...), MODEL or CURVE is the reply as it is; nothing was changed.
-- O(n log m) for n members recorded in a guild of m.

--- @include lib-change
--- @include lib-permissions
--- @include lib-record
--- @include lib-event

local avatars_key = take_avatars_key(6)

return once(KEYS[6], function()
  local text = table.concat(ARGV, '\n')
  return 'record ' .. digest_of(text)
end, function()
  return record(1, avatars_key)
end)
