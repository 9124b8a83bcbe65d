-- lib-permissions: raises Redis's NOPERM error when the user may not run one of the commands on a key. A script asks before its first
-- write, because a command that is refused later would leave half a change. Redis 6 cannot tell.

-- Arguments after the key, as Redis checks their number.
local SAMPLES = {
  EXPIRE = { '1' },
  HDEL = { 'x' },
  HSET = { 'x', 'x' },
  PEXPIRE = { '1' },
  ZADD = { '0', 'x' },
  ZREM = { 'x' },
}

local function require_permissions(key, ...)
  if not redis.acl_check_cmd then
    return
  end
  for _, command in ipairs({ ... }) do
    local rest = command == 'RENAME' and { key } or SAMPLES[command] or {}
    if not redis.acl_check_cmd(command, key, unpack(rest)) then
      error({ err = 'NOPERM this user has no permission to run ' .. command .. ' on ' .. key })
    end
  end
end
