-- replace-clear: removes everything that is staged, also by a killed run, and stores the config by which staged members count.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:next:xp   KEYS[3] gr:{G}:next:stats   KEYS[4] gr:{G}:next:config   KEYS[5] gr:{G}:next:hidden
-- KEYS[6] gr:{G}:next:members   KEYS[7] gr:{G}:next:carried   KEYS[8] gr:{G}:next:hidden:reasons   KEYS[9] gr:{G}:next:avatars
-- KEYS[10] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock   ARGV[2..] fields and values of the next config
--
-- Reply: {"OK", members that were staged}, or {"REFUSED", 0, "lock"} when the lock has another token.
-- O(1): Redis frees the removed keys in the background.

--- @include lib-replace

return under_lock(KEYS[10], ARGV[1], function()
  require_permissions(KEYS[4], 'HSET')
  local staged = clear_staged()
  if ARGV[2] then
    redis.call('HSET', KEYS[4], unpack(ARGV, 2))
  end
  return { 'OK', staged }
end)
