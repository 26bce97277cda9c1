#!/bin/sh
# A real jail with an egress proxy: who it is outside, and what becomes of the one when the other ends.
. "$(dirname "$0")/../service.inc"
. "$(dirname "$0")/egress.inc"
upstream; plain=$port tls=8443
. "$(dirname "$0")/egress_jail.inc"

# begin CALLER SECONDS: the jail's command says that it is there and waits; sets runner and out (filterd-egress).
begin() {
    : >"$work/said" # what the last one said must not count
    $(prefix_of "$1") "$jail" run -p "$work/$1/jail.yaml" -- sh -c "echo there; exec sleep $2" >"$work/said" 2>"$work/err" </dev/null &
    runner=$!
    for _ in $(seq 1200); do grep -q there "$work/said" && break; sleep 0.05; done
    out=$(pgrep -P "$runner" filterd-egress)
}
is_gone() { # is_gone PID: within ten seconds
    for _ in $(seq 1200); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.05; done
    return 1
}
field() { sed -n "s/^$1:[^0-9]*//p" "/proc/$out/status" | cut -f1; }

for caller in $callers; do
own "$caller" egress.yaml <<YAML
rules:
  - {name: api, hosts: api.test, ports: $plain, scheme: http, methods: GET, paths: /**, addresses: 127.0.0.1, may_reach: loopback}
YAML
policy "$caller"

# What can be asked before.
$(prefix_of "$caller") "$jail" describe -p "$work/$caller/jail.yaml" >"$work/said"
expect "$caller: described" '1 0' "$(grep -c "^- http to api.test, port $plain: GET of /\*\*; requests and answers are judged.$" "$work/said") $(grep -c "$work" "$work/said")"
expect "$caller: a host" 'allowed by rule api:' "$($(prefix_of "$caller") "$jail" explain -p "$work/$caller/jail.yaml" host api.test | head -n 1)"
expect "$caller: another host" 'refused: no rule allows this host' "$($(prefix_of "$caller") "$jail" explain -p "$work/$caller/jail.yaml" host evil.test)"

# Who it is: nobody with rights, and not the jail's user.
begin "$caller" 6173
locked=2
! grep -q 'for tests with a sanitizer' "$work/err" || locked=0
expect "$caller: mechanisms of the egress proxy" "1 $locked 0000000000000000 0000000000000000" \
    "$(field NoNewPrivs) $(field Seccomp) $(field CapEff) $(field CapPrm)"
if [ "$caller" = root ]; then
    inner=$(sed -n 's/^Uid:[^0-9]*\([0-9]*\).*/\1/p' /proc/"$(pgrep -f 'sleep 6173' | tail -n 1)"/status)
    own_uid=$(sed -n 's/^Uid:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$out/status")
    expect 'a user of its own' 'yes yes' \
        "$([ "$own_uid" -ge 61184 ] && [ "$own_uid" -le 65519 ] && echo yes) $([ "$own_uid" -ne "$inner" ] && echo yes)"
fi
# The launcher is killed.
kill -9 "$runner"
is_gone "$out"; expect "$caller: the launcher dies, so does the egress proxy" 0 $?

# The jail is ended by a limit.
policy "$caller" 'limits: {wall: 2s}'
begin "$caller" 60
wait "$runner"; expect "$caller: a limit" 124 $?
is_gone "$out"; expect "$caller: the jail dies, so does the egress proxy" 0 $?

# The egress proxy is killed: no network, and somebody says so.
policy "$caller" 'environment: {set: {PORT: '"$plain"'}}'
: >"$work/said"
$(prefix_of "$caller") "$jail" run -p "$work/$caller/jail.yaml" -- sh -c '
    ask() { curl -s --max-time 10 -o /dev/null -w "%{http_code}\n" http://api.test:$PORT/; }
    echo "before $(ask)"; echo there
    while [ "$(ask)" = 200 ]; do sleep 0.1; done
    code=56 # reset: whoever listened is still ending
    while [ $code -eq 56 ]; do curl -s --max-time 5 http://192.0.2.9:$PORT/; code=$?; done
    echo "after $code"' >"$work/said" 2>"$work/err" </dev/null &
runner=$!
for _ in $(seq 1200); do grep -q there "$work/said" && break; sleep 0.05; done
kill -9 "$(pgrep -P "$runner" filterd-egress)"
wait "$runner"; expect "$caller: the jail goes on" 0 $?
said 'before' before 200
said 'after: refused' after 7
expect "$caller: said" 'net.lost:1' "$(events)"

# What cannot serve is no egress proxy, and then there is no jail.
policy "$caller"
printf 'rules: 5\n' | own "$caller" egress.yaml
$(prefix_of "$caller") "$jail" run -p "$work/$caller/jail.yaml" -- echo ran >"$work/said" 2>"$work/err"
expect "$caller: a policy that is none" '125 0 1' "$? $(wc -l <"$work/said") $(grep -c 'egress.yaml:1:8: rules' "$work/err")"
printf 'rules: []\n' | own "$caller" egress.yaml
chmod 666 "$work/$caller/egress.yaml"
$(prefix_of "$caller") "$jail" run -p "$work/$caller/jail.yaml" -- echo ran >"$work/said" 2>"$work/err"
expect "$caller: a policy that others can write" '125 0 1' "$? $(wc -l <"$work/said") $(grep -c 'only its owner can write' "$work/err")"
chmod 600 "$work/$caller/egress.yaml"
mkdir "$work/$caller/record.jsonl"
$(prefix_of "$caller") "$jail" run -p "$work/$caller/jail.yaml" -- echo ran >"$work/said" 2>"$work/err"
expect "$caller: no record" '125 0' "$? $(wc -l <"$work/said")"
rmdir "$work/$caller/record.jsonl"
mv "$work/bin/filterd-egress" "$work/bin/away"
$(prefix_of "$caller") "$jail" run -p "$work/$caller/jail.yaml" -- echo ran >"$work/said" 2>"$work/err"
expect "$caller: no program" '125 0 1' "$? $(wc -l <"$work/said") $(grep -c 'filterd-egress: No such file' "$work/err")"
mv "$work/bin/away" "$work/bin/filterd-egress"
# An empty list lets nothing out (C25).
cat >"$work/in.sh" <<INSIDE
curl -s --max-time 10 -o /dev/null -w '%{http_code}' --resolve '*:$plain:127.0.0.1' http://api.test:$plain/
INSIDE
chmod 755 "$work/in.sh"
policy "$caller" "inputs: [{from: $work/in.sh, to: /in.sh}]"
inside "$caller"
expect "$caller: an empty list" '0 403' "$? $(cat "$work/said")"
recorded 'an empty list' '1 ["api.test","refused","host"]' 'select(.kind == "http") | [.host, .verdict, .reason]'
done
finish
