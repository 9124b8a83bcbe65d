-- count: counts requests against the guild's quota, and opens a window when none is open. This is the script of
-- rate-limiter-flexible with one command less. Reply: requests counted in the window, milliseconds until it ends. O(1).
local function count(guild, requests, window)
  local consumed = redis.call('INCRBY', guild.quota, requests)
  local ttl = redis.call('PTTL', guild.quota)
  if ttl < 0 then
    redis.call('EXPIRE', guild.quota, window)
    ttl = 1000 * window
  end
  return string.format('%.0f\n%.0f', consumed, ttl)
end
