-- sweep: removes members that list-unstaged.lua listed, with their profiles.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:next:unstaged   KEYS[5] gr:{G}:next:xp:lock
-- KEYS[6] gr:{G}:hidden   KEYS[7..] per user id: gr:{G}:member:U
-- ARGV[1] token of the lock   ARGV[2..] user ids
--
-- Reply: {"OK", members removed}, or {"REFUSED", 0, "lock" | "total"} as replace.lua; nothing was changed. O(n log m).

--- @include lib-level
--- @include lib-counters
--- @include lib-recount
--- @include lib-permissions
--- @include lib-lock
--- @include lib-member

local xp_key, list_key, lock_key = KEYS[1], KEYS[4], KEYS[5]
if not holds_lock(lock_key, ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
local stats = read_stats(KEYS[2])
local curve = guild_curve(KEYS[3])
local sums, removed, unhidden = new_sums(), 0, 0

for i = 2, #ARGV do
  local id = ARGV[i]
  local score, is_hidden = score_and_place(stats, xp_key, KEYS[6], id)
  if score and redis.call('ZSCORE', list_key, id) then
    if is_hidden then
      unhidden = unhidden + 1
    else
      local xp = whole_xp(score)
      local level = explicit_level(redis.call('HGET', KEYS[i + 5], 'level'))
      add_to_sums(sums, xp, level or level_of(curve, xp), -1)
      correct_recount(stats, id, score, level, -1)
    end
    removed = removed + 1
  end
end
require_permissions(xp_key, 'ZREM')
require_permissions(list_key, 'ZREM')
require_permissions(KEYS[6], 'ZREM')
require_permissions(KEYS[7], 'DEL')
require_permissions(lock_key, 'PEXPIRE')
local hidden = unhidden > 0 and { 'hidden', format_integer(redis.call('ZCARD', KEYS[6]) - unhidden) } or {}
if removed > 0 and not apply_sums(stats, sums, unpack(hidden)) then
  return { 'REFUSED', 0, 'total' }
end
for i = 2, #ARGV do
  local id = ARGV[i]
  if redis.call('ZREM', list_key, id) == 1 then
    redis.call('ZREM', xp_key, id)
    redis.call('ZREM', KEYS[6], id)
    redis.call('DEL', KEYS[i + 5])
  end
end
renew_lock(lock_key)
return { 'OK', removed }
