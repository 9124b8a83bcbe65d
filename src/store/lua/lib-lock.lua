-- lib-lock: the lock of a guild that imports, deletions and the end of a season share. Every step checks its token and renews the lock,
-- so a command that was suspended cannot go on when another has taken over.
local LOCK_MS = 10000

local function holds_lock(lock_key, token)
  return redis.call('GET', lock_key) == token
end

local function renew_lock(lock_key)
  redis.call('PEXPIRE', lock_key, LOCK_MS)
end
