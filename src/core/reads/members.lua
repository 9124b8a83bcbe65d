-- members: reads members as they are stored, ranked or hidden.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:hidden:reasons   KEYS[7] gr:{G}:avatars
-- ARGV user ids
--
-- Reply: {rev, name of the curve ("custom=a,b,c,d,q,m" for a custom curve), then per user id a text as lib-row.lua says, "" for a user who is not a
--        member}. O(n log m) for n user ids.

--- @include lib-counters
--- @include lib-guild
--- @include lib-member
--- @include lib-row

local stats = read_stats(KEYS[2])
local reply = { stats.rev, curve_text(KEYS[3]) }
for i = 1, #ARGV do
  local score, is_hidden = score_and_place(stats, KEYS[1], KEYS[4], ARGV[i])
  reply[i + 2] = score and member_row(ARGV[i], score, is_hidden, KEYS[5], KEYS[6], KEYS[7]) or ''
end
return as_reply(reply)
