#!/bin/sh
# filterctl finds what filterd made, whichever of the two was started in another environment: by su, cron, in a container.
. "$(dirname "$0")/../service.inc"
export XDG_CACHE_HOME="$work/user-cache"
as=''
if [ "$(id -u)" = 0 ]; then # root's places are those of the machine; an ordinary user's are the test's own
    command -v setpriv >/dev/null || { echo 'skip: setpriv is not there'; exit 0; }
    chmod 0755 "$work"
    as='setpriv --reuid=65534 --regid=65534 --clear-groups'
    $as test -x "$bin/filterctl" || { echo 'skip: nobody cannot run the programs'; exit 0; }
fi
home=$work/home runtime=$work/runtime
mkdir -p "$home" "$runtime"
[ -z "$as" ] || chown -R 65534:65534 "$home" "$runtime"
chmod 0700 "$runtime"
ctl() { # ctl ENVIRONMENT… -- ARGUMENT…
    given=''
    while [ "$1" != -- ]; do given="$given $1"; shift; done
    shift
    # shellcheck disable=SC2086 # words
    $as env -i HOME="$home" $given "$bin/filterctl" "$@" >"$work/out" 2>"$work/err"
}
begin() { # begin ENVIRONMENT…: filterd in it, its places found by itself
    rm -rf "$runtime/filterd" "$home/.local"
    : >"$work/log"
    # shellcheck disable=SC2086 # words
    $as env -i HOME="$home" "$@" "$bin/filterd" --listen=127.0.0.1:0 --rules="$rules" 2>>"$work/log" &
    pid=$!
    wait_for_log 'filterd: ready'
    address=$(sed -n 's/.*ready listen=\([^ ]*\) .*/\1/p' "$work/log")
    url=http://$address
}

# None: every place that was tried, and why.
ctl "XDG_RUNTIME_DIR=$runtime" -- agents list; expect 'no filterd' 2 $?
for place in "$runtime/filterd" "$home/.local/state/filterd"; do
    expect "names $place" 1 "$(grep -c "$place/operators.sock: No such file or directory" "$work/err")"
done
# The machine may have a filterd of its own, whose folder others may not enter.
expect 'names the place of the machine' 1 "$(grep -c '/run/filterd/operators.sock: ' "$work/err")"
ctl -- agents list --operators "$work/nowhere.sock"; expect 'no filterd there' 2 $?
expect 'names it, with the reason' 1 "$(grep -c "$work/nowhere.sock: filterd does not answer: No such file or directory" "$work/err")"
ctl -- ready --operators "$work/nowhere.sock"; expect 'nothing is ready there' 2 $?
ctl -- log; expect 'no log' 2 $?
expect 'names the log that is not there' 1 "$(grep -c "$home/.local/state/filterd/decisions.jsonl: No such file" "$work/err")"
ctl -- agents attach bot 999999 --agents "$work/nowhere.sock"; expect 'no process' 2 $?

other=$home/elsewhere
for service in "A=b" "XDG_RUNTIME_DIR=$runtime" "XDG_STATE_HOME=$home/.local/state"; do
    begin "$service"
    status_of -H "$plain" -d "a $secret" "$url/v1/filter" >/dev/null
    for client in "A=b" "XDG_RUNTIME_DIR=$runtime" "XDG_STATE_HOME=$other"; do
        case $service-$client in # where only its variable says
        XDG_RUNTIME*-XDG_RUNTIME*) ;;
        XDG_RUNTIME*) continue ;;
        esac
        ctl "$client" -- agents list; expect "$service, $client: agents" 0 $?
        expect "$service, $client: none yet" 'filterctl: no agent has an account or runs in a jail' "$(cat "$work/err")"
        ctl "$client" -- ready; expect "$service, $client: ready" '0 ' "$? $(cat "$work/out" "$work/err")"
        ctl "$client" -- log --format ndjson; expect "$service, $client: log" 0 $?
        expect "$service, $client: its record" '"redact"' "$(jq -c 'select(.action == "redact") | .action' "$work/out")"
    done
    $as sleep 60 >/dev/null 2>&1 & sleeper=$!
    ctl "$service" -- agents attach bot $sleeper; expect "$service: attach: $(cat "$work/err")" 0 $?
    kill $sleeper
    stop
done

# A socket that was left behind is none; a header on a terminal, where somebody reads the columns.
begin "XDG_RUNTIME_DIR=$runtime"
stop KILL 2>/dev/null
ctl "XDG_RUNTIME_DIR=$runtime" -- agents list; expect 'left behind' 2 $?
expect 'says that it refuses' 1 "$(grep -c "$runtime/filterd/operators.sock: Connection refused" "$work/err")"
cat "$work/state/decisions.jsonl" "$home/.local/state/filterd/decisions.jsonl" >"$work/copy" 2>/dev/null
"$bin/filterctl" log "$work/copy" >"$work/out"
expect 'no header for programs' 0 "$(grep -c "WHEN .*ACTION" "$work/out")"
if command -v script >/dev/null; then
    script -qec "$bin/filterctl log $work/copy" /dev/null </dev/null >"$work/out"
    expect 'a header for people' 1 "$(grep -c 'SEQ .*WHEN .*ACTION .*RULE' "$work/out")"
fi
finish
