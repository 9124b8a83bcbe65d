-- Replays prepared requests with wrk, in their order and round and round, and prints the result as one line of JSON.
-- Arguments: the file of requests, each ended by an empty line, and the index of the first request to send.

local requests, count, at

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
end

function request()
  at = at == count and 1 or at + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(
    string.format(
      '{"requests":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"failed":%d,"unanswered":%d}\n',
      summary.requests,
      summary.duration / 1e6,
      latency:percentile(50) / 1000,
      latency:percentile(99) / 1000,
      errors.status,
      errors.connect + errors.read + errors.write + errors.timeout
    )
  )
end
