-- lib-stable-slot: raises an error while a Cluster moves the slot of a key to another node. Then keys that a call does not name in KEYS
-- can be on the other node, where the script would take them for missing. The key "absent" never exists, and Redis refuses a command
-- on several keys of a moving slot when one of them is missing.
local function require_stable_slot(key)
  redis.call('EXISTS', key, key .. ':absent')
end
