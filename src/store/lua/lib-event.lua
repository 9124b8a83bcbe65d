-- lib-event: does a call once for each event, such as a message of a chat. The key of the event keeps the reply of the call that was done.

local function is_event_time(ttl)
  return string.find(ttl, '^%d+$') and ttl + 0.0 >= 1 and ttl + 0.0 <= 86400000
end

-- Takes the time to live of the event, in milliseconds, from the beginning of ARGV. Returns nil without a key of an event.
local function event_time(event_key)
  return event_key and table.remove(ARGV, 1)
end

-- Returns the reply of `call`, or of the same event before, with "repeated" at its end. A reply that is not "OK" changed nothing, and is not
-- kept.
local function once(event_key, ttl, call)
  if not event_key then
    return call()
  end
  if not is_event_time(ttl) then
    return { 'REFUSED', 0, 'argument' }
  end
  local kept = redis.call('GET', event_key)
  if type(kept) == 'string' then
    local reply = {}
    for part in string.gmatch(kept .. '\n', '([^\n]*)\n') do
      reply[#reply + 1] = part
    end
    reply[#reply + 1] = 'repeated'
    return { unpack(reply) }
  end
  require_permissions(event_key, 'SET')
  local reply, parts = call(), {}
  if reply[1] ~= 'OK' then
    return reply
  end
  for i, part in ipairs(reply) do
    parts[i] = type(part) == 'number' and format_integer(part) or part
  end
  redis.call('SET', event_key, table.concat(parts, '\n'), 'PX', ttl)
  return reply
end
