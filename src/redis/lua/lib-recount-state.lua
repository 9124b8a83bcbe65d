-- lib-recount-state: a count of a guild's members that runs in steps while the bot writes (docs/adr/0004). It goes down the ranking.
-- Its state is the field "recount" of gr:{G}:stats: token, curve, second of the last step, revision, then the place that it has reached
-- (XP and, last, user id), the number of members counted, and their sums. Every script that changes a member corrects these sums when the
-- member stood, or now stands, at or above that place. So the sums are always those of all members there.

local STATE = '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (.*)$'
-- A command that was killed leaves its state behind; the scripts drop it after this many seconds without a step.
local ABANDONED_AFTER_S = 60

-- Returns the state, nil when no count runs. Its rev is "" for a guild without one, its score nil before the first member.
local function parse_recount(text)
  if type(text) ~= 'string' then
    return nil
  end
  local token, curve, seen, rev, score, counted, members, hi, lo, level_hi, level_lo, id = string.match(text, STATE)
  return token
    and {
      token = token,
      curve_name = curve,
      seen = seen,
      rev = rev == '-' and '' or rev,
      score = score ~= '-' and score or nil,
      id = id,
      counted = counted + 0.0,
      members = members + 0.0,
      hi = hi + 0.0,
      lo = lo + 0.0,
      level_hi = level_hi + 0.0,
      level_lo = level_lo + 0.0,
    }
end

local function format_recount(state)
  return table.concat({
    state.token,
    state.curve_name,
    state.seen,
    state.rev == '' and '-' or state.rev,
    state.score or '-',
    format_integer(state.counted),
    format_integer(state.members),
    format_integer(state.hi),
    format_integer(state.lo),
    format_integer(state.level_hi),
    format_integer(state.level_lo),
    state.id,
  }, ' ')
end

local function is_abandoned(state)
  return redis.call('TIME')[1] - state.seen > ABANDONED_AFTER_S
end

-- Returns whether text a is b or follows it in byte order. Lua's own comparison follows the server's locale.
local function is_at_or_after(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then
      return x > y
    end
  end
  return #a >= #b
end
