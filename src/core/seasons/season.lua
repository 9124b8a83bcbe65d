-- season: ends a season in steps: its members are marked and copied into an archive, then they start again (src/core/seasons/season.ts).
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:season   KEYS[7] gr:{G}:season:xp   KEYS[8] gr:{G}:next:xp:lock
-- KEYS[9] gr:{G}:hidden:reasons   KEYS[10] gr:{G}:avatars
-- ARGV[1] mode   ARGV[2] token of the lock, which expires after ten seconds   ARGV[3..] by mode:
--   "begin" archive, "keep" | "drop"   takes the lock. {"OK", id of the season, "copy" | "reset" | "done", curve, multiplier}, or {"BUSY"},
--           or {"OTHER", archive} while another season is not done, of which members are marked, or {"IMPORTING"} as "open"
--   "open" season, curve, multiplier   takes the lock of an archive. The first one of a season gives the archive the curve and the
--           multiplier, as "begin" returned them. {"OK"}, {"BUSY"}, {"IMPORTING"} when an import of the guild was left unfinished, or {"EXISTS"}
--           when the guild has data that are not of this season
--   "server"   {"OK", name of the running server}
--   "mark" number, cursor, "marked" | "ranked" | "hidden", "unmarked" for those only that are not marked   notes the XP of about that many
--           members. {"OK", next cursor, per member a text as lib-row.lua says}, or {"INVALID", user id} for one that no member may have
--   "copied" name, "all" when all must be marked   the members are in the archive: from now on they are reset, and boards begin again. {"OK", marked
--           members}, {"MISSED"} when some are not marked, who came or changed their place meanwhile, or {"AGAIN"} when the server has not the name that it had before the
--           first "mark": after a failover, cursors list other members, and marks can be lost
--   "reset" number   so many marked members lose the XP that was marked, and their level. {"OK", marked members left, how many are reset},
--           or {"AGAIN"} when "copied" was lost in a failover
--   "hide" user ids, each with its reasons | "unhide" user ids   puts members of the archive where they stand in the guild, with the same
--           reasons. The reply is that of hide.lua
--   "done"   no member is left: the season is over. {"OK"}   "unlock"   {"OK"}
-- All but the first two: {"REFUSED", 0, "lock"} when the lock has another token; "reset" {"REFUSED", 0, "total"}. Nothing was changed then.
-- O(n log m) for n members of m.

--- @include lib-place
--- @include lib-lock
--- @include lib-row

local mode, token = ARGV[1], ARGV[2]
local stats = read_stats(KEYS[2])
local season = redis.call('HMGET', KEYS[6], 'id', 'archive', 'phase', 'rest', 'of')

-- Returns the fields of the config of an archive that give its members the levels that they had. A bot may not be allowed to write
-- them, so there are none for what the archive has anyway.
local function archive_config(curve, multiplier)
  local _, present = guild_curve(KEYS[3])
  local fields = multiplier ~= '' and { 'xp_multiplier', multiplier } or {}
  local function add(field, value)
    fields[#fields + 1] = field
    fields[#fields + 1] = value
  end
  if curve ~= present then
    local name, coefficients = string.match(curve, '^([^=]*)=?(.*)$')
    add('xp_curve', name)
    if coefficients ~= '' then
      add('xp_curve_custom', coefficients)
    end
  end
  return fields
end

if mode == 'begin' or mode == 'open' then
  -- A season is named by the id of its guild and by its own, with a space between.
  local bounds = { MAX_ID, mode == 'begin' and MAX_ID or 2 * MAX_ID + 1, MAX_CURVE, MAX_MULTIPLIER }
  for i, most in ipairs(bounds) do
    if #(ARGV[i + 1] or '') > most then
      return { 'REFUSED', 0, 'argument' }
    end
  end
  require_permissions(KEYS[6], 'HSET')
  require_permissions(KEYS[8], 'SET')
  local owner = owner_of(KEYS[8])
  if owner and owner ~= token then
    return { 'BUSY' }
  end
  if redis.call('HGET', KEYS[2], 'importing') then
    return { 'IMPORTING' }
  end
  if mode == 'open' then
    local is_first = season[5] ~= ARGV[3]
    if is_first and redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[4]) > 0 then
      return { 'EXISTS' }
    end
    local config = is_first and archive_config(ARGV[4], ARGV[5]) or {}
    if config[1] then
      require_permissions(KEYS[3], 'HSET')
    end
    redis.call('SET', KEYS[8], token, 'PX', LOCK_MS)
    redis.call('HSET', KEYS[6], 'of', ARGV[3])
    if config[1] then
      redis.call('HSET', KEYS[3], unpack(config))
    end
    return { 'OK' }
  end
  local phase, archive = season[3], ARGV[3]
  local is_other = season[2] ~= archive or season[4] ~= ARGV[4]
  if phase == 'copy' and is_other and redis.call('EXISTS', KEYS[7]) == 0 then
    -- It has done nothing yet.
    phase = nil
  elseif type(phase) == 'string' and phase ~= 'done' and is_other then
    return { 'OTHER', season[2] }
  end
  local id = season[1]
  local _, curve_name, multiplier = guild_curve(KEYS[3])
  redis.call('SET', KEYS[8], token, 'PX', LOCK_MS)
  if type(phase) ~= 'string' or (phase == 'done' and season[2] ~= archive) then
    id, phase = token, 'copy'
    redis.call('HSET', KEYS[6], 'id', id, 'archive', archive, 'phase', phase, 'rest', ARGV[4])
  end
  return { 'OK', id, phase, curve_name, multiplier }
end

if not holds_lock(KEYS[8], token) then
  return { 'REFUSED', 0, 'lock' }
end
require_permissions(KEYS[8], 'PEXPIRE', 'DEL')

local function store_without_level(id, value)
  local _, streak, claim, name = split_profile(value)
  local changed = join_profile('-', streak, claim, name)
  if changed == '- 0 -' then
    redis.call('HDEL', KEYS[5], id)
  else
    redis.call('HSET', KEYS[5], id, changed)
  end
end

-- Takes the marked XP of the first members, and their levels. Who gained meanwhile keeps that.
local function reset(count)
  local curve = guild_curve(KEYS[3])
  local marks = redis.call('ZRANGE', KEYS[7], 0, count - 1, 'WITHSCORES')
  local writes, hidden = {}, stats.hidden and redis.call('ZCARD', KEYS[4]) or 0
  for i = 1, #marks, 2 do
    local id, marked = marks[i], marks[i + 1]
    local score, is_hidden = score_and_place(stats, KEYS[1], KEYS[4], id)
    if score then
      local profile = redis.call('HGET', KEYS[5], id)
      local old, level = whole_xp(score), explicit_level(profile)
      local xp = math.max(old - whole_xp(marked), 0)
      -- Who is hidden for more than its absence stays: its next message would show it.
      local goes = xp == 0 and season[4] == 'drop' and (not is_hidden or reasons_of(KEYS[9], id) == 'left')
      hidden = is_hidden and goes and hidden - 1 or hidden
      redis.call('HGET', KEYS[10], id)
      local after = not goes and { score = format_integer(xp), xp = xp, is_hidden = is_hidden }
      change_member(stats, curve, id, { score = score, xp = old, explicit = level, is_hidden = is_hidden }, after)
      writes[#writes + 1] = { is_hidden and KEYS[4] or KEYS[1], id, profile, not goes and format_integer(xp) }
    end
  end
  require_permissions(KEYS[1], 'ZADD', 'ZREM')
  require_permissions(KEYS[4], 'ZADD', 'ZREM')
  require_permissions(KEYS[7], 'ZREMRANGEBYRANK', 'ZCARD')
  require_permissions(KEYS[5], 'HSET', 'HDEL')
  require_permissions(KEYS[9], 'HDEL')
  require_permissions(KEYS[10], 'HDEL')
  if writes[1] and not store_changes(stats, 'hidden', format_integer(hidden)) then
    return { 'REFUSED', 0, 'total' }
  end
  for _, write in ipairs(writes) do
    local key, id, profile, xp = unpack(write)
    if xp then
      redis.call('ZADD', key, xp, id)
      if explicit_level(profile) then
        store_without_level(id, profile)
      end
    else
      redis.call('ZREM', key, id)
      redis.call('HDEL', KEYS[5], id)
      redis.call('HDEL', KEYS[9], id)
      redis.call('HDEL', KEYS[10], id)
    end
  end
  redis.call('ZREMRANGEBYRANK', KEYS[7], 0, count - 1)
  return { 'OK', redis.call('ZCARD', KEYS[7]), #marks / 2 }
end

local function mark(count, cursor, place, which)
  local key = ({ marked = KEYS[7], ranked = KEYS[1], hidden = KEYS[4] })[place]
  local scanned = redis.call('ZSCAN', key, cursor, 'COUNT', count)
  local reply, marks = { 'OK', scanned[1] }, {}
  for i = 1, #scanned[2], 2 do
    local id = scanned[2][i]
    if not is_valid_id(id) then
      return { 'INVALID', id }
    end
    local score, is_hidden = score_and_place(stats, KEYS[1], KEYS[4], id)
    -- Without the field "hidden" in the counters, nobody is hidden.
    if score and (which ~= 'unmarked' or not redis.call('ZSCORE', KEYS[7], id)) then
      reply[#reply + 1] = member_row(id, score, is_hidden, KEYS[5], KEYS[9], KEYS[10])
      marks[#marks + 1] = format_integer(whole_xp(score))
      marks[#marks + 1] = id
    end
  end
  write_all('ZADD', KEYS[7], marks)
  return as_reply(reply)
end

local function place_in_archive()
  local ids, reasons = {}, {}
  for i = 3, #ARGV, mode == 'hide' and 2 or 1 do
    local id = ARGV[i]
    ids[#ids + 1], reasons[id] = id, mode == 'hide' and changed_reasons(ARGV[i + 1]) or ''
  end
  return change_place(KEYS[9], ids, function(id)
    return reasons[id]
  end)
end

local reply = { 'OK' }
if mode == 'server' then
  reply[2] = server_name()
elseif mode == 'mark' then
  require_permissions(KEYS[7], 'ZADD')
  reply = mark(ARGV[3], ARGV[4], ARGV[5], ARGV[6])
elseif mode == 'hide' or mode == 'unhide' then
  reply = place_in_archive()
elseif mode == 'reset' then
  reply = season[3] == 'copy' and { 'AGAIN' } or reset(ARGV[3])
elseif mode == 'copied' and ARGV[3] and ARGV[3] ~= server_name() then
  reply = { 'AGAIN' }
elseif mode == 'copied' and ARGV[4] == 'all' and redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[4]) > redis.call('ZCARD', KEYS[7]) then
  reply = { 'MISSED' }
elseif mode == 'copied' or mode == 'done' then
  reply[2] = mode == 'copied' and redis.call('ZCARD', KEYS[7]) or nil
  require_permissions(KEYS[6], 'HSET')
  if season[3] == 'copy' and stats.boards_text then
    -- The boards begin again with the season.
    on_boards().clear(stats)
    store_changes(stats)
  end
  redis.call('HSET', KEYS[6], 'phase', mode == 'done' and 'done' or 'reset')
end
if mode == 'unlock' then
  redis.call('DEL', KEYS[8])
else
  renew_lock(KEYS[8])
end
return reply
