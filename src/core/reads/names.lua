-- names: lists ranked members with their profiles in steps, from the lowest rank up, for a search by name.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:members
-- ARGV[1] members of the steps before, as the last step replied, "0" to begin   ARGV[2] first user id of the last step, "" to begin
--
-- Reply: {rev, members so far, {user id, ...}, {profile or nil, ...}}: 250 members at most, by rank; none at the end. Members that rise,
--        come or go between two steps make others come twice, and none is left out. Only one that falls below the members of the steps
--        before can be left out. O(log m) for m members.

--- @include lib-guild

local AT_ONCE = 250

local rev = revision({ base = string.sub(KEYS[1], 1, -3) })
local before, last = ARGV[1] + 0, ARGV[2]
if last ~= '' then
  -- The next member is the one above the last. If the last has risen, those that it passed come next; if it is gone, its step comes again.
  local rank = redis.call('ZREVRANK', KEYS[1], last)
  before = math.min(before, rank and redis.call('ZCARD', KEYS[1]) - rank or math.max(before - AT_ONCE, 0))
end
local ids = redis.call('ZREVRANGE', KEYS[1], -before - AT_ONCE, -before - 1)
local profiles = #ids > 0 and redis.call('HMGET', KEYS[4], unpack(ids)) or {}
return { rev, before + #ids, ids, profiles }
