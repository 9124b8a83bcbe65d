-- describe: stores what a bot tells of its guild: name, icon, roles and channels.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:about (hash: name, icon, roles and channels as JSON, and at, the milliseconds since 1970 of the last call)
-- ARGV[1] name   ARGV[2] icon   ARGV[3] roles   ARGV[4] channels   "" for what the bot does not tell. The call replaces all of it.
--
-- Reply: {"OK", rev, 1 if a field has changed, else 0}. At 0, rev stays as it is. O(1).

--- @include lib-bounds
--- @include lib-counters
--- @include lib-permissions

local FIELDS = { 'name', 'icon', 'roles', 'channels' }
local MAX_BYTES = { name = MAX_GUILD_NAME, icon = MAX_ICON }
-- The most bytes of all fields together (src/core/text-bounds.ts).
local MAX_ABOUT = 262144

local bytes = 0
for i, field in ipairs(FIELDS) do
  local most = MAX_BYTES[field]
  if not ARGV[i] then
    error('describe takes name, icon, roles and channels', 0)
  elseif most and #ARGV[i] > most then
    error(field .. ' has ' .. #ARGV[i] .. ' bytes, and the most is ' .. most, 0)
  end
  bytes = bytes + #ARGV[i]
end
if bytes > MAX_ABOUT then
  error('name, icon, roles and channels have ' .. bytes .. ' bytes in all, and the most is ' .. MAX_ABOUT, 0)
end

local stats = read_stats(KEYS[1])
local before = redis.call('HMGET', KEYS[2], unpack(FIELDS))
local now = redis.call('TIME')
local stored, emptied = { 'at', format_integer(now[1] * 1000 + math.floor(now[2] / 1000)) }, {}
local is_changed = false
for i, field in ipairs(FIELDS) do
  local value = type(before[i]) == 'string' and before[i] or ''
  if ARGV[i] ~= value then
    is_changed = true
    if ARGV[i] == '' then
      emptied[#emptied + 1] = field
    else
      stored[#stored + 1] = field
      stored[#stored + 1] = ARGV[i]
    end
  end
end
require_permissions(KEYS[2], 'HSET', 'HDEL')
local rev = is_changed and write_stats(stats) or stats.rev
redis.call('HSET', KEYS[2], unpack(stored))
if emptied[1] then
  redis.call('HDEL', KEYS[2], unpack(emptied))
end
return { 'OK', rev == '' and '0' or rev, is_changed and 1 or 0 }
