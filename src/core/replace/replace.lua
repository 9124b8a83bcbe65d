-- replace: puts staged members in the place of all present ones, in steps (src/core/replace/staged-members.ts). A member that is hidden in
-- the guild stays hidden, with its reasons: with the staged XP, profile and avatar, or with its own when it is not staged. Ranking, hidden members,
-- their reasons, profiles, avatars, counters, curve and revision change at one moment, by "swap". The boards begin again.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:next:xp   KEYS[7] gr:{G}:next:stats   KEYS[8] gr:{G}:next:config   KEYS[9] gr:{G}:next:hidden   KEYS[10] gr:{G}:next:members
-- KEYS[11] gr:{G}:next:carried   KEYS[12] gr:{G}:next:xp:lock
-- KEYS[13] gr:{G}:hidden:reasons   KEYS[14] gr:{G}:next:hidden:reasons   KEYS[15] gr:{G}:avatars   KEYS[16] gr:{G}:next:avatars
-- ARGV[1] mode   ARGV[2] token of the lock   ARGV[3..] by mode:
--   "lock"   takes the lock. {"OK"}, or {"BUSY"} when somebody has it
--   "clear" fields and values of the next config   removes all that is staged, or was left behind. {"OK", members that were staged}
--   "end"   as "clear", and gives the lock back
--   "note"   from now on, the stats of the guild name the hidden members that change. {"OK", members of the staged ranking, name of the server}
--   "hide" user ids, each with the reasons of the file   those that are staged leave the staged ranking. {"OK", members that left it, members copied from the guild}
--   "carry" user ids   who is hidden in the guild leaves the staged ranking, or is copied with its own XP and profile; who is not any more
--           returns, or goes. The reply is that of "hide", with numbers below 0 for more who returned, or went
--   "swap" members of the staged ranking, hidden staged members, name of the server, number of noted members that it may carry itself, the curve
--           that the guild must have still, as its config names it ("" = none; missing = any)
--           {"OK"}, {"CURVE"} when it has another one, or the user ids to carry first: {"NOTED", user ids}; for all, when they are too many to name, or the server is another
--           one since a failover: {"ALL", name of the server}
-- All but "lock": {"REFUSED", 0, "lock"} when the lock has another token; "hide", "carry", "swap": {"REFUSED", 0, "total"} when a counter would leave 64
-- bits; "swap": {"REFUSED", 0, "staged"} when a failover lost staged members. Nothing was changed then.
-- O(n log m) for n user ids. Redis frees what is removed beside other work.

--- @include lib-change
--- @include lib-guild
--- @include lib-permissions
--- @include lib-lock
--- @include lib-profile
--- @include lib-reasons
--- @include lib-lists

local LOCK, CARRIED = KEYS[12], KEYS[11]
-- Why a member is hidden among the staged ones: the file says so, with the reasons that follow, or the guild, where it is staged or not.
local BY_FILE, STAGED, COPIED = 'f', 's', 'c'

if ARGV[1] == 'lock' then
  if #ARGV[2] > MAX_ID then
    return { 'REFUSED', 0, 'argument' }
  end
  if owner_of(LOCK) then
    return { 'BUSY' }
  end
  require_permissions(KEYS[2], 'HDEL')
  require_permissions(LOCK, 'SET')
  -- A full Redis takes what needs memory after a write that needs none: a deletion can begin there.
  redis.call('HDEL', KEYS[2], 'replacing')
  redis.call('SET', LOCK, ARGV[2], 'PX', LOCK_MS)
  return { 'OK' }
end
if not holds_lock(LOCK, ARGV[2]) then
  return { 'REFUSED', 0, 'lock' }
end
require_permissions(LOCK, 'PEXPIRE', 'DEL')

-- Checks the right to move the staged members to the place of the present ones, or to remove them.
local function require_rights_to_all()
  for _, key in ipairs({ KEYS[14], KEYS[16], unpack(KEYS, 6, 11) }) do
    require_permissions(key, 'UNLINK', 'EXISTS', 'RENAME')
  end
end

local function clear()
  require_permissions(KEYS[2], 'HDEL')
  require_rights_to_all()
  require_permissions(KEYS[8], 'HSET')
  local staged = redis.call('ZCARD', KEYS[6]) + redis.call('ZCARD', KEYS[9])
  redis.call('UNLINK', KEYS[14], KEYS[16], unpack(KEYS, 6, 11))
  redis.call('HDEL', KEYS[2], 'replacing')
  if ARGV[3] then
    redis.call('HSET', KEYS[8], unpack(ARGV, 3))
  end
  return { 'OK', staged }
end

local counted, curve = nil, nil
local writes, left, copied = {}, 0, 0

local function later(...)
  writes[#writes + 1] = { redis.call, ... }
end

local function place_of(id, score)
  return { score = score, xp = whole_xp(score), explicit = explicit_level(redis.call('HGET', KEYS[10], id)) }
end

local function later_reasons(id, reasons)
  writes[#writes + 1] = { store_reasons, KEYS[14], id, reasons }
end

local function leave_ranking(id, score, why)
  change_member(counted, curve, id, place_of(id, score), nil)
  left = left + 1
  later('ZREM', KEYS[6], id)
  later('ZADD', KEYS[9], score, id)
  later('HSET', CARRIED, id, why)
end

local function return_to_ranking(id)
  local score = redis.call('ZSCORE', KEYS[9], id)
  change_member(counted, curve, id, nil, place_of(id, score))
  left = left - 1
  later('ZREM', KEYS[9], id)
  later('ZADD', KEYS[6], score, id)
  later('HDEL', CARRIED, id)
  later_reasons(id, '')
end

local function copy_field(from, to, id)
  local value = redis.call('HGET', from, id)
  if value then
    later('HSET', to, id, value)
  else
    later('HDEL', to, id)
  end
end

local function copy(id, score)
  later('ZADD', KEYS[9], score, id)
  copy_field(KEYS[5], KEYS[10], id)
  copy_field(KEYS[15], KEYS[16], id)
  later('HSET', CARRIED, id, COPIED)
end

local function forget(id)
  copied = copied - 1
  later('ZREM', KEYS[9], id)
  later('HDEL', KEYS[10], id)
  later('HDEL', KEYS[16], id)
  later('HDEL', CARRIED, id)
  later_reasons(id, '')
end

local function carry(id)
  local why, hidden = redis.call('HGET', CARRIED, id), redis.call('ZSCORE', KEYS[4], id)
  local reasons = hidden and reasons_of(KEYS[13], id) or ''
  if type(why) == 'string' and string.sub(why, 1, 1) == BY_FILE then
    later_reasons(id, changed_reasons(why .. ' ' .. reasons))
    return
  elseif not hidden then
    if why == STAGED then
      return_to_ranking(id)
    elseif why == COPIED then
      forget(id)
    end
    return
  elseif why == COPIED then
    copy(id, hidden)
  elseif why ~= STAGED then
    local score = redis.call('ZSCORE', KEYS[6], id)
    if score then
      leave_ranking(id, score, STAGED)
    else
      copied = copied + 1
      copy(id, hidden)
    end
  end
  later_reasons(id, reasons)
end

-- Calls `change` for each of the user ids, and stores what it changed. Returns whether no counter would leave 64 bits.
local function change_staged(change, ids)
  counted, curve = read_stats(KEYS[7]), guild_curve(KEYS[8])
  local seen = {}
  for _, id in ipairs(ids) do
    if not seen[id] then
      seen[id] = true
      change(id)
    end
  end
  require_permissions(KEYS[6], 'ZADD', 'ZREM')
  require_permissions(KEYS[7], 'HSET')
  require_permissions(KEYS[9], 'ZADD', 'ZREM')
  require_permissions(KEYS[10], 'HSET', 'HDEL')
  require_permissions(CARRIED, 'HSET', 'HDEL')
  require_permissions(KEYS[14], 'HSET', 'HDEL')
  require_permissions(KEYS[16], 'HSET', 'HDEL')
  if writes[1] and not store_changes(counted) then
    return false
  end
  for _, write in ipairs(writes) do
    write[1](unpack(write, 2))
  end
  return true
end

-- Returns the user ids that the stats of the guild name, nil for all members. A guild without a revision has none.
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

local function swap()
  local server = server_name()
  if redis.call('ZCARD', KEYS[6]) ~= ARGV[3] + 0 or redis.call('ZCARD', KEYS[9]) ~= ARGV[4] + 0 then
    return { 'REFUSED', 0, 'staged' }
  elseif ARGV[7] and ARGV[7] ~= curve_text(KEYS[3]) then
    return { 'CURVE' }
  end
  for _, key in ipairs({ KEYS[1], KEYS[4], KEYS[5], KEYS[13], KEYS[15] }) do
    require_permissions(key, 'UNLINK', 'RENAME')
  end
  require_permissions(KEYS[2], 'HSET', 'HDEL')
  require_permissions(KEYS[3], 'HSET')
  require_rights_to_all()
  local stats = read_stats(KEYS[2])
  local noted = server == ARGV[5] and noted_ids(stats)
  local config, rev = redis.call('HGETALL', KEYS[8]), next_revision(stats.rev)
  if not noted or #noted > ARGV[6] + 0 then
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
  counted = read_stats(KEYS[7])
  local members, total_xp, level_sum = changed_counters(counted)
  redis.call('HSET', KEYS[3], unpack(config))
  -- A running count of the old members does not see this revision, and begins again.
  local counters = { 'members', members, 'total_xp', total_xp, 'level_sum', level_sum, 'hidden', format_integer(redis.call('ZCARD', KEYS[9])) }
  redis.call('HSET', KEYS[2], 'rev', rev, 'model', MODEL, unpack(counters))
  if boards[1] then
    redis.call('HSET', KEYS[2], unpack(boards))
    on_boards().write(stats)
  end
  redis.call('HDEL', KEYS[2], 'replacing')
  redis.call('UNLINK', KEYS[1], KEYS[4], KEYS[5], KEYS[7], KEYS[8], CARRIED, KEYS[13], KEYS[15])
  local places = { [KEYS[6]] = KEYS[1], [KEYS[9]] = KEYS[4], [KEYS[10]] = KEYS[5], [KEYS[14]] = KEYS[13], [KEYS[16]] = KEYS[15] }
  for next, present in pairs(places) do
    if redis.call('EXISTS', next) == 1 then
      redis.call('RENAME', next, present)
    end
  end
  return { 'OK' }
end

local mode, reply = ARGV[1], { 'OK' }
if mode == 'clear' or mode == 'end' then
  reply = clear()
elseif mode == 'note' then
  -- Data of a newer version are left as they are.
  local stats = read_stats(KEYS[2])
  require_permissions(KEYS[2], 'HSET')
  reply = { 'OK', redis.call('ZCARD', KEYS[6]), server_name() }
  -- A guild of which nothing is stored stays so.
  if stats.rev ~= '' then
    redis.call('HSET', KEYS[2], 'replacing', '')
  end
elseif mode == 'swap' then
  reply = swap()
else
  local ids, reasons = {}, {}
  for i = 3, #ARGV, mode == 'hide' and 2 or 1 do
    ids[#ids + 1], reasons[ARGV[i]] = ARGV[i], ARGV[i + 1]
  end
  local function hide(id)
    local score = redis.call('ZSCORE', KEYS[6], id)
    if score then
      leave_ranking(id, score, BY_FILE .. ' ' .. reasons[id])
      later_reasons(id, reasons[id])
    end
  end
  local is_done = change_staged(mode == 'hide' and hide or carry, ids)
  reply = is_done and { 'OK', left, copied } or { 'REFUSED', 0, 'total' }
end
if mode == 'end' then
  redis.call('DEL', LOCK)
else
  renew_lock(LOCK)
end
return reply
