#!/bin/sh
# report.sh BINDIR: each run leaves a signed report, which tells how it went and cannot be changed unseen.
. "$(dirname "$0")/jail.inc"
command -v jq >/dev/null || { skip "reports: no jq to read them with"; finish; }

for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    folder=$here/$caller/reports
    mkdir -m 755 "$folder" && mkdir -m 700 "$here/$caller/quarantine"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$folder" "$here/user/quarantine"
    printf 'report: {folder: reports}\noutputs: {path: /out, quarantine: quarantine}\nlimits: {wall: 400ms}\n' | policy "$caller" reported
    # last FILTER: of the newest report, by jq.
    last() { jq -r ".report | $1" "$(find "$folder" -name '*.json' | sort | tail -n 1)"; }
    # told FILTER EXPECTED
    told() { tried=$((tried + 1)); got=$(last "$1"); [ "$got" = "$2" ] || fail "$1 as $caller: '$got', '$2' expected"; }

    in_jail "$caller" reported sh -c 'echo secret-word; echo x >/out/file; exit 3' || true
    told .phase final
    told .outcome.end command
    told .outcome.exit_code 3
    told .policy.digest "$($prefix "$jail" check -p "$here/$caller/reported.yaml" | sed -n 's/^# digest: //p')"
    told '.command.program + " " + (.command.arguments | tostring)' 'sh 2'
    told '.outputs.files' 1
    told '.use.bytes_out' 12
    told '(.use.wall_ms < 400) and (.started <= .ended)' true
    # The right day and hour, that is: now, give or take what a slow machine needs.
    told '((.ended | sub("[.][0-9]{3}Z$"; "Z") | fromdateiso8601) - now | if . < 0 then -. else . end) < 3600' true
    [ "$(last .outputs.folder)" = "$here/$caller/quarantine/$(last .run)" ] || fail "the report names other outputs as $caller"
    grep -rq secret-word "$folder" && fail "a report holds content as $caller"
    if [ "$caller" = root ] || [ "$doctor" -eq 0 ]; then
        told '.missing_mechanisms | length' 0
        told '(.use.cpu_ms >= 0) and (.use.memory_peak > 0)' true
    else
        told '.missing_mechanisms | map(.mechanism) | index("kill") != null' true
    fi
    in_jail "$caller" reported sleep 9
    told .outcome.end wall; told .outcome.kill.verified true; told .outcome.kill.survivors 0
    # Nobody reads the output for longer than the watchdog waits: what was used is known none the less.
    # shellcheck disable=SC2086
    { $prefix "$jail" run -p "$here/$caller/reported.yaml" -- sh -c 'sleep 0.1; exec cat /dev/zero' </dev/null 2>/dev/null; } | sleep 2.5
    told .outcome.end wall
    told '(.use.wall_ms < 1200) and (.use.bytes_out > 0)' true
    [ "$caller" = user ] && [ "$doctor" -ne 0 ] || told '(.use.cpu_ms >= 0) and (.use.memory_peak > 0)' true
    in_jail "$caller" reported nonesuch
    told .outcome.end refused; told .outcome.exit_code 127
    told '.outcome.reason | contains("nonesuch")' true

    # What was denied is told: a honeytoken that was opened.
    tried=$((tried + 1))
    printf 'report: {folder: reports}\nhoneytokens: [/home/agent/.aws/credentials]\n' | policy "$caller" baited
    in_jail "$caller" baited cat /home/agent/.aws/credentials
    told '.denied.counts["path.honeytoken"]' 1
    told '.denied.events[0].kind' path.honeytoken
    told '.denied.events[0].detail | contains("credentials")' true

    # Signed: by the key of the folder, which nobody else can read; a changed byte is seen.
    [ "$(stat -c %a "$folder/report.key")" = 600 ] || fail "the key can be read by others as $caller"
    tried=$((tried + 4))
    "$jail" verify "$folder/report.pub" "$folder"/*.json >"$here/out" || { fail "reports do not verify as $caller"; cat "$here/out"; }
    [ "$(grep -c '^good' "$here/out")" -eq 5 ] || fail "five good reports expected as $caller"
    one=$(find "$folder" -name '*.json' | sort | head -n 1)
    sed 's/"exit_code":3/"exit_code":0/' "$one" >"$here/changed"
    "$jail" verify "$folder/report.pub" "$one" "$here/changed" >"$here/out"
    [ $? -eq 1 ] && grep -q "^WRONG $here/changed" "$here/out" && grep -q "^good  $one" "$here/out" || fail "a change is not seen as $caller"
    head -c 200 "$one" >"$here/torn"; printf '%064d\n' 0 >"$here/other.pub"
    "$jail" verify "$folder/report.pub" "$here/torn" >/dev/null; [ $? -eq 1 ] || fail "a torn report as $caller"
    "$jail" verify "$here/other.pub" "$one" >/dev/null; [ $? -eq 1 ] || fail "another key as $caller"
    "$jail" verify "$here/nonesuch" "$one" >/dev/null 2>&1; [ $? -eq 2 ] || fail "no key as $caller"

    # A launcher that is killed has left the open report.
    tried=$((tried + 1))
    printf 'report: {folder: reports}\n' | policy "$caller" long
    rm -f "$here/ready" # of the caller before
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/long.yaml" -- sh -c 'echo ready; sleep 60' </dev/null >"$here/ready" 2>/dev/null &
    launcher=$!
    for _ in $(seq 600); do [ -s "$here/ready" ] || sleep 0.1; done
    kill -9 $launcher; wait $launcher 2>/dev/null
    told .phase open; told .command.program sh
    "$jail" verify "$folder/report.pub" "$folder"/*.json | grep -q 'open, the run has not ended' || fail "an open report as $caller"

    # No record, no run.
    tried=$((tried + 2))
    chmod 777 "$folder"
    in_jail "$caller" long touch /work/ran; [ $? -eq 125 ] || fail "a folder that others can write as $caller"
    chmod 755 "$folder"; chmod 644 "$folder/report.key"
    in_jail "$caller" long true; [ $? -eq 125 ] || fail "a key that others can read as $caller"
    [ -z "$(find "$folder" -name '.*' -type f)" ] || fail "something half is left as $caller"
done
finish
