-- lib-recount-state: a count of a guild's members that runs in steps while the bot writes (docs/adr/0004). It goes down the ranking.
-- Its state is the field "recount" of gr:{G}:stats: token, curve, second of the last step, revision, then the place that it has reached
-- (XP and, last, user id), the number of members counted, their sums, the sums on each board, and whether a member had an explicit level. Every
-- script that changes a member corrects these sums when the member stood, or now stands, at or above that place. So the sums always cover exactly the
-- members at or above that place.

-- Returns the state, nil when no count runs. In the state, rev is "" for a guild without a revision, and score is nil before the first member.
-- `boards` has the sums of each board (lib-boards.lua) by its name.
local function parse_recount(text)
  -- Returns five numbers for sums, with commas between.
  local function format_sums(sums)
    local numbers = { sums.members, sums.hi, sums.lo, sums.level_hi, sums.level_lo }
    for i, number in ipairs(numbers) do
      numbers[i] = format_integer(number)
    end
    return table.concat(numbers, ',')
  end

  -- Fills a table with the sums of a text.
  local function parse_sums(text, sums)
    local members, hi, lo, level_hi, level_lo = string.match(text, '^(%S+),(%S+),(%S+),(%S+),(%S+)$')
    sums.members, sums.hi, sums.lo, sums.level_hi, sums.level_lo = members + 0.0, hi + 0.0, lo + 0.0, level_hi + 0.0, level_lo + 0.0
    return sums
  end

  local pattern = '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (.*)$'
  local token, curve, seen, rev, score, counted, own, on_boards, explicit, id = string.match(text, pattern)
  if not token then
    return nil
  end
  local state = parse_sums(own, {
    token = token,
    curve_name = curve,
    seen = seen,
    rev = rev == '-' and '' or rev,
    score = score ~= '-' and score or nil,
    id = id,
    counted = counted + 0.0,
    has_explicit = explicit == '1',
    boards = {},
  })
  for name, sums in string.gmatch(on_boards, '([%a.]+)=([^;]+)') do
    state.boards[name] = parse_sums(sums, {})
  end

  -- Returns the sums of a board. A board that has begun anew since the count began is empty at first.
  function state.on(name)
    state.boards[name] = state.boards[name] or new_sums()
    return state.boards[name]
  end

  function state.format()
    local parts = {}
    for name, sums in pairs(state.boards) do
      parts[#parts + 1] = name .. '=' .. format_sums(sums)
    end
    return table.concat({
      state.token,
      state.curve_name,
      state.seen,
      state.rev == '' and '-' or state.rev,
      state.score or '-',
      format_integer(state.counted),
      format_sums(state),
      parts[1] and table.concat(parts, ';') or '-',
      state.has_explicit and '1' or '-',
      state.id,
    }, ' ')
  end

  -- A command that was killed leaves its state behind; the scripts drop it after 60 seconds without a step, also when the clock went back.
  function state.is_abandoned()
    return math.abs(redis.call('TIME')[1] - state.seen) > 60
  end

  -- Returns whether the count has passed the place of a member, in byte order of the ids. Lua's own comparison follows the server's locale.
  function state.has_passed(score, user_id)
    local reached, last = score_of(state.score), state.id
    if score ~= reached then
      return score > reached
    end
    for i = 1, math.min(#user_id, #last) do
      local x, y = string.byte(user_id, i), string.byte(last, i)
      if x ~= y then
        return x > y
      end
    end
    return #user_id >= #last
  end

  return state
end
