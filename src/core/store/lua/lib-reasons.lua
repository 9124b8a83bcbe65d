-- lib-reasons: why a member is hidden, as gr:{G}:hidden:reasons has it: "left", "self", "moderator", in this order, with spaces between.
-- A hidden member without a value is hidden by a moderator. Raw writers and imports leave it out, so "moderator" alone is not stored.

local REASONS = { 'left', 'self', 'moderator' }

-- Returns the reasons that a text names, in their order, after `reason` was added or lifted.
local function changed_reasons(text, reason, is_added)
  local kept = {}
  for _, each in ipairs(REASONS) do
    local has = string.find(' ' .. text .. ' ', ' ' .. each .. ' ', 1, true)
    if each == reason then
      has = is_added
    end
    if has then
      kept[#kept + 1] = each
    end
  end
  return table.concat(kept, ' ')
end

-- Returns the reasons of a hidden member. A text that names no reason counts as a missing text.
local function reasons_of(reasons_key, id)
  local value = redis.call('HGET', reasons_key, id)
  local known = type(value) == 'string' and changed_reasons(value) or ''
  return known ~= '' and known or 'moderator'
end

-- Stores the reasons of a member, "" for a member that is not hidden.
local function store_reasons(reasons_key, id, reasons)
  if reasons == '' or reasons == 'moderator' then
    redis.call('HDEL', reasons_key, id)
  else
    redis.call('HSET', reasons_key, id, reasons)
  end
end
