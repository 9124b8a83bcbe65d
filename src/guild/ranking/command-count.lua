-- count: counts requests against the guild's quota, and opens a window when none is open. Requests above the limit are refused, and
-- the count does not keep them. Reply: requests counted in the window, those above the limit among them; milliseconds until it ends. O(1).
local function count(guild, requests, window, limit)
  local ttl = redis.call('PTTL', guild.quota)
  if ttl < 0 then
    require_permissions(guild.quota, 'EXPIRE')
  end
  local consumed = redis.call('INCRBY', guild.quota, requests)
  local excess = math.min(consumed - limit, requests + 0)
  if excess > 0 then
    redis.call('INCRBY', guild.quota, string.format('%.0f', -excess))
  end
  if ttl < 0 then
    redis.call('EXPIRE', guild.quota, window)
    ttl = 1000 * window
  end
  return string.format('%.0f\n%.0f', consumed, ttl)
end
