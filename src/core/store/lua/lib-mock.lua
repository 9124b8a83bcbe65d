-- lib-mock: what the scripts do otherwise on ioredis-mock, on which the demo and the tests run without a Redis.

-- Every Redis and Valkey that the scripts support has this function.
local ON_MOCK = not redis.acl_check_cmd

-- Ends a script with an error of its own code, before its first write. The mock shows a table as "null".
local function raise_error(message)
  error(ON_MOCK and message or { err = message }, 0)
end

-- Returns a list as the reply of a script. The Lua of the mock (fengari) does not take a table that a loop has filled for a list, so the mock needs a
-- copy. The C stack of the mock has no room to copy a long list.
local function as_reply(list)
  return ON_MOCK and #list < 4000 and { unpack(list) } or list
end

-- Returns a short text for a call, by its arguments. The mock has no digests.
local function digest_of(text)
  return ON_MOCK and string.gsub(text, '\n', ' ') or redis.sha1hex(text)
end

-- Returns the digits of a whole number. "+ 0.0" makes -0 to 0. "%d" is twice as fast as "%.0f", but has 32 bits on the mock.
local format = string.format
local function format_integer(n)
  return format((not ON_MOCK or (n > -2147483648 and n < 2147483648)) and '%d' or '%.0f', n + 0.0)
end
