-- replace-swap: puts the staged members in the place of all present members. Ranking, hidden members, their reasons, profiles, avatars, counters,
-- curve and revision change at one moment. The boards begin again.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:next:xp   KEYS[7] gr:{G}:next:stats   KEYS[8] gr:{G}:next:config   KEYS[9] gr:{G}:next:hidden   KEYS[10] gr:{G}:next:members
-- KEYS[11] gr:{G}:next:carried   KEYS[12] gr:{G}:next:xp:lock
-- KEYS[13] gr:{G}:hidden:reasons   KEYS[14] gr:{G}:next:hidden:reasons   KEYS[15] gr:{G}:avatars   KEYS[16] gr:{G}:next:avatars
-- ARGV[1] token of the lock   ARGV[2] members of the staged ranking   ARGV[3] hidden staged members
-- ARGV[4] name of the server, as replace-note.lua or this script replied it   ARGV[5] most noted members that this script may carry
-- ARGV[6] the curve that the guild must still have, as its config names it; "" = the config names no curve, left out = any curve
--
-- Reply: {"OK"} after the swap. All other replies mean that nothing was changed:
--        {"CURVE"}: the guild has another curve
--        {"NOTED", user ids}: carry these members first
--        {"ALL", name of the server}: carry all hidden members first, because more hidden members have changed than the reply can name, or a failover
--        replaced the server
--        {"REFUSED", 0, "lock" | "total" | "staged"}: the lock has another token, a counter would leave 64 bits, or a failover lost staged
--        members
-- O(n log m) for n noted members. Redis frees the removed keys in the background.

--- @include lib-carry
--- @include lib-guild
--- @include lib-lists

local ranked, hidden, known_server, most, curve_before = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
present = { xp = KEYS[1], hidden = KEYS[4], members = KEYS[5], reasons = KEYS[13], avatars = KEYS[15] }
staged = {
  xp = KEYS[6],
  stats = KEYS[7],
  config = KEYS[8],
  hidden = KEYS[9],
  members = KEYS[10],
  carried = KEYS[11],
  reasons = KEYS[14],
  avatars = KEYS[16],
}

-- Returns the user ids that the stats of the guild name, or nil when all hidden members can have changed. A guild without a revision has no ids.
local function noted_ids(stats)
  if stats.replacing == '*' or (not stats.replacing and stats.rev ~= '') then
    return nil
  end
  local ids, seen = {}, {}
  for id in string.gmatch(stats.replacing or '', '[^ ]+') do
    if not seen[id] then
      seen[id] = true
      ids[#ids + 1] = id
    end
  end
  return ids
end

return under_lock(KEYS[12], ARGV[1], function()
  local server = server_name()
  if redis.call('ZCARD', staged.xp) ~= ranked + 0 or redis.call('ZCARD', staged.hidden) ~= hidden + 0 then
    return { 'REFUSED', 0, 'staged' }
  elseif curve_before and curve_before ~= curve_text(KEYS[3]) then
    return { 'CURVE' }
  end
  for _, key in pairs(present) do
    require_permissions(key, 'UNLINK', 'RENAME')
  end
  require_permissions(KEYS[2], 'HSET', 'HDEL')
  require_permissions(KEYS[3], 'HSET')
  for _, key in pairs(staged) do
    require_permissions(key, 'UNLINK', 'EXISTS', 'RENAME')
  end
  local stats = read_stats(KEYS[2])
  local noted = server == known_server and noted_ids(stats)
  local config, rev = redis.call('HGETALL', staged.config), next_revision(stats.rev)
  if not noted or #noted > most + 0 then
    redis.call('HSET', KEYS[2], 'replacing', '')
    if not noted then
      return { 'ALL', server }
    end
    table.insert(noted, 1, 'NOTED')
    return as_reply(noted)
  end
  on_boards().clear(stats)
  local boards = on_boards().fields(stats)
  if noted[1] and not change_staged(carry, noted) then
    return { 'REFUSED', 0, 'total' }
  end
  counted = read_stats(staged.stats)
  local members, total_xp, level_sum = changed_counters(counted)
  redis.call('HSET', KEYS[3], unpack(config))
  -- A running count of the old members finds an unknown revision, and begins again.
  local counters = { 'members', members, 'total_xp', total_xp, 'level_sum', level_sum, 'hidden', format_integer(redis.call('ZCARD', staged.hidden)) }
  redis.call('HSET', KEYS[2], 'rev', rev, 'model', MODEL, unpack(counters))
  if counted.has_explicit then
    redis.call('HSET', KEYS[2], 'explicit', '1')
  else
    redis.call('HDEL', KEYS[2], 'explicit')
  end
  if boards[1] then
    redis.call('HSET', KEYS[2], unpack(boards))
    on_boards().write(stats)
  end
  redis.call('HDEL', KEYS[2], 'replacing')
  redis.call('UNLINK', present.xp, present.hidden, present.members, present.reasons, present.avatars, staged.stats, staged.config, staged.carried)
  for name, key in pairs(present) do
    if redis.call('EXISTS', staged[name]) == 1 then
      redis.call('RENAME', staged[name], key)
    end
  end
  return { 'OK' }
end)
