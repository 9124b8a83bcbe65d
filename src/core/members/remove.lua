-- remove: erases members, ranked or hidden, with their profiles, avatars, cooldowns and marks of a season's end, and what a raw write left of users
-- who are not members.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:season:xp   KEYS[7] gr:{G}:hidden:reasons   KEYS[8] gr:{G}:avatars
-- KEYS[9..] per user id: gr:{G}:cooldown:U
-- ARGV user ids
--
-- Reply: how many of the users were members; at 0, rev stays as it is, unless a user was on a board.
-- An error of Redis (READONLY, OOM, ...), MODEL or CURVE is the reply as it is; nothing was changed. O(n log m).

--- @include lib-change
--- @include lib-permissions
--- @include lib-member
--- @include lib-profile

local xp_key, hidden_key, members_key, marks_key, reasons_key, avatars_key = KEYS[1], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local base = string.sub(xp_key, 1, -3)
local stats = read_stats(KEYS[2])
local curve = guild_curve(KEYS[3])
local removed, unhidden, found, is_dropped = 0, 0, {}, false

for i, id in ipairs(ARGV) do
  local cooldown_key = base .. 'cooldown:' .. id
  if KEYS[i + 8] ~= cooldown_key then
    error('KEYS[' .. i + 8 .. '] is not ' .. cooldown_key, 0)
  end
  local level = explicit_level(redis.call('HGET', members_key, id))
  redis.call('HGET', avatars_key, id)
  if not found[id] then
    found[id] = true
    local score, is_hidden = score_and_place(stats, xp_key, hidden_key, id)
    if score then
      removed = removed + 1
      note_hidden(stats, hidden_key, id, is_hidden)
      -- A raw writer can have put a hidden member into the ranking too.
      if is_hidden or (stats.hidden and redis.call('ZSCORE', hidden_key, id)) then
        unhidden = unhidden + 1
      end
      change_member(stats, curve, id, { score = score, xp = whole_xp(score), explicit = level, is_hidden = is_hidden }, nil)
    elseif stats.boards_text then
      is_dropped = on_boards().drop(stats, id) or is_dropped
    end
  end
end

require_permissions(xp_key, 'ZREM')
require_permissions(marks_key, 'ZREM')
require_permissions(members_key, 'HDEL')
require_permissions(avatars_key, 'HDEL')
if unhidden > 0 then
  require_permissions(hidden_key, 'ZREM')
  require_permissions(reasons_key, 'HDEL')
end
if KEYS[9] then
  require_permissions(KEYS[9], 'DEL')
end
if removed > 0 or is_dropped then
  local hidden = unhidden > 0 and format_integer(redis.call('ZCARD', hidden_key) - unhidden)
  if not store_changes(stats, unpack(hidden and { 'hidden', hidden } or {})) then
    error('a counter of ' .. stats.key .. ' would leave 64 bits, run stats rebuild', 0)
  end
end
for i, id in ipairs(ARGV) do
  redis.call('ZREM', xp_key, id)
  redis.call('ZREM', marks_key, id)
  redis.call('HDEL', members_key, id)
  redis.call('HDEL', avatars_key, id)
  redis.call('DEL', KEYS[i + 8])
  if unhidden > 0 then
    redis.call('ZREM', hidden_key, id)
    redis.call('HDEL', reasons_key, id)
  end
end
return removed
