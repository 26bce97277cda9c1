#!/bin/sh
# mistakes.sh BINDIR: what an operator can get wrong (D1 to D6, D8, D10) is refused before anything runs, or said.
. "$(dirname "$0")/jail.inc"
without=$here/attack
# A kernel without control groups, as far as the launcher sees: for root alone can hide them.
hidden_groups() { unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh "$@"; }

# refused CALLER ID POLICY [COMMAND-BEFORE…]: nothing runs, and the exit code says so.
refused() {
    of=$1 id=$2 file=$3
    shift 3
    prefix=; [ "$of" != user ] || prefix=$user
    tried=$((tried + 1))
    # shellcheck disable=SC2086
    "$@" $prefix "$jail" run -p "$file" -- sh -c 'echo ran' >"$here/out" 2>"$here/err" </dev/null
    code=$?
    [ "$code" -eq 125 ] && [ ! -s "$here/out" ] && [ -s "$here/err" ] || { fail "$id as $of: $(basename "$file"): exit code $code: $(cat "$here/err")"; return 1; }
}
own() { [ "$1" != user ] || [ "$(id -u)" -ne 0 ] || chown -h 65534:65534 "$2"; }

for caller in $callers; do
    folder=$here/$caller

    # D1: a key that is unknown, and one that occurs twice, at each level, of both policies; with its place.
    before=$failures
    while read -r text; do
        printf '%b\n' "$text" | policy "$caller" keys
        refused "$caller" D1 "$folder/keys.yaml" && { grep -Eq 'keys.yaml:[0-9]+:[0-9]+: ' "$here/err" || fail "D1 as $caller: no place: $text: $(cat "$here/err")"; }
    done <<'KEYS'
colour: red
name: twice
hostname: a\nhostname: b
work: {size: 8M, colour: red}
work: {size: 8M, size: 9M}
work: {size: 8M}\nwork: {size: 8M}
tmp: {colour: red}
tmp: {size: 1M, size: 2M}
limits: {colour: 1}
limits: {pids: 9, pids: 99}
limits: {Pids: 9}
syscalls: {profile: strict, profile: agent}
syscalls: {colour: red}
inputs: [{from: src, to: /in, mode: rw}]
inputs: [{from: src, to: /in, to: /other}]
inputs: [{from: src, to: /in}]\ninputs: []
environment: {set: {A: b, A: c}}
environment: {colour: []}
environment: {pass: [], pass: [HOME]}
outputs: {path: /out, quarantine: q, colour: 1}
outputs: {path: /out, path: /other, quarantine: q}
network: {egress: e, record: r, colour: 1}
network: {egress: e, egress: f, record: r}
filter: {socket: s, colour: 1}
filter: {socket: s, socket: t}
report: {folder: r, colour: 1}
report: {folder: r, folder: s}
honeytokens: []\nhoneytokens: [/work/.env]
deny_names: ['*.env']\ndeny_names: []
on_missing_mechanism: degrade\non_missing_mechanism: refuse\non_missing_mechanism: degrade
<<: {name: merged}
KEYS
    if [ -x "$bin/filterd-egress" ]; then
        cp "$bin/filterd-egress" "$here/" && chmod 755 "$here/filterd-egress"
        for text in 'rules: []\ncolour: red' 'rules: []\nrules: []' 'rules: [{name: a, hosts: a.test, scheme: https, tls: open, methods: GET, paths: /, colour: red}]' \
            'rules: [{name: a, hosts: a.test, hosts: b.test, scheme: https, tls: passthrough}]' 'rules: []\nlimits: {colour: 1}' 'rules: []\nlimits: {idle: 1s, idle: 9s}' \
            'rules: []\ncredentials: {k: {file: f, hosts: a.test, methods: GET, paths: /, ttl: 1h, uses: 1, colour: red}}' 'rules: []\ncredentials: {k: {}, k: {}}'; do
            printf '%b\n' "$text" >"$folder/egress.yaml"; chmod 600 "$folder/egress.yaml"; own "$caller" "$folder/egress.yaml"
            printf 'network: {egress: egress.yaml, record: record.jsonl}\n' | policy "$caller" way
            refused "$caller" D1 "$folder/way.yaml" && { grep -Eq 'egress.yaml:[0-9]+:[0-9]+: ' "$here/err" || fail "D1 as $caller: no place: $text: $(cat "$here/err")"; }
        done
    fi
    held_since "$before" D1 "$caller"

    # D2: a policy that somebody else could have written, by its owner, its mode, or a folder above it.
    before=$failures
    for mode in 666 622 660 606; do
        printf '' | policy "$caller" mode; chmod $mode "$folder/mode.yaml"
        refused "$caller" D2 "$folder/mode.yaml"
    done
    mkdir -m 777 "$folder/shared"; printf '' | policy "$caller" moved; mv "$folder/moved.yaml" "$folder/shared/"
    refused "$caller" D2 "$folder/shared/moved.yaml"
    if [ "$(id -u)" -eq 0 ]; then
        printf '' | policy "$caller" owner; [ "$caller" = root ] && stranger=65534 || stranger=65533
        chown $stranger "$folder/owner.yaml"; chmod 644 "$folder/owner.yaml"
        refused "$caller" D2 "$folder/owner.yaml"
    fi
    # The quarantine is where a jail's own files end up.
    mkdir -m 700 "$folder/quarantine"; own "$caller" "$folder/quarantine"
    printf 'inputs: [{from: ., to: /in}]\noutputs: {path: /out, quarantine: quarantine}\n' | policy "$caller" inside
    refused "$caller" D2 "$folder/inside.yaml"
    held_since "$before" D2 "$caller"

    # D3: a link, or a folder of its path that is one. D4: none, an empty one, a folder, a pipe.
    before=$failures
    printf '' | policy "$caller" real; ln -s real.yaml "$folder/link.yaml"; ln -s . "$folder/here"; ln -s real.yaml/ "$folder/odd.yaml"
    for name in link.yaml here/real.yaml here/link.yaml odd.yaml; do refused "$caller" D3 "$folder/$name"; done
    held_since "$before" D3 "$caller"
    before=$failures
    : >"$folder/empty.yaml"; chmod 600 "$folder/empty.yaml"; own "$caller" "$folder/empty.yaml"
    mkfifo "$folder/pipe.yaml"; chmod 600 "$folder/pipe.yaml"; own "$caller" "$folder/pipe.yaml"
    for name in none.yaml none/none.yaml empty.yaml src pipe.yaml; do refused "$caller" D4 "$folder/$name" timeout 10; done
    held_since "$before" D4 "$caller"

    # D5, D10: a kernel that lacks something is refused, or gone on without and said, as the policy asks.
    before=$failures
    printf 'on_missing_mechanism: refuse\n' | sed '1i name: test' >"$folder/required.yaml"; chmod 600 "$folder/required.yaml"; own "$caller" "$folder/required.yaml"
    sed 's/refuse/degrade/' "$folder/required.yaml" >"$folder/lenient.yaml"; chmod 600 "$folder/lenient.yaml"; own "$caller" "$folder/lenient.yaml"
    missing() { # missing WALL COMMAND-BEFORE…
        wall=$1
        shift
        refused "$caller" D10 "$folder/required.yaml" "$@" && { grep -q "mechanism '$wall' is missing" "$here/err" || [ "$doctor" -ne 0 ] || fail "D10 as $caller: $wall: $(cat "$here/err")"; }
        prefix=; [ "$caller" != user ] || prefix=$user
        tried=$((tried + 1))
        # shellcheck disable=SC2086
        "$@" $prefix "$jail" run -p "$folder/lenient.yaml" -- sh -c 'echo ran' >"$here/out" 2>"$here/err" </dev/null
        [ $? -eq 0 ] && [ "$(cat "$here/out")" = ran ] && grep -q "^filterd-jail: degraded: mechanism '$wall' is missing" "$here/err" || fail "D5 as $caller: $wall: $(cat "$here/err")"
    }
    missing landlock "$without" without landlock
    if [ "$(id -u)" -eq 0 ] && hidden_groups true 2>/dev/null; then missing kill hidden_groups; else skip "D5 as $caller: control groups cannot be hidden"; fi
    held_since "$before" D5 "$caller"; held_since "$before" D10 "$caller"

    # D6: help builds no jail, not even in one; what stands behind -- is the command's; a jail in a jail is none.
    before=$failures
    printf 'inputs: [{from: %s, to: /jail}]\n' "$jail" | policy "$caller" nested
    for words in '/jail --help' '/jail run --help' 'ls --help'; do
        tried=$((tried + 1))
        # shellcheck disable=SC2086
        in_jail "$caller" nested $words && grep -qi usage "$here/out" || fail "D6 as $caller: $words: $(cat "$here/err")"
    done
    tried=$((tried + 1))
    in_jail "$caller" nested sh -c 'printf "name: inner\n" >/work/p.yaml; chmod 600 /work/p.yaml; /jail run -p /work/p.yaml -- echo ran'
    [ $? -eq 125 ] && [ ! -s "$here/out" ] || fail "D6 as $caller: a jail in a jail: $(cat "$here/out")"
    held_since "$before" D6 "$caller"

    # D8: without user namespaces nothing runs, least of all as root.
    before=$failures
    refused "$caller" D8 "$folder/lenient.yaml" "$without" without userns
    held_since "$before" D8 "$caller"
done
finish
