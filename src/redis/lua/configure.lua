-- configure: stores config fields and, on request, counters, if the guild is still at the revision of their count.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:config
-- ARGV[1] expected revision ("" = none stored), or "any"
-- ARGV[2] number of counter pairs, then counter, value, ...   then config field, value, ...
--
-- Reply: the new revision, or "" when the guild has another revision; then nothing was changed. O(1).

--- @include lib-counters

local rev = redis.call('HGET', KEYS[1], 'rev')
if ARGV[1] ~= 'any' and (type(rev) == 'string' and rev or '') ~= ARGV[1] then
  return ''
end
local counters_end = 2 + 2 * tonumber(ARGV[2])
for i = 3, #ARGV, 2 do
  redis.call('HSET', i <= counters_end and KEYS[1] or KEYS[2], ARGV[i], ARGV[i + 1])
end
return bump_revision(KEYS[1])
