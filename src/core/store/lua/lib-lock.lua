-- lib-lock: the lock of a guild that imports, deletions and the end of a season share. Every step checks its token and renews the lock,
-- so a command that was suspended cannot go on when another has taken over. This file also names the server, so that a command notices a failover.

--- @include lib-permissions

local LOCK_MS = 10000

-- Returns the token of the lock, nil for a free lock. A lock with more time left than a lock ever gets was taken while the clock was ahead, and is
-- over.
local function owner_of(lock_key)
  return redis.call('PTTL', lock_key) <= LOCK_MS and redis.call('GET', lock_key) or nil
end

local function holds_lock(lock_key, token)
  return redis.call('GET', lock_key) == token
end

local function renew_lock(lock_key)
  redis.call('PEXPIRE', lock_key, LOCK_MS)
end

-- Returns the reply of `work`, and renews the lock; {"REFUSED", 0, "lock"} when the lock has another token.
local function under_lock(lock_key, token, work)
  if not holds_lock(lock_key, token) then
    return { 'REFUSED', 0, 'lock' }
  end
  require_permissions(lock_key, 'PEXPIRE')
  local reply = work()
  renew_lock(lock_key)
  return reply
end

-- Returns a name that the server has from its start to its end. After a failover it is another server, where cursors list other members, and
-- writes can be lost.
local function server_name()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end
