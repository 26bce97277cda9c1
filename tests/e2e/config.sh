#!/bin/sh
# Configuration: the file, the command line over it, errors with their place; what is locked down.
. "$(dirname "$0")/service.inc"
filterd() { "$bin/filterd" --rules="$rules" --state-directory="$work/state" --cache-directory="$work/cache" "$@"; }

expect 'version' 1 "$(filterd --version | grep -c '^filterd [0-9]')"
filterd --help >"$work/help"; expect 'help' 0 $?
filterd --print-defaults >"$work/defaults.yaml"; expect 'defaults' 0 $?
expect 'help names every option' '' "$(sed -n 's/^#* *\([a-z-]*\):.*/\1/p' "$work/defaults.yaml" | sort -u |
    while read -r o; do grep -q -- "--$o " "$work/help" || echo "$o"; done)"
expect 'check' 'ok: 2 rules, 2 policies, 0 tokens, 0 upstreams' "$(filterd --check)"
expect 'the defaults are a right file' 0 "$(filterd --config "$work/defaults.yaml" --check >/dev/null 2>&1; echo $?)"

wrong() { # wrong WHAT EXPECTED ARGUMENT…
    what=$1 words=$2; shift 2
    filterd --check "$@" >/dev/null 2>"$work/err"; expect "$what: exit code" 2 $?
    expect "$what: $(cat "$work/err")" 1 "$(grep -c -- "$words" "$work/err")"
}
wrong 'unknown option' "unknown option '--lisen' (did you mean --listen" --lisen=a
wrong 'unknown option, its value apart' "unknown option '--lisen'" --lisen a
wrong 'unknown letter' "unknown option '-l'" -l
wrong 'no option' "no operand expected, but there is 'listen'" listen
wrong 'no value' 'connections: a value expected' --connections
wrong 'a value too many' 'check: no value expected' --check=yes
wrong 'the value apart' 'a number from 1 to 65536 expected' --connections many
expect 'both forms' 'ok: 2 rules, 2 policies, 0 tokens, 0 upstreams' "$(filterd --listen 127.0.0.1:1 --queue=5 --log-level warn --check)"
wrong 'no number' 'a number from 1 to 65536 expected' --connections=many
wrong 'number too large' 'a number from 1 to 65536 expected' --connections=65537
wrong 'no choice' 'expected' --log-level=loud
wrong 'no address' 'listen: ' --listen=here
wrong 'open to all' 'without tokens only loopback' --listen=0.0.0.0:8470
wrong 'no file' 'No such file' --config "$work/none.yaml"
wrong 'no tokens file' 'No such file' --tokens="$work/none"
wrong 'no rules' 'none' --rules="$work/none"
printf 'listen: 127.0.0.1:0\nconnections: none\n' >"$work/f.yaml"
wrong 'file: no number' 'f.yaml:2:14: connections: a number' --config "$work/f.yaml"
printf 'queue: 10\nqueue: 11\n' >"$work/f.yaml"
wrong 'file: twice' 'f.yaml:2:1' --config "$work/f.yaml"
printf 'text-max: 1M\ntext_max: 1M\n' >"$work/f.yaml"
wrong 'file: unknown' 'f.yaml:2:1: the name of an option expected' --config "$work/f.yaml"
printf 'listen: [a]\n' >"$work/f.yaml"
wrong 'file: wrong type' 'f.yaml:1:9' --config "$work/f.yaml"

# The command line stands over the file.
printf 'text-max: 10\nidle-timeout: 5\n' >"$work/f.yaml"
start --config="$work/f.yaml" --text-max=20
expect 'over the file' '200 413' "$(status_of -H "$plain" -d 12345678901234567890 "$url/v1/filter") $(
    status_of -H "$plain" -d 123456789012345678901 "$url/v1/filter")"

# Locked down, and it says so.
expect 'no new privileges' 1 "$(awk '/^NoNewPrivs/ {print $2}' "/proc/$pid/status")"
if grep -q 'system calls locked' "$work/log"; then
    expect 'seccomp on every thread' 2 "$(cat /proc/"$pid"/task/*/status | awk '/^Seccomp:/ {print $2}' | sort -u)"
else
    expect 'says what it could not lock' 1 "$(grep -c 'system calls are not locked' "$work/log")"
fi
expect 'says how files stand' 1 "$(grep -c 'sandbox: files' "$work/log")"
expect 'keys are private' '600 600 600' "$(stat -c %a "$work"/state/keys/*.key | tr '\n' ' ' | sed 's/ $//')"
stop
# Keys stay from start to start; one that others can read is refused.
cp "$work/state/keys/token.key" "$work/token.key"
start; stop
expect 'the same key' 0 "$(cmp "$work/token.key" "$work/state/keys/token.key"; echo $?)"
chmod 644 "$work/state/keys/token.key"
filterd --listen=127.0.0.1:0 --operators=none 2>"$work/err"; expect 'open key' 2 $?
expect 'says which' 1 "$(grep -c 'token.key: mode 0600 expected' "$work/err")"

# Without any argument, as a user without anything.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    : >"$work/log"
    mkdir "$work/home"; chown 65534 "$work/home"; chmod 755 "$work"
    env -i HOME="$work/home" setpriv --reuid=65534 --regid=65534 --clear-groups "$bin/filterd" --listen=127.0.0.1:0 \
        2>>"$work/log" &
    pid=$!
    for _ in $(seq 900); do grep -q 'filterd: ready' "$work/log" && break; kill -0 $pid || break; sleep 0.1; done
    address=$(sed -n 's/.*ready listen=\([^ ]*\) .*/\1/p' "$work/log") url=http://$address
    expect_json 'works without arguments' .action '"allow"' "$(post /v1/filter '{"text":"hello"}')"
    expect 'in the user'"'"'s places' 1 "$(ls "$work/home/.local/state/filterd" | grep -c decisions)"
    # A sanitizer's shadow memory is not the service's.
    if grep -q 'system calls locked' "$work/log"; then
        rss=$(awk '/^VmRSS/ {print $2}' "/proc/$pid/status")
        expect "resident when idle: $rss KiB" 1 "$([ "$rss" -le 61440 ] && echo 1)"
    fi
    stop
fi
finish
