-- season-hold: renews the lock of a guild or of an archive, and names the server. After a failover, the name differs.
--
-- KEYS[1] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock
--
-- Reply: {"OK", name of the running server}, or {"REFUSED", 0, "lock"} when the lock has another token. O(1).

--- @include lib-lock

return under_lock(KEYS[1], ARGV[1], function()
  return { 'OK', server_name() }
end)
