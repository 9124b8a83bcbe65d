-- lib-carry: moves members between the staged ranking and the hidden staged members. A member that is hidden in the guild stays hidden, with its
-- reasons: with the staged XP, profile and avatar, or with its own when it is not staged.

--- @include lib-change
--- @include lib-permissions
--- @include lib-lock
--- @include lib-profile
--- @include lib-reasons

-- Why a member is hidden among the staged ones: the file says so, with the reasons that follow, or the guild, where it is staged or not.
local BY_FILE, STAGED_TOO, COPIED = 'f', 's', 'c'

-- The keys of the staged members, and those of the guild, by name. Each script sets those that it takes.
local staged, present = nil, nil
local counted, curve = nil, nil
-- Members that left the staged ranking, and members copied from the guild; below 0 for more that returned, or went.
local writes, left, copied = {}, 0, 0

local function later(...)
  writes[#writes + 1] = { redis.call, ... }
end

local function place_of(id, score)
  return { score = score, xp = whole_xp(score), explicit = explicit_level(redis.call('HGET', staged.members, id)) }
end

local function later_reasons(id, reasons)
  writes[#writes + 1] = { store_reasons, staged.reasons, id, reasons }
end

local function leave_ranking(id, score, why)
  change_member(counted, curve, id, place_of(id, score), nil)
  left = left + 1
  later('ZREM', staged.xp, id)
  later('ZADD', staged.hidden, score, id)
  later('HSET', staged.carried, id, why)
end

-- Hides a member that is staged, as the file says.
local function hide_staged(id, reasons)
  local score = redis.call('ZSCORE', staged.xp, id)
  if score then
    leave_ranking(id, score, BY_FILE .. ' ' .. reasons)
    later_reasons(id, reasons)
  end
end

local function return_to_ranking(id)
  local score = redis.call('ZSCORE', staged.hidden, id)
  change_member(counted, curve, id, nil, place_of(id, score))
  left = left - 1
  later('ZREM', staged.hidden, id)
  later('ZADD', staged.xp, score, id)
  later('HDEL', staged.carried, id)
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
  later('ZADD', staged.hidden, score, id)
  copy_field(present.members, staged.members, id)
  copy_field(present.avatars, staged.avatars, id)
  later('HSET', staged.carried, id, COPIED)
end

local function forget(id)
  copied = copied - 1
  later('ZREM', staged.hidden, id)
  later('HDEL', staged.members, id)
  later('HDEL', staged.avatars, id)
  later('HDEL', staged.carried, id)
  later_reasons(id, '')
end

-- Gives a member the place among the staged ones that it has in the guild. A member that is hidden there leaves the staged ranking, or is
-- copied with its own XP, profile and avatar; a copy goes, and a staged member returns, when it is not hidden any more.
local function carry(id)
  local why, hidden = redis.call('HGET', staged.carried, id), redis.call('ZSCORE', present.hidden, id)
  local reasons = hidden and reasons_of(present.reasons, id) or ''
  if type(why) == 'string' and string.sub(why, 1, 1) == BY_FILE then
    later_reasons(id, changed_reasons(why .. ' ' .. reasons))
    return
  elseif not hidden then
    if why == STAGED_TOO then
      return_to_ranking(id)
    elseif why == COPIED then
      forget(id)
    end
    return
  elseif why == COPIED then
    copy(id, hidden)
  elseif why ~= STAGED_TOO then
    local score = redis.call('ZSCORE', staged.xp, id)
    if score then
      leave_ranking(id, score, STAGED_TOO)
    else
      copied = copied + 1
      copy(id, hidden)
    end
  end
  later_reasons(id, reasons)
end

-- Calls `change` for each of the user ids, and stores what it changed. Returns whether no counter would leave 64 bits.
local function change_staged(change, ids)
  counted, curve = read_stats(staged.stats), guild_curve(staged.config)
  local seen = {}
  for _, id in ipairs(ids) do
    if not seen[id] then
      seen[id] = true
      change(id)
    end
  end
  require_permissions(staged.xp, 'ZADD', 'ZREM')
  require_permissions(staged.stats, 'HSET')
  require_permissions(staged.hidden, 'ZADD', 'ZREM')
  require_permissions(staged.members, 'HSET', 'HDEL')
  require_permissions(staged.carried, 'HSET', 'HDEL')
  require_permissions(staged.reasons, 'HSET', 'HDEL')
  if staged.avatars then
    require_permissions(staged.avatars, 'HSET', 'HDEL')
  end
  if writes[1] and not store_changes(counted) then
    return false
  end
  for _, write in ipairs(writes) do
    write[1](unpack(write, 2))
  end
  return true
end

-- Does the same, and returns the reply of a step that only changes staged members: {"OK", members that left the staged ranking, members
-- copied from the guild}, with numbers below 0 for more that returned, or went; or {"REFUSED", 0, "total"}.
local function reply_of_change(change, ids)
  if not change_staged(change, ids) then
    return { 'REFUSED', 0, 'total' }
  end
  return { 'OK', left, copied }
end
