-- lib-avatars: the pictures of members in gr:{G}:avatars (hash: user id -> Discord's hash of the avatar), only of members who have one.
--
-- Its functions are made at their first use, because making them in every call would cost time for calls without avatars.

--- @include lib-permissions

-- Takes the key of the avatars out of KEYS, where a call with avatars has it, so that the key of an event has the same number without it. Returns
-- nil for another call.
local function take_avatars_key(n)
  if KEYS[n] and string.sub(KEYS[n], #KEYS[1] - 1) == 'avatars' then
    return table.remove(KEYS, n)
  end
end

local avatar_functions
local function on_avatars()
  if avatar_functions then
    return avatar_functions
  end

  -- Returns whether an avatar may change so: a hash of 32 hex digits, with "a_" before the digits of an animated avatar, "none" for no avatar, or ""
  -- for the stored avatar.
  local function is_avatar(text)
    if text == '' or text == 'none' then
      return true
    end
    local digits = string.sub(text, 1, 2) == 'a_' and string.sub(text, 3) or text
    return #digits == 32 and not string.find(digits, '[^0-9a-f]')
  end

  -- Checks before the first write that the avatar of a member can be stored. Returns the stored avatar, "none" for a member without an avatar.
  local function require_avatars(avatars_key, id)
    if not avatars_key then
      error('a call with an avatar needs the key of the avatars', 0)
    end
    local stored = redis.call('HGET', avatars_key, id)
    require_permissions(avatars_key, 'HSET', 'HDEL')
    return type(stored) == 'string' and stored or 'none'
  end

  local function store_avatar(avatars_key, id, avatar)
    if avatar == 'none' then
      redis.call('HDEL', avatars_key, id)
    else
      redis.call('HSET', avatars_key, id, avatar)
    end
  end

  avatar_functions = { is_avatar = is_avatar, require = require_avatars, store = store_avatar }
  return avatar_functions
end
