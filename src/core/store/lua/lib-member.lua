-- lib-member: how the scripts find and show one member.

local find = string.find

local function is_valid_id(id)
  return #id <= 64 and find(id, '^[0-9A-Za-z_.%-]+$')
end

-- Returns the score of a member and whether it is hidden; nil for nobody. A guild without hidden members costs no look-up.
local function score_and_place(stats, xp_key, hidden_key, id)
  local score = redis.call('ZSCORE', xp_key, id)
  if not score and stats.hidden then
    score = redis.call('ZSCORE', hidden_key, id)
    return score or nil, score and true
  end
  return score or nil, false
end
