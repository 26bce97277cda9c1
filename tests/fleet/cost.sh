#!/bin/sh
# cost.sh BINDIR: processor time of filterd for an answer with and without the fleet, in turns on one machine: 4 rounds of FILTERD_ANSWERS (3000)
# texts each; half have a key, and name one of fifty agents. Prints the throughput with the fleet to that without, by processor time.
. "$(dirname "$0")/fleet.inc"
start_database
sed -i 's/{at: 10, do: alert}, {at: 20, do: kill}/{at: 1000000, do: alert}/' "$work/rules/policy.yaml"
make_node with; start_filterd with; start_link with
make_node without; start_filterd without --link=none
wait_until 'contact' in_contact with
cat >"$work/ask.py" <<'PYTHON'
import http.client, sys
link = http.client.HTTPConnection(sys.argv[1])
for i in range(int(sys.argv[2])):
    text = 'key E2EKEY-4kq9Zt7Xw2Lm8Rv5Bn3Jc6Hd' if i % 2 else 'nothing to hide ' * 60
    link.request('POST', f'/v1/filter?agent=agent-{i % 100}', text, {'Content-Type': 'text/plain'})
    answer = link.getresponse()
    answer.read()
    assert answer.status == 200, answer.status
PYTHON
ticks() { awk '{ print $14 + $15 }' "/proc/$(cat "$work/$1/filterd.pid")/stat"; }
ask_node() { python3 "$work/ask.py" "$(cat "$work/$1/address")" "${FILTERD_ANSWERS:-3000}" || failures=$((failures + 1)); }
for node in with without; do ask_node $node; done # warm
from_with=$(ticks with) from_without=$(ticks without)
for _ in 1 2 3 4; do for node in with without; do ask_node $node; done; done
sleep 1
echo "$(($(ticks with) - from_with)) $(($(ticks without) - from_without))" |
    awk '{ printf "ticks with=%d without=%d throughput=%.3f\n", $1, $2, $2 / $1 }'
expect 'parts in the database' 50 "$(ask -c 'SELECT count(*) FROM filterd.part')"
[ "$failures" -eq 0 ]
