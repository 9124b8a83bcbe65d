-- record: sets or adds the XP of one or more members, with profile fields. It changes everything or nothing.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config
-- KEYS[4..] per member, in the order of the arguments: gr:{G}:member:U. They may be left out, all of them: then a Cluster refuses the
--         call while it moves the guild's slot, and a server that allows no undeclared keys refuses it always.
-- ARGV[1] prefix of the member keys, gr:{G}:member:
-- ARGV[2] a curve table (see lib-level.lua), "" = the built-in one. A guild whose curve it lacks is refused by the error CURVE.
-- ARGV[3..] per member: "set" | "add", user id, XP digits (an add may be negative), number of field pairs,
--           then field, value, ... (username, level, daily_streak, last_daily_claim; an empty value deletes the field)
-- A member named twice is recorded twice, in order.
--
-- Reply: {"OK", rev, members new to the ranking, XP and level of the last member named}
--        {"REFUSED", index from 0, "user_id" | "key" | "xp" | "range" | "field" | "total"}   nothing was changed
-- An error of Redis (READONLY, OOM, ...) is the reply as it is; nothing was changed.
-- O(n log m) for n members recorded in a guild of m.

--- @include lib-level
--- @include lib-counters
--- @include lib-recount
--- @include lib-permissions
--- @include lib-stable-slot
--- @include lib-record

return record(4, 3)
