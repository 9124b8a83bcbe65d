-- command-board: the commands page, member and stats for a board of the guild, such as "page~week" (docs/guilds.md#boards). A board whose period is
-- over, and which nothing has written since, reads as empty; in the next period, it reads as the last board. The revision of a board changes with the
-- revision of the guild and with the period.

--- @include lib-period

local function text_of(value)
  return type(value) == 'string' and value or ''
end

-- Returns the state of a board: revision, key of its ranking (nil = nothing gained), its counters as a list of texts, and a function for the
-- begin and the end of its period (nil for a board that the guild does not have).
local function open_board(guild, name)
  local stats_key = guild.base .. 'stats'
  local rev, model, stored = unpack(redis.call('HMGET', stats_key, 'rev', 'model', 'boards'))
  require_known_model(model, stats_key)
  local kind, suffix = string.match(name, '^(%a+)(.*)$')
  local clock, states = string.match(text_of(stored), '^(%S+)( .*)$')
  local function state_of(board)
    return { string.match(states or '', ' ' .. string.gsub(board, '%.', '%%.') .. ':(%-?%d+):(%-?%d+):(%-?%d+):(%-?%d+)') }
  end
  local stored = {}
  for slot, board in pairs({ present = kind, last = kind .. '.prev' }) do
    local state = state_of(board)
    if not state[1] then
      return { rev = text_of(rev), counters = { '0', '0', '0' } }
    end
    local key = string.sub(guild.base, 1, -2) .. '~' .. board .. ':xp'
    stored[slot] = { period = state[1] + 0, key = key, counters = { state[2], state[3], state[4] } }
  end
  local offsets = offsets_of(clock, guild.base .. 'config')
  local present, period = stored.present.period, period_of(kind, day_at(offsets))
  local present_slot, last_slot = slots_at(period, present, stored.last.period)
  -- Each revision of the guild makes three revisions of a board, as long as they are exact: for the period of the present board, for the next period,
  -- and for the period before. In every other period the board has no revision until the next write.
  local number = tonumber(text_of(rev)) or math.huge
  local is_exact = number < 3002399751580330 and math.abs(period - present) <= 1
  local board = stored[suffix == '' and present_slot or suffix ~= '' and last_slot]
  if not board or (suffix ~= '' and board.period ~= period - 1) then
    board = { counters = { '0', '0', '0' } }
  end
  board.rev = is_exact and string.format('%.0f', number * 3 + (period - present) % 3) or ''
  function board.limits()
    return limits_of(kind, suffix == '' and period or period - 1, offsets)
  end
  return board
end

-- Returns the XP in the guild's ranking of each user id, as texts.
local function xp_of_each(guild, ids)
  local scores = redis.call('ZMSCORE', guild.base .. 'xp', unpack(ids))
  for i = 1, #ids do
    scores[i] = text_of(scores[i])
  end
  return scores
end

local board_commands = {}

-- Reply: as of "page", the members' XP in the guild, which gives their levels, and the begin and the end of the period in seconds since 1970,
-- left out for a board that the guild does not have. O(log m + rows).
function board_commands.page(guild, name, first, last, cached)
  local board = open_board(guild, name)
  if cached ~= '' and board.rev == cached then
    return ''
  end
  local rows, ids = board.key and redis.call('ZREVRANGE', board.key, first, last, 'WITHSCORES') or {}, {}
  for i = 1, #rows, 2 do
    ids[#ids + 1] = rows[i]
  end
  local curve = curve_text(guild.base .. 'config')
  local total = board.key and redis.call('ZCARD', board.key) or 0
  local limits = board.limits and board.limits() or {}
  if not ids[1] then
    return { board.rev, total, curve, {}, {}, {}, limits }
  end
  return { board.rev, total, curve, rows, redis.call('HMGET', guild.base .. 'members', unpack(ids)), xp_of_each(guild, ids), limits }
end

-- Reply: as of "member", and the member's XP in the guild. O(log m).
function board_commands.member(guild, name, user_id, cached)
  local board = open_board(guild, name)
  if cached ~= '' and board.rev == cached then
    return ''
  end
  local score = board.key and redis.call('ZSCORE', board.key, user_id)
  if not score then
    return { board.rev, -1 }
  end
  local curve = curve_text(guild.base .. 'config')
  local rank, profile = redis.call('ZREVRANK', board.key, user_id), redis.call('HGET', guild.base .. 'members', user_id) or ''
  return { board.rev, rank, score, curve, profile, xp_of_each(guild, { user_id })[1] }
end

-- Reply: as of "stats". O(1).
function board_commands.stats(guild, name, cached)
  local board = open_board(guild, name)
  if cached ~= '' and board.rev == cached then
    return ''
  end
  local config = guild.base .. 'config'
  local stored = redis.call('HMGET', config, 'xp_curve', 'xp_multiplier')
  local members, total_xp, level_sum = unpack(board.counters)
  return { board.rev, members, total_xp, level_sum, curve_text(config, stored[1]), multiplier_text(stored[2]) }
end

-- Returns the command of a name such as "page~week".
local function board_command(name)
  local command, board = string.match(name, '^(%a+)~(.+)$')
  return function(guild, ...)
    return board_commands[command](guild, board, ...)
  end
end
