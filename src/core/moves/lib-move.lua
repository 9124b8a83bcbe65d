-- lib-move: what the scripts share that store a guild which comes from another Redis (src/core/moves/guild-import.ts). move-begin.lua takes the
-- lock, which expires after ten seconds, and marks the guild as unfinished. It has no revision until move-finish.lua. Each step in between
-- checks both, and renews the lock.

--- @include lib-bounds
--- @include lib-counters
--- @include lib-permissions
--- @include lib-lock

-- Returns the reply of a step that may not go on, nil when it may: {"REFUSED", 0, "lock"} when the lock has another token, {"CHANGED"} when
-- something else wrote to the guild, and {"SERVER"} when the server is not the named one since a failover, which can have lost members.
-- @param server nil for any.
local function obstacle_to_step(stats_key, lock_key, token, server)
  if not holds_lock(lock_key, token) then
    return { 'REFUSED', 0, 'lock' }
  end
  local importing, rev = unpack(redis.call('HMGET', stats_key, 'importing', 'rev'))
  if not importing or rev then
    return { 'CHANGED' }
  elseif server and server ~= server_name() then
    return { 'SERVER' }
  end
end

-- Renews the lock, after the permissions are checked and before the first write of a step.
local function begin_step(stats_key, lock_key)
  require_permissions(stats_key, 'HSET')
  require_permissions(lock_key, 'PEXPIRE')
  -- A full Redis refuses the first write of a script alone, and only one that needs memory.
  redis.call('HSET', stats_key, 'importing', '1')
  renew_lock(lock_key)
end
