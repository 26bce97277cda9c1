#!/bin/sh
# records.sh BINDIR: what runs leave is out of the reach of other jails, and policies that would put it there are refused.
. "$(dirname "$0")/jail.inc"

echo "not for the jail" >"$here/secret"; chmod 644 "$here/secret"
for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    mkdir -m 700 "$here/$caller/quarantine" "$here/$caller/reports"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/quarantine" "$here/user/reports"
    printf 'inputs: [{from: %s, to: /attack/attack}]\noutputs: {path: /out, quarantine: quarantine}\nreport: {folder: reports}\n' \
        "$here/attack" | policy "$caller" left

    # B8: another jail with the same policy finds nothing of the first one's, and none may be shown it.
    tried=$((tried + 4)) before=$failures
    in_jail "$caller" left sh -c 'echo first >/out/file'
    folder=$(sed -n 's/^filterd-jail: outputs: .*: //p' "$here/err")
    [ -f "$folder/file" ] && [ "$(stat -c %a "$folder")" = 700 ] || fail "B8 as $caller: outputs in '$folder'"
    in_jail "$caller" left sh -c 'find /out /work /tmp /dev/shm -mindepth 1; cat /out/file'
    [ -s "$here/out" ] && fail "B8 as $caller: $(cat "$here/out")"
    held "$caller" left B6 "$folder/file"
    for place in quarantine reports "quarantine/$(basename "$folder")" .; do
        printf 'inputs: [{from: %s, to: /in}]\noutputs: {path: /out, quarantine: quarantine}\nreport: {folder: reports}\n' "$place" |
            policy "$caller" shown
        in_jail "$caller" shown true; [ $? -eq 125 ] || fail "B8, D7: an input may be $place as $caller"
    done
    held_since "$before" B8 "$caller"; held_since "$before" D7 "$caller"

    # B9: names that would break a log are data in it.
    if command -v jq >/dev/null; then
        tried=$((tried + 1)) before=$failures
        bad=$(printf 'no\nsuch "\033[2J'; printf '%0200d' 0)
        in_jail "$caller" left "$bad"
        report=$(find "$here/$caller/reports" -name '*.json' | sort | tail -n 1)
        [ "$(jq -r .report.command.program "$report")" = "$bad" ] && [ "$(wc -l <"$report")" -eq 1 ] || fail "B9 as $caller: $(cat "$report")"
        grep -q "$(printf '\033')" "$report" && fail "B9 as $caller: a control character is in the report"
        held_since "$before" B9 "$caller"
    fi

    # D9: there is no way to run a part of a line outside.
    tried=$((tried + 1)) before=$failures
    in_jail "$caller" left sh -c "true && git --version; cat $here/secret || sh -c 'cat $here/secret'"
    grep -q 'not for the jail' "$here/out" && fail "D9 as $caller"
    held_since "$before" D9 "$caller"

    # B10: an input that is replaced while the jail runs: by a new file it cannot be; see docs/jail.md.
    mkdir "$here/$caller/in"; echo old >"$here/$caller/in/file"; chmod -R a+rX "$here/$caller/in"
    printf 'inputs: [{from: in, to: /in}]\n' | policy "$caller" swapped
    tried=$((tried + 1)) before=$failures
    : >"$here/swap"
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/swapped.yaml" -- sh -c 'echo ready; for i in $(seq 100); do
        [ "$(cat /in/file 2>/dev/null)" = old ] || break; sleep 0.1; done; cat /in/file' </dev/null >"$here/swap" 2>&1 &
    runner=$!
    for _ in $(seq 600); do grep -q ready "$here/swap" || sleep 0.1; done
    echo new >"$here/$caller/new"; chmod 644 "$here/$caller/new"; mv "$here/$caller/new" "$here/$caller/in/file"
    wait "$runner"
    grep -q new "$here/swap" && { fail "B10: a file put in an input's place is read as $caller"; cat "$here/swap"; }
    held_since "$before" B10 "$caller"
done
finish
