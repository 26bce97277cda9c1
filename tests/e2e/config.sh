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
wrong 'no choice' 'log-level: error, warn, info or debug expected' --log-level=loud
wrong 'no address' "^listen: 'here': an address like" --listen=here
wrong 'no address of operators' "^operators: 'here': an address like" --operators=here
wrong 'no address of agents' "^agents: 'tcp': an address like" --agents=tcp
wrong 'a port of agents' "^agents: '8471': unix:/path or none expected" --agents=8471
for listen in localhost:8470 8470; do
    expect "listen: $listen" 0 "$(filterd --check --listen=$listen >/dev/null 2>&1; echo $?)"
done
# The start says it before anything else, too.
filterd --listen=here 2>"$work/err"; expect 'the start' "2 error filterd: listen: 'here': an address like" "$? $(cut -c1-50 "$work/err" | sed 's/ like.*/ like/')"
mkdir "$work/folder"; echo 'not a record' >"$work/other"; printf '{"seq":1,"x":2}\n{"seq":2' >"$work/torn"; : >"$work/empty"
wrong 'the log is a folder' "$work/folder: Is a directory" --log="$work/folder"
wrong 'the log is another file' "$work/other: a file of decision records expected" --log="$work/other"
wrong 'the log is a device' '/dev/null: a regular file expected' --log=/dev/null
wrong 'the log is below a file' 'Not a directory' --log="$work/other/decisions.jsonl"
for log in torn empty none/of/these; do
    expect "a log that can be opened: $log" '0' "$(filterd --check --log="$work/$log" >/dev/null 2>&1; echo $?)"
done
expect 'which --check leaves alone' '{"seq":2 no' "$(tail -n 1 "$work/torn") $([ -e "$work/none" ] && echo made || echo no)"
wrong 'open to all' 'without tokens only loopback' --listen=0.0.0.0:8470
wrong 'no file' 'No such file' --config "$work/none.yaml"
wrong 'no tokens file' 'No such file' --tokens="$work/none"
wrong 'no rules' 'none' --rules="$work/none"
printf 'listen: 127.0.0.1:0\nconnections: none\n' >"$work/f.yaml"
wrong 'file: no number' 'f.yaml:2:14: connections: a number' --config "$work/f.yaml"
printf 'queue: 10\nqueue: 11\n' >"$work/f.yaml"
wrong 'file: twice' 'f.yaml:2:1' --config "$work/f.yaml"
printf 'text-max: 1M\ntext_max: 1M\n' >"$work/f.yaml"
wrong 'file: unknown' "f.yaml:2:1: unknown option 'text_max' (did you mean text-max" --config "$work/f.yaml"
printf 'listen: [a]\n' >"$work/f.yaml"
wrong 'file: wrong type' 'f.yaml:1:9' --config "$work/f.yaml"

# The first start says what takes it so long; the second has it from the cache.
rm -rf "$work/cache"; start
expect 'says that it compiles' 1 "$(grep -c "^info rules: compiling them, once: the result is kept in $work/cache" "$work/log")"
stop; start
expect 'once' 0 "$(grep -c 'rules: compiling' "$work/log")"
stop

# A line of the log is an object where that is wanted, whatever stands in it.
start --log-format json
wait_for_log '"level":"info","message":"filterd: ready'
stop
mkdir "$work/a\"b\\c$(printf '\377')"
"$bin/filterd" --log-format=json --rules="$work/a\"b\\c$(printf '\377')" --listen=none --operators=none --state-directory="$work/state" 2>>"$work/log"
expect 'each line is one' '' "$(jq -c 'select((keys == ["level","message","time"] and (.time | test("^20[0-9-]+T[0-9:.]+Z$"))) | not)' "$work/log" 2>&1)"
expect 'the last names the file' 1 "$(tail -n 1 "$work/log" | jq -r .message | grep -c 'a"b\\c?')"

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
expect 'keys are private' '600 600 600 600 600' "$(stat -c %a "$work"/state/keys/*.key | tr '\n' ' ' | sed 's/ $//')"
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
        expect "resident when idle: $rss KiB" 1 "$([ "$rss" -le 67584 ] && echo 1)"
    fi
    stop
fi
finish
