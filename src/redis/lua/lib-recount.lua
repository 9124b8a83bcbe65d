-- lib-recount: corrects a running count (see lib-recount-state.lua) for a member that takes (sign 1) or leaves (-1) a score.
local function correct_recount(stats, id, score_text, explicit, sign)
  local state = stats.recount
  if not (state and state.score) then
    return
  end
  if state.has_passed(score_of(score_text), id) then
    state.curve = state.curve or curve_named(state.curve_name)
    local xp = whole_xp(score_text)
    state.counted = state.counted + sign
    add_to_sums(state, xp, explicit or level_of(state.curve, xp), sign)
  end
end
