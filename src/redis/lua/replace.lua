-- replace: puts staged members in the place of the present ones. Each member, its counters and the revision change together. A hidden member
-- stays hidden.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:next:xp   KEYS[5] gr:{G}:next:xp:lock
-- KEYS[6] gr:{G}:hidden   KEYS[7..] per user id, two keys: gr:{G}:member:U and gr:{G}:next:member:U
-- ARGV[1] token of the lock   ARGV[2..] user ids, "!" before that of a member to hide
--
-- Reply: {"OK", members put in place}, or {"REFUSED", 0, "lock"} when the lock has another token, or {"REFUSED", 0, "total"} when a
--        counter would leave 64 bits; nothing was changed. A member that is not staged (any more) is passed over.
-- O(n log m).

--- @include lib-level
--- @include lib-counters
--- @include lib-recount
--- @include lib-permissions
--- @include lib-lock
--- @include lib-member

local xp_key, next_key, lock_key = KEYS[1], KEYS[4], KEYS[5]
if not holds_lock(lock_key, ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
local stats = read_stats(KEYS[2])
local curve = guild_curve(KEYS[3])
local sums, writes, hidden_created = new_sums(), {}, 0

for i = 2, #ARGV do
  local hides, id = string.match(ARGV[i], '^(!?)(.*)$')
  local member_key, staged_key = KEYS[2 * i + 3], KEYS[2 * i + 4]
  local staged = redis.call('ZSCORE', next_key, id)
  if staged then
    local old, is_hidden = score_and_place(stats, xp_key, KEYS[6], id)
    local old_level = explicit_level(redis.call('HGET', member_key, 'level'))
    if old and not is_hidden then
      local xp = whole_xp(old)
      add_to_sums(sums, xp, old_level or level_of(curve, xp), -1)
      correct_recount(stats, id, old, old_level, -1)
    end
    local xp = whole_xp(staged)
    local level = explicit_level(redis.call('HGET', staged_key, 'level'))
    if hides ~= '' and not is_hidden then
      is_hidden, hidden_created = true, hidden_created + 1
    end
    if is_hidden then
      require_permissions(KEYS[6], 'ZADD')
    else
      add_to_sums(sums, xp, level or level_of(curve, xp), 1)
      correct_recount(stats, id, staged, level, 1)
    end
    writes[#writes + 1] = { id, staged, member_key, staged_key, is_hidden and KEYS[6] or xp_key }
  end
end
if #writes == 0 then
  return { 'OK', 0 }
end

require_permissions(xp_key, 'ZADD', 'ZREM')
require_permissions(next_key, 'ZREM')
require_permissions(writes[1][3], 'DEL')
require_permissions(writes[1][4], 'EXISTS', 'RENAME')
require_permissions(lock_key, 'PEXPIRE')
local hidden = hidden_created > 0 and { 'hidden', format_integer(redis.call('ZCARD', KEYS[6]) + hidden_created) } or {}
if not apply_sums(stats, sums, unpack(hidden)) then
  return { 'REFUSED', 0, 'total' }
end
for _, write in ipairs(writes) do
  local id, score, member_key, staged_key, key = unpack(write)
  redis.call('ZADD', key, score, id)
  if key ~= xp_key then
    redis.call('ZREM', xp_key, id)
  end
  redis.call('DEL', member_key)
  if redis.call('EXISTS', staged_key) == 1 then
    redis.call('RENAME', staged_key, member_key)
  end
  redis.call('ZREM', next_key, id)
end
renew_lock(lock_key)
return { 'OK', #writes }
