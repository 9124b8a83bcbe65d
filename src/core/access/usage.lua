-- usage: adds the requests that a process has counted to the usage of a guild. A call that is sent again is not added again, so a process can repeat
-- a call until it gets a reply.
--
-- KEYS[1] gr:{G}:usage   KEYS[2] gr:{G}:keys:used   KEYS[3] gr:{G}:keys   KEYS[4] gr:{G}:stats   KEYS[5] gr:{G}:config
-- ARGV[1] id of the process   ARGV[2] number of the call, above the numbers of all earlier calls of the process
-- ARGV[3] the current hour, as hours since 1970   ARGV[4] hours that are kept   ARGV[5] a time (ISO 8601) later than which no request was
-- ARGV[6] how many of the pairs that follow are counts
-- ARGV[7..] pairs: a field of KEYS[1] and the requests to add, then an API key id and the time of its last request (ISO 8601)
--
-- Reply: 1 when the requests were added, else 0: the call was done before, or the guild has no data any more, as after its deletion.
-- O(n), and once in an hour O(fields).

--- @include lib-permissions

local token, call, hour = 'w:' .. ARGV[1], ARGV[2], ARGV[3]
local oldest = string.format('%.0f', hour - ARGV[4] + 1)
local first_used = 7 + 2 * ARGV[6]

local done = redis.call('HGET', KEYS[1], token)
local is_done = type(done) == 'string' and string.match(done, '%d+$') + 0.0 >= call + 0.0
if is_done then
  return 0
end
local left = 0
for _, key in ipairs(KEYS) do
  left = left + redis.call('HLEN', key)
end
if left == 0 then
  return 0
end

local used = {}
for i = first_used, #ARGV, 2 do
  local id, time = ARGV[i], ARGV[i + 1]
  local before = redis.call('HGET', KEYS[2], id)
  -- A time beyond the present was written while the clock was ahead.
  local is_newer = type(before) ~= 'string' or before < time or before > ARGV[5]
  -- A revoked API key is in no list any more.
  if is_newer and type(redis.call('HGET', KEYS[3], id)) == 'string' then
    used[#used + 1] = { id, time }
  end
end

-- "from" is the first hour whose fields are kept. The first call of each hour removes older fields, and fields that were written while the clock was
-- ahead.
local old = {}
if redis.call('HGET', KEYS[1], 'from') ~= oldest then
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local field, value = fields[i], fields[i + 1]
    local written = string.match(field, '^%d+') or (string.find(field, '^w:') and string.match(value, '^%d+'))
    if written and (written + 0.0 < oldest + 0.0 or written + 0.0 > hour + 24.0) then
      old[#old + 1] = field
    end
  end
end

require_permissions(KEYS[1], 'HSET', 'HINCRBY', 'HDEL', 'EXPIRE')
require_permissions(KEYS[2], 'HSET')
-- This comes first: while a field cannot be added to, the process must not add the other fields again at each try.
redis.call('HSET', KEYS[1], token, hour .. ' ' .. call, 'from', oldest)
for i = 7, first_used - 1, 2 do
  redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1])
end
for _, field in ipairs(old) do
  redis.call('HDEL', KEYS[1], field)
end
redis.call('EXPIRE', KEYS[1], string.format('%.0f', ARGV[4] * 3600))
for _, each in ipairs(used) do
  redis.call('HSET', KEYS[2], each[1], each[2])
end
return 1
