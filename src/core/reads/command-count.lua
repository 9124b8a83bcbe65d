-- count: counts requests against the guild's quota, and opens a window when no window is open. A window that has become longer, because the clock of
-- the server went back, is cut to its length. Requests above the limit are refused, and the count does not keep them.
-- Reply: requests counted in the window, including requests above the limit; milliseconds until the window ends. O(1).
local function count(guild, requests, window, limit)
  local ttl = redis.call('PTTL', guild.quota)
  local needs_end = ttl < 0 or ttl > 1000 * window
  if needs_end then
    require_permissions(guild.quota, 'EXPIRE')
  end
  local consumed = redis.call('INCRBY', guild.quota, requests)
  local excess = math.min(consumed - limit, requests + 0)
  if excess > 0 then
    redis.call('INCRBY', guild.quota, string.format('%.0f', -excess))
  end
  if needs_end then
    redis.call('EXPIRE', guild.quota, window)
    ttl = 1000 * window
  end
  return string.format('%.0f\n%.0f', consumed, ttl)
end
