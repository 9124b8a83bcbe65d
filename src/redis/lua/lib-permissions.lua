-- lib-permissions: raises Redis's NOPERM error when the user may not run a command. A script asks before its first write, because a
-- command that is refused later would leave half a change. Redis 6 cannot tell.
local function require_permission(command, ...)
  if redis.acl_check_cmd and not redis.acl_check_cmd(command, ...) then
    error({ err = 'NOPERM this user has no permission to run ' .. command .. ' on ' .. (...) })
  end
end
