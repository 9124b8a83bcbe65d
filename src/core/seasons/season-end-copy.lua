-- season-end-copy: notes that the members of a guild are in the archive. From now on they are reset, and the boards begin again.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:season   KEYS[7] gr:{G}:season:xp   KEYS[8] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock   ARGV[2] name of the server, as season-hold.lua replied it before the first season-mark.lua
-- ARGV[3] "all" when all members must be marked
--
-- Reply: {"OK", marked members}; {"MISSED"} when members came or changed their place since, and are not marked; {"AGAIN"} when the server has
--        another name: after a failover, cursors list other members, and marks can be lost; or {"REFUSED", 0, "lock"} when the lock has
--        another token
-- O(1): Redis frees the memory of the boards in the background.

--- @include lib-change
--- @include lib-permissions
--- @include lib-lock

local SEASON_KEY, MARKS_KEY = KEYS[6], KEYS[7]
local stats = read_stats(KEYS[2])

return under_lock(KEYS[8], ARGV[1], function()
  if ARGV[2] ~= server_name() then
    return { 'AGAIN' }
  end
  local marked = redis.call('ZCARD', MARKS_KEY)
  if ARGV[3] == 'all' and redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[4]) > marked then
    return { 'MISSED' }
  end
  require_permissions(SEASON_KEY, 'HSET')
  if redis.call('HGET', SEASON_KEY, 'phase') == 'copy' and stats.boards_text then
    on_boards().clear(stats)
    store_changes(stats)
  end
  redis.call('HSET', SEASON_KEY, 'phase', 'reset')
  return { 'OK', marked }
end)
