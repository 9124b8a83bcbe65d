-- lib-lists: long lists as arguments of commands. Lua's C stack has room for some 8,000 values.

--- @include lib-mock

-- Values that one command gets. The number is even, so that a field and its value stay together.
local SLICE = 2000

-- Runs a command with all values of a list, or with the values from `first` on.
local function write_all(command, key, list, first)
  local last = #list
  for from = first or 1, last, SLICE do
    redis.call(command, key, unpack(list, from, math.min(from + SLICE - 1, last)))
  end
end
