-- recount-read: counts a slice of a guild's members from a rank on, and writes nothing.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- ARGV[1] rank of the first member, from 0   ARGV[2] name of the curve to count with, "custom=a,b,c,d,q,m" for one of its own, "" = the guild's
-- ARGV[3] members to count, 1 to 2000
--
-- Reply: as lib-recount.lua says, with the sums of this slice. The status is "OK", or "DONE" after the last member.

--- @include lib-recount

local first, curve, slice = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local sums = new_sums()
count_boards(new_sums)
local counted = count_slice(sums, curve ~= '' and curve_named(curve) or guild_curve(KEYS[3]), first, slice)
return reply(first + counted >= ranked and 'DONE' or 'OK', sums, counted)
