-- season-finish: notes that the season is over, when no marked member is left.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:season   KEYS[3] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock
--
-- Reply: {"OK"}, or {"REFUSED", 0, "lock"} when the lock has another token. O(1).

--- @include lib-level
--- @include lib-counters
--- @include lib-lock

-- read_stats refuses data of a newer version, before anything else.
read_stats(KEYS[1])
return under_lock(KEYS[3], ARGV[1], function()
  require_permissions(KEYS[2], 'HSET')
  redis.call('HSET', KEYS[2], 'phase', 'done')
  return { 'OK' }
end)
