-- lib-server: the server that runs the script. After a failover it is another one, where cursors list other members and writes can be lost.

-- Returns a name that a server has from its start to its end.
local function server_name()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end
