-- probe: attempts the reads and the count of a request on a guild that cannot exist. Changes nothing, because Redis checks whether a
-- write is allowed and possible before it rejects "x" as an amount. O(1).
--
-- KEYS[1] gr:quota:{G}   KEYS[2] gr:{G}:xp   KEYS[3] gr:{G}:stats
--
-- Reply: OK, or the error that a request would get, such as READONLY, OOM, MISCONF, NOREPLICAS or NOPERM.

redis.call('HMGET', KEYS[3], 'rev')
redis.call('HGET', KEYS[3], 'rev')
redis.call('ZREVRANGE', KEYS[2], 0, 0)
local reply = redis.pcall('INCRBY', KEYS[1], 'x')
local message = type(reply) == 'table' and reply.err
if not message then
  -- ioredis-mock counts "x".
  redis.call('EXPIRE', KEYS[1], 0)
elseif not string.find(message, 'not an integer', 1, true) then
  return redis.error_reply(message)
end
return 'OK'
