-- lib-change: the only code that changes a member. What depends on its members (sums, a running count) moves in it, so no script can forget one.

--- @include lib-level
--- @include lib-counters

-- Corrects a running count (see lib-recount-state.lua) for a member that takes (sign 1) or leaves (-1) a place in the ranking.
local function correct_recount(state, id, place, sign)
  if state.score and state.has_passed(score_of(place.score), id) then
    state.curve = state.curve or curve_named(state.curve_name)
    local xp = whole_xp(place.score)
    state.counted = state.counted + sign
    add_to_sums(state, xp, place.explicit or level_of(state.curve, xp), sign)
  end
end

-- Notes that a member leaves a place in the ranking (nil: it had none) for another one (nil: it has none). A place is a table: "score" as it is
-- stored, "xp" of it, "explicit" level or nil, and "level" where it is known. store_changes writes the counters.
local function change_member(stats, curve, id, before, after)
  local sums = stats.sums
  if not sums then
    sums = new_sums()
    stats.sums = sums
  end
  local old, new = before and before.xp or 0, after and after.xp or 0
  local old_level = old > 0 and (before.level or before.explicit or level_of(curve, old)) or 0
  local new_level = new > 0 and (after.level or after.explicit or level_of(curve, new)) or 0
  if old > 0 and new > 0 and old < PART and new < PART and old_level < PART and new_level < PART then
    -- As the two lines below, in one step: most changes are so.
    sums.lo, sums.level_lo = sums.lo + new - old, sums.level_lo + new_level - old_level
  else
    add_to_sums(sums, old, old_level, -1)
    add_to_sums(sums, new, new_level, 1)
  end
  if stats.recount then
    if before then
      correct_recount(stats.recount, id, before, -1)
    end
    if after then
      correct_recount(stats.recount, id, after, 1)
    end
  end
end
