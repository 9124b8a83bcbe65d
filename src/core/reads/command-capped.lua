-- capped: counts requests of an API key with a cap, against the guild's quota and against the cap of the key. A request counts on the two counters,
-- or on neither: a request that the quota or the cap refuses is not kept on either counter. The command opens a window for each counter without a
-- window, and cuts a window that has become longer, as command-count.lua says.
-- REST = LIMIT ID CAP, as batch.lua says. Reply: requests of the guild's window, including the present requests; milliseconds until the window ends;
-- and the same two numbers of the key. O(1).

-- Returns a counter: its key, the requests counted, and the milliseconds until its window ends, below 0 for a counter without a window.
local function open_counter(key)
  require_permissions(key, 'INCRBY', 'EXPIRE')
  local used = redis.call('GET', key) or '0'
  if not string.find(used, '^%d+$') then
    error({ err = 'ERR ' .. key .. ' holds no whole number of requests' })
  end
  return { key = key, used = used + 0.0, ttl = redis.call('PTTL', key) }
end

local function capped(guild, requests, window, rest)
  local limit, id, cap = string.match(rest, '^(%d+) (%S+) (%d+)$')
  local counters = { open_counter(guild.quota), open_counter(guild.quota .. ':' .. id) }
  local allowed = math.min(requests + 0, limit - counters[1].used, cap - counters[2].used)
  for _, counter in ipairs(counters) do
    if allowed > 0 then
      redis.call('INCRBY', counter.key, string.format('%.0f', allowed))
    end
    if counter.ttl < 0 or counter.ttl > 1000 * window then
      -- It does nothing for a counter that is not there.
      redis.call('EXPIRE', counter.key, window)
      counter.ttl = 1000 * window
    end
  end
  local of_guild, of_key = unpack(counters)
  return string.format('%.0f\n%.0f\n%.0f\n%.0f', of_guild.used + requests, of_guild.ttl, of_key.used + requests, of_key.ttl)
end
