-- invite: stores an invite to the dashboard of a guild. Its token works once, until the time is up or all sessions of the guild are ended.
--
-- KEYS[1] gr:invite:SHA256, with the SHA-256 of the token in hex (or gr:operator-invite:SHA256, which the user of a bot may not write)
-- ARGV[1] guild id   ARGV[2] seconds, 1 .. 86400   ARGV[3] user id of the person it is for, "" = the owner
--
-- Reply: OK. O(1).

--- @include lib-bounds

local guild, seconds, user = ARGV[1], tonumber(ARGV[2]), ARGV[3]
if #guild > MAX_ID or #user > MAX_ID or not string.find(guild, '^[%w_.-]+$') or not string.find(user, '^[%w_.-]*$') then
  error('invite takes a guild id and a user id of 1 to 64 of A-Z a-z 0-9 _ - .', 0)
end
if not seconds or seconds < 1 or seconds > 86400 then
  error('an invite is good for 1 to 86400 seconds', 0)
end
local now = redis.call('TIME')
local made_at = string.format('%.0f', now[1] * 1000000.0 + now[2])
return redis.call('SET', KEYS[1], guild .. ' ' .. user .. ' ' .. made_at, 'EX', ARGV[2])
