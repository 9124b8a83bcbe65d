-- lib-lists: long lists as arguments of commands and as replies. Lua's C stack has room for some 8,000 values.

-- Values that one command gets. Even, so that a field and its value stay together.
local SLICE = 2000

-- Returns a list as the reply of a script. ioredis-mock needs a copy, for which Lua's C stack has no room when the list is long.
local function as_reply(list)
  return #list < 4000 and { unpack(list) } or list
end

-- Runs a command with all values of a list, or with those from `first` on.
local function write_all(command, key, list, first)
  local last = #list
  for from = first or 1, last, SLICE do
    redis.call(command, key, unpack(list, from, math.min(from + SLICE - 1, last)))
  end
end
