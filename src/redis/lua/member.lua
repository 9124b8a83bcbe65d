-- member: XP, rank and profile of one member, as of one moment.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:member:U
-- ARGV[1] user id
--
-- Reply: {rev or "", rank from 0 or -1 for no such member, XP, curve or "", username, level, daily_streak, last_daily_claim (each or "")}
-- O(log m).

local function text(value)
  return type(value) == 'string' and value or ''
end

local rev = text(redis.call('HGET', KEYS[2], 'rev'))

local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score then
  return { rev, -1, '', '', '', '', '', '' }
end
local rank = redis.call('ZREVRANK', KEYS[1], ARGV[1])
local curve = text(redis.call('HGET', KEYS[3], 'xp_curve'))
local profile = redis.call('HMGET', KEYS[4], 'username', 'level', 'daily_streak', 'last_daily_claim')
return { rev, rank, score, curve, text(profile[1]), text(profile[2]), text(profile[3]), text(profile[4]) }
