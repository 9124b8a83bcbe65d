-- stage: records members as record.lua does, while a lock has a token: of a replacement under keys that no reader sees, or of an archive.
--
-- KEYS[1] gr:{G}:next:xp   KEYS[2] gr:{G}:next:stats   KEYS[3] gr:{G}:next:config   KEYS[4] gr:{G}:next:hidden   KEYS[5] gr:{G}:next:members
-- KEYS[6] gr:{G}:next:xp:lock   KEYS[7] gr:{G}:next:avatars
-- For an archive: the same keys without "next:", but for the lock.
-- ARGV[1] token of the lock   ARGV[2..] as ARGV[1..] of record.lua
--
-- Reply: as record.lua, or {"REFUSED", 0, "lock"} when the lock has another token. O(n log m).

--- @include lib-change
--- @include lib-permissions
--- @include lib-record
--- @include lib-lock

if not holds_lock(KEYS[6], ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
require_permissions(KEYS[6], 'PEXPIRE')
local reply = record(2, KEYS[7])
renew_lock(KEYS[6])
return reply
