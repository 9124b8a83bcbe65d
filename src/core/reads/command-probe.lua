-- probe: attempts the reads and the count of a request. Changes nothing, because Redis checks whether a write is allowed and possible before it
-- rejects "x" as an amount. The guild must have an id that no guild can have.
-- Reply: OK, or the error that a request would get, such as READONLY, OOM, MISCONF, NOREPLICAS or NOPERM. O(1).
local function probe(guild)
  page(guild, '0', '0', '')
  redis.call('PTTL', guild.quota)
  require_permissions(guild.quota, 'EXPIRE')
  local reply = redis.pcall('INCRBY', guild.quota, 'x')
  local message = type(reply) == 'table' and reply.err
  if not message then
    -- ioredis-mock counts "x".
    redis.call('EXPIRE', guild.quota, 0)
  elseif not string.find(message, 'not an integer', 1, true) then
    error({ err = message })
  end
  return 'OK'
end
