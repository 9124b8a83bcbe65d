-- move-put: stores members of a guild that comes from another Redis, and removes members that are gone at the source.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:next:xp:lock   KEYS[7] gr:{G}:hidden:reasons   KEYS[8] gr:{G}:avatars
-- KEYS[9..] per member: gr:{G}:cooldown:U
-- The keys of the boards (lib-boards.lua) are always needed.
-- ARGV[1] token of the lock
-- ARGV[2..] per member: user id, "ranked" | "hidden REASONS" | "gone", XP, ms of cooldown left, profile as in KEYS[5], "" for none, XP on each
--           of the four boards with commas between, avatar, "" for none
--
-- Reply: {"OK"}, or as obstacle_to_step in lib-move.lua. O(n log m) for n members of m.

--- @include lib-move
--- @include lib-boards
--- @include lib-reasons

local of_boards = on_boards().all_keys()
local obstacle = obstacle_to_step(KEYS[2], KEYS[6], ARGV[1])
if obstacle then
  return obstacle
end
for _, key in ipairs({ KEYS[1], KEYS[4], unpack(of_boards) }) do
  require_permissions(key, 'ZADD', 'ZREM')
end
for _, key in ipairs({ KEYS[5], KEYS[7], KEYS[8] }) do
  require_permissions(key, 'HSET', 'HDEL')
end
begin_step(KEYS[2], KEYS[6])

for i = 2, #ARGV, 7 do
  local id, place, xp, cooldown, profile, gains, avatar = unpack(ARGV, i, i + 6)
  local cooldown_key = KEYS[9 + (i - 2) / 7]
  for _, key in ipairs(of_boards) do
    redis.call('ZREM', key, id)
  end
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[4], id)
  redis.call('HDEL', KEYS[5], id)
  redis.call('HDEL', KEYS[8], id)
  redis.call('DEL', cooldown_key)
  local is_hidden = string.find(place, '^hidden ')
  store_reasons(KEYS[7], id, is_hidden and changed_reasons(place) or '')
  if place ~= 'gone' then
    redis.call('ZADD', KEYS[is_hidden and 4 or 1], xp, id)
    if profile ~= '' then
      redis.call('HSET', KEYS[5], id, profile)
    end
    if avatar ~= '' then
      redis.call('HSET', KEYS[8], id, avatar)
    end
    if cooldown + 0 > 0 then
      redis.call('SET', cooldown_key, cooldown .. ' ms', 'PX', cooldown)
    end
    local board = 0
    for gain in string.gmatch(gains, '[^,]+') do
      board = board + 1
      if gain ~= '0' then
        redis.call('ZADD', BOARD_KEYS[BOARD_KEYS[board]][is_hidden and 'hidden' or 'xp'], gain, id)
      end
    end
  end
end
return { 'OK' }
