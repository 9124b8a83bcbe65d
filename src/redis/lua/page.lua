-- page: one leaderboard page, its ranks and the total, as of one moment.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config
-- ARGV[1] prefix of the member keys   ARGV[2] first and ARGV[3] last rank from 0
--
-- Reply: {rev or "", total, curve or "", then per row: user id, XP, username or "", level or ""}
-- O(log m + rows).

local function text(value)
  return type(value) == 'string' and value or ''
end

local rev = text(redis.call('HGET', KEYS[2], 'rev'))

local out = { rev, redis.call('ZCARD', KEYS[1]), text(redis.call('HGET', KEYS[3], 'xp_curve')) }
local n = 3
local rows = redis.call('ZREVRANGE', KEYS[1], ARGV[2], ARGV[3], 'WITHSCORES')
for i = 1, #rows, 2 do
  local profile = redis.call('HMGET', ARGV[1] .. rows[i], 'username', 'level')
  out[n + 1], out[n + 2], out[n + 3], out[n + 4] = rows[i], rows[i + 1], text(profile[1]), text(profile[2])
  n = n + 4
end
-- A table built in a loop is not recognised as an array by every Lua that runs this (ioredis-mock's fengari).
return { unpack(out) }
