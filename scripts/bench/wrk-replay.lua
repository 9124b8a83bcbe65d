-- Replays prepared requests with wrk, in their order and round and round, and prints the result as one line of JSON.
-- Arguments: the file of requests, each ended by an empty line; the index of the first request to send; the seconds at the start
-- whose requests count only in the total; and the number of connections.

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds, nanoseconds; } timespec; int clock_gettime(int clock, timespec *time);")

local CLOCK_MONOTONIC = 1
local time = ffi.new("timespec")
local function now()
  ffi.C.clock_gettime(CLOCK_MONOTONIC, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

local requests, count, at, settled_at
local sent = 0
settle_seconds, connections, sent_before = nil, nil, nil

-- There is one thread. Its variables are read when all is done.
local measuring
function setup(thread)
  measuring = thread
end

function init(args)
  requests, count = {}, 0
  local file = assert(io.open(args[1], "rb"))
  for text in file:read("*a"):gmatch "(.-\r\n\r\n)" do
    count = count + 1
    requests[count] = text
  end
  file:close()
  -- wrk takes one request to look at before it sends any.
  at = (tonumber(args[2]) - 1) % count
  settle_seconds, connections = tonumber(args[3]), tonumber(args[4])
  settled_at = now() + settle_seconds
end

function request()
  if not sent_before then
    if now() >= settled_at then
      sent_before = sent
    end
    sent = sent + 1
  end
  at = at == count and 1 or at + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  -- Of the requests that were sent by then, one of each connection had no answer yet.
  local before = math.max(0, (measuring:get("sent_before") or summary.requests) - measuring:get("connections"))
  io.write(
    string.format(
      '{"total":%d,"requests":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"failed":%d,"unanswered":%d}\n',
      summary.requests,
      summary.requests - before,
      summary.duration / 1e6 - measuring:get("settle_seconds"),
      latency:percentile(50) / 1000,
      latency:percentile(99) / 1000,
      errors.status,
      errors.connect + errors.read + errors.write + errors.timeout
    )
  )
end
