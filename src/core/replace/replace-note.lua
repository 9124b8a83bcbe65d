-- replace-note: makes the stats of the guild name each hidden member that changes from now on.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:next:xp   KEYS[3] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock
--
-- Reply: {"OK", members of the staged ranking, name of the server}, or {"REFUSED", 0, "lock"} when the lock has another token. O(1).

--- @include lib-level
--- @include lib-counters
--- @include lib-permissions
--- @include lib-lock

return under_lock(KEYS[3], ARGV[1], function()
  -- read_stats refuses data of a newer version.
  local stats = read_stats(KEYS[1])
  require_permissions(KEYS[1], 'HSET')
  local reply = { 'OK', redis.call('ZCARD', KEYS[2]), server_name() }
  -- A guild without data has no stats, and must not get stats here.
  if stats.rev ~= '' then
    redis.call('HSET', KEYS[1], 'replacing', '')
  end
  return reply
end)
