-- http.lua - wrk posts the bodies of the file named by BODIES to TARGET, for the policy POLICY, each thread from another place on.
-- A line is "ANSWER-BYTES BODY". Ends with a line "wrk RPS P50-US P99-US ERRORS REQUESTS".

local n_threads = 0
local target, policy = os.getenv("TARGET") or "/v1/filter", os.getenv("POLICY")

function setup(thread)
    thread:set("place", n_threads / 2)
    n_threads = n_threads + 1
end

function init()
    requests = {}
    for line in io.lines(os.getenv("BODIES")) do
        local size, body = line:match("^(%d+) (.*)$")
        local headers = { ["Content-Type"] = "application/json", ["Answer-Bytes"] = size, ["Filterd-Policy"] = policy }
        requests[#requests + 1] = wrk.format("POST", target, headers, body)
    end
    at = math.floor(#requests * place)
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function done(summary, latency)
    local e = summary.errors
    local errors = e.connect + e.read + e.write + e.status + e.timeout
    io.write(string.format("wrk %.1f %d %d %d %d\n", summary.requests / summary.duration * 1e6,
                           latency:percentile(50), latency:percentile(99), errors, summary.requests))
end
