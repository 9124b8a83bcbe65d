-- lib-change: the only code that changes a member. All that depends on the members of a guild (sums, a running count, boards) changes here, so that
-- no script can forget a part.

--- @include lib-level
--- @include lib-counters
--- @include lib-boards

-- Corrects a running count (see lib-recount-state.lua) for a member that takes (sign 1) or leaves (-1) a place in the ranking.
local function correct_recount(state, id, place, sign)
  if state.score and state.has_passed(score_of(place.score), id) then
    state.curve = state.curve or curve_named(state.curve_name)
    local xp = whole_xp(place.score)
    state.counted = state.counted + sign
    local level = place.explicit or level_of(state.curve, xp)
    if place.explicit then
      state.has_explicit = true
    end
    add_to_sums(state, xp, level, sign)
    for name, gained in pairs(place.on or {}) do
      add_to_sums(state.on(name), gained, level, sign)
    end
  end
end

-- Notes that a member leaves the place `before` (nil: the member had no place) for the place `after` (nil: the member has no place any more). A place
-- is a table: "score" as it is stored, "xp" of the score, "explicit" level or nil, "level" where it is known, and "is_hidden" for a place outside the
-- ranking. A new place has "joins" when the member may have XP in the old and in the new place, which become one sum in the new place. The boards add
-- the gain. store_changes writes the counters.
local function change_member(stats, curve, id, before, after, gain)
  if stats.boards_text then
    on_boards().change_member(stats, curve, id, before, after, gain)
  end
  local sums = stats.sums
  if not sums then
    sums = new_sums()
    stats.sums = sums
  end
  local was_ranked, is_ranked = before and not before.is_hidden, after and not after.is_hidden
  if is_ranked and after.explicit and not stats.has_explicit then
    stats.meets_explicit = true
  end
  local members, old, old_level, new, new_level = 0, 0, 0, 0, 0
  if was_ranked and before.xp > 0 then
    members, old = -1, before.xp
    old_level = before.level or before.explicit or level_of(curve, old)
  end
  if is_ranked and after.xp > 0 then
    members, new = members + 1, after.xp
    new_level = after.level or after.explicit or level_of(curve, new)
  end
  if old + new < PART and old_level + new_level < PART then
    -- Most changes are this small. One step then does what the two lines below do.
    sums.members = sums.members + members
    sums.lo, sums.level_lo = sums.lo + new - old, sums.level_lo + new_level - old_level
  else
    add_to_sums(sums, old, old_level, -1)
    add_to_sums(sums, new, new_level, 1)
  end
  if stats.recount then
    if was_ranked then
      correct_recount(stats.recount, id, before, -1)
    end
    if is_ranked then
      correct_recount(stats.recount, id, after, 1)
    end
  end
end

-- Stores the changes of members in the counters and the boards, raises the revision and stores further fields of the stats. Returns the revision, or
-- nil when a counter would leave 64 bits; then nothing was changed. This is the first write of a script: Redis refuses a write when it is full,
-- read-only or cannot save, but only the first.
local function store_changes(stats, ...)
  local members, total_xp, level_sum = changed_counters(stats)
  if not members then
    return nil
  end
  if stats.boards then
    local fields = on_boards().fields(stats)
    if not fields then
      return nil
    end
    for _, field in ipairs({ ... }) do
      fields[#fields + 1] = field
    end
    local rev = write_stats(stats, 'members', members, 'total_xp', total_xp, 'level_sum', level_sum, unpack(fields))
    on_boards().write(stats)
    return rev
  end
  -- Most writes change the total alone. A field that stays as it is costs time too.
  if members == stats.members and level_sum == stats.level_sum then
    return write_stats(stats, 'total_xp', total_xp, ...)
  end
  return write_stats(stats, 'members', members, 'total_xp', total_xp, 'level_sum', level_sum, ...)
end
