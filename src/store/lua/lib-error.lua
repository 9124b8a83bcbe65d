-- lib-error: ends a script with an error of its own code, before its first write.
local function raise_error(message)
  -- ioredis-mock shows a table as "null".
  error(redis.acl_check_cmd and { err = message } or message, 0)
end
