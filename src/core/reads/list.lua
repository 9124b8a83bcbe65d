-- list: lists members in steps, in no order: the ranked members, the hidden members, or the hidden members with the reason "left".
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:hidden:reasons
-- ARGV[1] "ranked" | "hidden" | "left"   ARGV[2] cursor, "0" to begin
--
-- Reply: {next cursor, "0" at the end, number of ranked members, user ids}. A member can come twice. A member that is there from the first step to
-- the last comes at least once. O(1) for a step.

--- @include lib-model
--- @include lib-reasons

require_known_model(redis.call('HGET', KEYS[2], 'model'), KEYS[2])
local kind, cursor = ARGV[1], ARGV[2]
local scanned
if kind == 'ranked' then
  scanned = redis.call('ZSCAN', KEYS[1], cursor, 'COUNT', '250')
elseif kind == 'hidden' then
  scanned = redis.call('ZSCAN', KEYS[4], cursor, 'COUNT', '250')
else
  scanned = redis.call('HSCAN', KEYS[6], cursor, 'COUNT', '250')
end
local reply = { scanned[1], redis.call('ZCARD', KEYS[1]) }
for i = 1, #scanned[2], 2 do
  if kind ~= 'left' or changed_reasons(scanned[2][i + 1], 'left', true) == changed_reasons(scanned[2][i + 1]) then
    reply[#reply + 1] = scanned[2][i]
  end
end
return reply
