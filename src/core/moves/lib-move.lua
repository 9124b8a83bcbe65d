-- lib-move: shared by the scripts that store a guild from another Redis (src/core/moves/move-in.ts). move-begin.lua takes the lock, which
-- expires after ten seconds, and marks the guild as unfinished. Until move-finish.lua, the guild has no revision. Each step in between checks
-- that it still has the lock and that the guild has no revision, and renews the lock.

--- @include lib-bounds
--- @include lib-counters
--- @include lib-permissions
--- @include lib-lock

-- Returns nil when a step may go on, else its reply: {"REFUSED", 0, "lock"} when the lock has another token, {"CHANGED"} when another program
-- wrote to the guild, or {"SERVER"} when a failover has replaced the named server, and can have lost members.
-- @param server name of the server; nil for any server.
local function obstacle_to_step(stats_key, lock_key, token, server)
  if not holds_lock(lock_key, token) then
    return { 'REFUSED', 0, 'lock' }
  end
  local moving, rev = unpack(redis.call('HMGET', stats_key, 'moving', 'rev'))
  if not moving or rev then
    return { 'CHANGED' }
  elseif server and server ~= server_name() then
    return { 'SERVER' }
  end
end

-- Renews the lock, after the permissions are checked and before the first write of a step.
local function begin_step(stats_key, lock_key)
  require_permissions(stats_key, 'HSET')
  require_permissions(lock_key, 'PEXPIRE')
  -- A full Redis refuses only the first write of a script, and only if that write needs memory: this write does.
  redis.call('HSET', stats_key, 'moving', '1')
  renew_lock(lock_key)
end
