-- lib-require-model: for what came with a later version of a guild's data.
--- @include lib-model

-- Raises an error when the data may not contain something that came with a later version, because older programs would not see it.
local function require_model(stats, needed)
  if stats.model < needed then
    local has = stats.key .. ' has data of version ' .. stats.model
    raise_error('MODEL ' .. has .. ', this needs version ' .. needed .. ': update all programs, then run "guild upgrade"')
  end
end
