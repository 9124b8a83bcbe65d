-- names: lists ranked members with their profiles in steps, from the lowest rank up, for a search by name.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:members
-- ARGV[1] user id of the highest member of the step before, "" to begin   ARGV[2] XP of this member, as the step before replied
--
-- Reply: {rev, state, XP of the first member, {user id, ...}, {profile or nil, ...}}: the next 250 members at most, by rank.
--   "OK"     further members follow
--   "END"    no further members follow
--   "MOVED"  no members, XP "": the member of ARGV[1] has other XP by now, or is not ranked, so the caller goes back by a step
-- So the steps leave out no member that keeps its XP or gains XP, whatever other calls change between two steps. O(log m) for m members.

--- @include lib-guild

local AT_ONCE = 250

local rev = revision({ base = string.sub(KEYS[1], 1, -3) })
local id, xp = ARGV[1], ARGV[2]
local above
if id == '' then
  above = redis.call('ZCARD', KEYS[1])
elseif redis.call('ZSCORE', KEYS[1], id) == xp then
  above = redis.call('ZREVRANK', KEYS[1], id)
else
  return { rev, 'MOVED', '', {}, {} }
end
if above == 0 then
  return { rev, 'END', '', {}, {} }
end
local ids = redis.call('ZREVRANGE', KEYS[1], math.max(above - AT_ONCE, 0), above - 1)
local state = above > AT_ONCE and 'OK' or 'END'
return { rev, state, redis.call('ZSCORE', KEYS[1], ids[1]), ids, redis.call('HMGET', KEYS[4], unpack(ids)) }
