-- lib-event: does a call once for each event, such as a message of a chat. The key of the event keeps the reply of the call that was done.

--- @include lib-bounds
--- @include lib-lists

-- Returns the reply of `call`, or the earlier reply for the same event, with "repeated" at its end. Without a key of an event it only calls. Else
-- ARGV begins with the time to live of the event, in milliseconds, which this function takes away. A reply that is not "OK" changed nothing, and is
-- not kept. An event belongs to one call, which `name_call` names. A guild without data has no events.
local function once(event_key, name_call, call)
  if not event_key then
    return call()
  end
  local ttl = table.remove(ARGV, 1) or ''
  if not (string.find(ttl, '^[1-9]%d*$') and ttl + 0.0 <= 86400000) then
    return { 'REFUSED', 0, 'argument' }
  end
  local rest = string.sub(event_key, #KEYS[1] - 2)
  local id = string.match(rest, '^:event:(.*)$') or string.match(rest, '^:event%-part:%d+:(.*)$')
  if not id or id == '' or #id > MAX_ID then
    return { 'REFUSED', 0, 'argument' }
  end
  local name = name_call()
  local kept = redis.call('GET', event_key)
  if type(kept) == 'string' and redis.call('EXISTS', KEYS[2]) == 1 then
    local reply = {}
    for part in string.gmatch(kept .. '\n', '([^\n]*)\n') do
      reply[#reply + 1] = part
    end
    if table.remove(reply, 1) ~= name then
      return { 'REFUSED', 0, 'event' }
    end
    reply[#reply + 1] = 'repeated'
    return as_reply(reply)
  end
  require_permissions(event_key, 'SET')
  local reply, parts = call(), { name }
  if reply[1] ~= 'OK' then
    return reply
  end
  for i, part in ipairs(reply) do
    parts[i + 1] = type(part) == 'number' and format_integer(part) or part
  end
  redis.call('SET', event_key, table.concat(parts, '\n'), 'PX', ttl)
  return reply
end
