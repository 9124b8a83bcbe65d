-- lib-permissions: raises Redis's NOPERM error when the user may not run one of the commands on a key. A script asks before its first
-- write, because a command that is refused later would leave half a change.

--- @include lib-mock

-- Returns arguments for a command after its key: as many as it needs, because Redis 8 refuses to answer about another number.
local function sample_arguments(command, key)
  if command == 'ZADD' then
    return '0', 'x'
  elseif command == 'ZREMRANGEBYRANK' then
    return '0', '0'
  elseif command == 'HSET' or command == 'HINCRBY' then
    return 'x', 'x'
  elseif command == 'ZREM' or command == 'HDEL' or command == 'SET' or command == 'ZREVRANK' then
    return 'x'
  elseif command == 'EXPIRE' or command == 'PEXPIRE' or command == 'INCRBY' then
    return '1'
  elseif command == 'RENAME' then
    return key
  end
end

local function require_permissions(key, command, ...)
  if ON_MOCK then
    return
  end
  if not redis.acl_check_cmd(command, key, sample_arguments(command, key)) then
    error({ err = 'NOPERM this user has no permission to run ' .. command .. ' on ' .. key })
  end
  if ... then
    require_permissions(key, ...)
  end
end
