-- lib-carry: hides staged members, and returns hidden staged members to the staged ranking. A member that is hidden in the guild stays hidden, with
-- its reasons. A member that is staged too gets the staged XP, profile and avatar; any other member keeps its present XP, profile and avatar.

--- @include lib-change
--- @include lib-permissions
--- @include lib-lock
--- @include lib-profile
--- @include lib-reasons

-- Why a member is hidden in the replacement, as gr:{G}:next:carried keeps it: the file hides it, and its reasons follow; or the guild hides it,
-- and it is staged too, or was copied from the guild.
local BY_FILE, STAGED_TOO, COPIED = 'f', 's', 'c'

-- The keys of the staged members, and the keys of the guild, by name. Each script sets the keys that it uses.
local staged, present = nil, nil
local counted, curve = nil, nil
-- The writes to do; the members that left the staged ranking, less the members that returned; and the copies that were added, less the copies that
-- were removed.
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

-- Hides a staged member that the file hides. Leaves out a user who is not staged.
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

local function copy_member(id, score)
  later('ZADD', staged.hidden, score, id)
  copy_field(present.members, staged.members, id)
  copy_field(present.avatars, staged.avatars, id)
  later('HSET', staged.carried, id, COPIED)
end

local function remove_copy(id)
  copied = copied - 1
  later('ZREM', staged.hidden, id)
  later('HDEL', staged.members, id)
  later('HDEL', staged.avatars, id)
  later('HDEL', staged.carried, id)
  later_reasons(id, '')
end

-- Hides or shows a member in the replacement as the guild does now. If the guild hides it, it leaves the staged ranking, or is copied with its
-- present XP, profile and avatar if it is not staged. If the guild no longer hides it, a copy is removed, and a staged member returns to the
-- ranking. A member that the file hides stays hidden in either case.
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
      remove_copy(id)
    end
    return
  elseif why == COPIED then
    copy_member(id, hidden)
  elseif why ~= STAGED_TOO then
    local score = redis.call('ZSCORE', staged.xp, id)
    if score then
      leave_ranking(id, score, STAGED_TOO)
    else
      copied = copied + 1
      copy_member(id, hidden)
    end
  end
  later_reasons(id, reasons)
end

-- Calls `change` for each of the user ids, then does all writes. Returns false, after no write, if a counter would leave 64 bits.
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

-- Calls change_staged, and returns the reply of a step that only changes staged members: {"OK", `left`, `copied`} with the numbers that these
-- variables count, or {"REFUSED", 0, "total"}.
local function reply_of_change(change, ids)
  if not change_staged(change, ids) then
    return { 'REFUSED', 0, 'total' }
  end
  return { 'OK', left, copied }
end
