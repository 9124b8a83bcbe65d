-- stage: records members as record.lua does, while a lock has a token: of a replacement under keys that no reader sees, or of an archive.
--
-- KEYS[1] gr:{G}:next:xp   KEYS[2] gr:{G}:next:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:next:xp:lock
-- KEYS[5..] per member: gr:{G}:next:member:U
-- For an archive: the same keys without "next:", and KEYS[5] gr:{G}:hidden before those of the members.
-- ARGV[1] prefix of the staged member keys   ARGV[2] the curve table, "" = the built-in one   ARGV[3] token of the lock
-- ARGV[4..] as ARGV[3..] of record.lua
--
-- Reply: as record.lua, or {"REFUSED", 0, "lock"} when the lock has another token. O(n log m).

--- @include lib-level
--- @include lib-counters
--- @include lib-recount
--- @include lib-require-model
--- @include lib-permissions
--- @include lib-stable-slot
--- @include lib-record
--- @include lib-lock

if not holds_lock(KEYS[4], ARGV[3]) then
  return { 'REFUSED', 0, 'lock' }
end
require_permissions(KEYS[4], 'PEXPIRE')
local reply = record(5, 4)
renew_lock(KEYS[4])
return reply
