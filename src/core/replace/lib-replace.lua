-- lib-replace: shared by the scripts that remove the staged members of a replacement (src/core/replace/staged-members.ts). Members are
-- staged under keys that no reader sees, and replace-swap.lua puts the staged members in the place of all present members at one moment. The lock
-- expires after ten seconds. Every step but the first refuses another token with {"REFUSED", 0, "lock"}, and renews the lock.
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:next:xp   KEYS[3] gr:{G}:next:stats   KEYS[4] gr:{G}:next:config   KEYS[5] gr:{G}:next:hidden
-- KEYS[6] gr:{G}:next:members   KEYS[7] gr:{G}:next:carried   KEYS[8] gr:{G}:next:hidden:reasons   KEYS[9] gr:{G}:next:avatars

--- @include lib-permissions
--- @include lib-lock

-- Removes everything that is staged, also by a killed run. Returns the number of members that were staged.
local function clear_staged()
  require_permissions(KEYS[1], 'HDEL')
  for i = 2, 9 do
    require_permissions(KEYS[i], 'UNLINK')
  end
  local staged = redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[5])
  redis.call('UNLINK', unpack(KEYS, 2, 9))
  redis.call('HDEL', KEYS[1], 'replacing')
  return staged
end
