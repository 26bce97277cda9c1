#!/bin/sh
# snapshots.sh BINDIR: what a copied input holds is what was there at the start, whatever is done to the source (B10), and
# the report says what that was; what cannot be copied whole is refused.
. "$(dirname "$0")/jail.inc"
need_python=/usr/bin/python3
[ -x $need_python ] && command -v jq >/dev/null || { skip "snapshots: no python3 or no jq"; finish; }

# The digest again, as jail/root/snapshot.h and filterd-jail(1) describe it. Arguments: the source, names to leave out.
cat >"$here/digest.py" <<'P'
import hashlib, os, stat, sys
top, denied, total = os.fsencode(sys.argv[1]), [os.fsencode(name) for name in sys.argv[2:]], hashlib.sha256()
def add(path, shown):
    info = os.lstat(path)
    content = b"" if stat.S_ISDIR(info.st_mode) else os.readlink(path) if stat.S_ISLNK(info.st_mode) else open(path, "rb").read()
    kind = "d" if stat.S_ISDIR(info.st_mode) else "l" if stat.S_ISLNK(info.st_mode) else "x" if info.st_mode & 0o100 else "f"
    digest = "-" if kind == "d" else hashlib.sha256(content).hexdigest()
    total.update(f"{kind} {len(content)} {digest} ".encode() + (shown or b".") + b"\0")
    for name in sorted(os.listdir(path)) if kind == "d" else []:
        if name not in denied:
            add(path + b"/" + name, shown + b"/" + name if shown else name)
add(top, b"")
print("sha256:" + total.hexdigest())
P
alive() { pgrep -f -c "$1" 2>/dev/null; } # of the processes that carry the mark in their arguments
# last FILTER: of the caller's newest report.
last() { jq -r ".report | $1" "$(find "$here/$caller/reports" -name '*.json' | sort | tail -n 1)"; }
own() { [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown -hR 65534:65534 "$@"; }
# refused WHAT PATTERN POLICY: nothing runs, and both standard error and the report say why.
refused() {
    tried=$((tried + 1))
    in_jail "$caller" "$3" echo RAN
    [ $? -eq 125 ] && [ ! -s "$here/out" ] && grep -q "input $here/$caller/[a-z]*: $2" "$here/err" || fail "$1 as $caller: $(cat "$here/out" "$here/err")"
    [ "$(last .outcome.end)" = refused ] && last .outcome.reason | grep -q "$2" || fail "$1 as $caller: the report says $(last .outcome)"
}

for caller in $callers; do
    prefix=; [ "$caller" != user ] || prefix=$user
    src=$here/$caller/src
    mkdir -m 755 "$here/$caller/reports"; mkdir -p "$src/deep/er" "$src/empty" "$src/.envdir"
    printf 'old\n' >"$src/file"; printf 'deep\n' >"$src/deep/er/x"; : >"$src/zero"; printf secret >"$src/.env"; printf secret >"$src/deep/a.pem"
    printf secret >"$src/.envdir/x"; printf 'gone soon\n' >"$src/gone"; ln -s file "$src/link"; ln -s "$here/secret" "$src/out"; ln -s .env "$src/shut"
    printf '#!/bin/sh\necho runs\n' >"$src/run"; cp "$here/attack" "$src/suid"; echo 'not for the jail' >"$here/secret"
    chmod -R a+rX "$src"; chmod 755 "$src/run"; chmod 6755 "$src/suid"; chmod 600 "$src/.env"; own "$here/$caller/reports" "$src"
    chmod 6755 "$src/suid"
    inputs='inputs: [{from: src, to: /src, snapshot: true}]'
    printf '%s\nreport: {folder: reports}\n' "$inputs" | policy "$caller" copied
    sed 's/, snapshot: true//' "$here/$caller/copied.yaml" >"$here/$caller/live.yaml"; chmod 600 "$here/$caller/live.yaml"; own "$here/$caller/live.yaml"

    # B10: the source is rewritten, appended to, renamed over, added to and taken from during the run.
    tried=$((tried + 1)) before=$failures
    cat >"$src/look" <<'L'
cd /src && find . -mindepth 1 -printf '%p %y %m %s %T@ %l\n' | sort && find . -type f -exec cat {} + | sha256sum
L
    chmod 644 "$src/look"; own "$src/look"
    expected=$($need_python "$here/digest.py" "$src" .env .envdir a.pem)
    for kind in copied live; do
        rm -f "$here/go" "$here/seen"; mkfifo "$here/go"; : >"$here/seen"; chmod 644 "$here/go"
        # shellcheck disable=SC2086,SC2016
        $prefix "$jail" run -p "$here/$caller/$kind.yaml" -- sh -c 'sh /src/look >/work/1; cat /src/file; echo ready; read go
            cat /src/file; sh /src/look >/work/2; cmp /work/1 /work/2 && echo SAME' <"$here/go" >"$here/seen" 2>&1 &
        runner=$!
        exec 7>"$here/go"
        for _ in $(seq 600); do grep -q '^ready' "$here/seen" && break; sleep 0.1; done
        printf 'new and longer\n' >>"$src/file"              # in place, at its end
        printf 'NEW' | dd of="$src/file" conv=notrunc status=none # in place, at its start
        printf 'other\n' >"$src/zero"
        printf 'renamed over\n' >"$src/.new"; chmod 644 "$src/.new"; mv "$src/.new" "$src/deep/er/x"
        printf 'added\n' >"$src/added"; chmod 644 "$src/added"; rm -f "$src/gone"
        echo go >&7; exec 7>&-
        wait "$runner"
        if [ $kind = copied ]; then
            [ "$(grep -c '^old$' "$here/seen")" -eq 2 ] && grep -q '^SAME' "$here/seen" || { fail "B10 as $caller: the copy changes"; cat "$here/seen"; }
            [ "$(last '.snapshots[0].digest')" = "$expected" ] || fail "B10 as $caller: the report says $(last '.snapshots'), $expected expected"
            [ "$($need_python "$here/digest.py" "$src" .env .envdir a.pem)" != "$expected" ] || fail "B10 as $caller: nothing was changed"
            [ "$(last '.snapshots | map(.to) | join(" ")')" = /src ] || fail "B10 as $caller: snapshots of $(last .snapshots)"
        else
            # The same changes are seen in a live input, which has no digest: this test can fail.
            grep -q '^SAME' "$here/seen" && { fail "B10 as $caller: a live input was not changed"; cat "$here/seen"; }
            [ "$(last .snapshots)" = null ] || fail "B10 as $caller: a live input has a digest"
        fi
    done
    "$jail" verify "$here/$caller/reports/report.pub" "$here/$caller/reports"/*.json >"$here/out" || fail "B10 as $caller: $(cat "$here/out")"
    held_since "$before" B10-snapshot "$caller"

    # What is in a copy, and what cannot be done to it.
    tried=$((tried + 8)) before=$failures
    in_jail "$caller" copied sh -c 'cd /src; ls -A . empty deep; stat -c %a,%s zero deep suid run; cat out shut link; ./run; cat /src/.env
        for try in "touch /src/x" "rm /src/file" "chmod 777 /src/file" "mkdir /src/d" "ln /src/file /src/l" "mv /src/file /src/f" "truncate -s 0 /src/run"; do
            $try 2>/dev/null && echo "CHANGED: $try"; done; ls -A / | grep snapshots; echo end'
    printf '%s\n' .: added deep empty file link look out run shut suid zero '' deep: er '' empty: >"$here/expected"
    grep -v ',\|^NEW\|^new and\|^runs\|^end\|^CHANGED' "$here/out" | diff "$here/expected" - >"$here/diff" || fail "a copy as $caller: $(cat "$here/diff")"
    [ "$(grep , "$here/out" | cut -d, -f1 | tr '\n' ' ')" = '644 755 755 755 ' ] || fail "rights in a copy as $caller: $(grep , "$here/out")"
    grep -q '^runs' "$here/out" && grep -q '^end' "$here/out" && grep -q '^NEW' "$here/out" || fail "a copy as $caller: $(cat "$here/out" "$here/err")"
    grep -q 'CHANGED\|secret\|not for' "$here/out" && fail "a copy as $caller: $(cat "$here/out")"
    # A denied name is no part of it, and may hold what cannot be read; a honeytoken stands in its place where that is asked for.
    [ "$(last '.snapshots[0].digest')" = "$($need_python "$here/digest.py" "$src" .env .envdir a.pem)" ] || fail "the digest has denied names as $caller"
    printf '%s\nreport: {folder: reports}\non_denied_name: honeytoken\n' "$inputs" | policy "$caller" bait
    in_jail "$caller" bait sh -c 'cat /src/.env /src/file; cat /src/.envdir/x'
    grep -q secret "$here/out" && fail "a honeytoken in a copy as $caller: $(cat "$here/out")"
    grep -q '^NEW' "$here/out" && [ "$(last '.denied.counts["path.honeytoken"]')" -ge 1 ] || fail "a honeytoken in a copy as $caller: $(cat "$here/out" "$here/err")"
    # A single file, and a copy beside a live input.
    printf 'inputs: [{from: src/file, to: /one/file, snapshot: true}, {from: src/deep, to: /live}, {from: src/empty, to: /none, snapshot: true}]\nreport: {folder: reports}\n' |
        policy "$caller" several
    in_jail "$caller" several sh -c 'cat /one/file; ls -A /none; cat /live/er/x'
    [ "$(head -c 3 "$here/out"; tail -n 1 "$here/out")" = 'NEWrenamed over' ] || fail "several inputs as $caller: $(cat "$here/out" "$here/err")"
    [ "$(last '.snapshots | map("\(.to) \(.files) \(.bytes)") | join(", ")')" = "/one/file 1 $(stat -c %s "$src/file"), /none 1 0" ] ||
        fail "several inputs as $caller: $(last .snapshots)"
    [ "$(last '.snapshots[0].digest')" = "$($need_python "$here/digest.py" "$src/file")" ] || fail "the digest of a file as $caller"

    # The attacks on inputs, on a copy.
    printf 'inputs: [{from: %s, to: /attack/attack}, {from: src, to: /src, snapshot: true}]\n' "$here/attack" | policy "$caller" attacked
    for id in B3 B4; do held "$caller" attacked $id; done
    for name in .env deep/a.pem .envdir; do held "$caller" attacked B5 "/src/$name"; done
    held "$caller" attacked B6 "$src/file"
    [ "$(id -u)" -ne 0 ] || held "$caller" attacked A18 /src/suid

    # What cannot be copied whole is refused: nothing ran.
    mkdir -m 755 "$here/$caller/odd"; own "$here/$caller/odd"
    printf 'inputs: [{from: odd, to: /odd, snapshot: true}]\nreport: {folder: reports}\nsnapshots: {size: 64K, files: 9}\n' | policy "$caller" odd
    in_jail "$caller" odd true || fail "an empty folder as $caller: $(cat "$here/err")"
    mkfifo "$here/$caller/odd/pipe"; refused "a pipe" 'pipe: a file, a folder or a link expected' odd; rm -f "$here/$caller/odd/pipe"
    echo x >"$here/$caller/odd/mine"; chmod 0 "$here/$caller/odd/mine"; own "$here/$caller/odd/mine"
    refused "a file that may not be read" "mine: the jail's user may not read it" odd
    if [ "$(id -u)" -eq 0 ]; then
        chown 0:0 "$here/$caller/odd/mine"; chmod 600 "$here/$caller/odd/mine"
        refused "a file of another" "mine: the jail's user may not read it" odd
    fi
    rm -f "$here/$caller/odd/mine"
    head -c 65537 /dev/zero >"$here/$caller/odd/big"; chmod 644 "$here/$caller/odd/big"
    refused "a file that is too big" 'big: its 65537 bytes are more than is left of snapshots.size, 65536' odd
    truncate -s 65536 "$here/$caller/odd/big"; in_jail "$caller" odd stat -c %s /odd/big
    [ "$(cat "$here/out")" = 65536 ] || fail "a file that just fits as $caller: $(cat "$here/out" "$here/err")"
    rm -f "$here/$caller/odd/big"; for name in 1 2 3 4 5 6 7 8; do : >"$here/$caller/odd/$name"; done; chmod -R a+r "$here/$caller/odd"
    in_jail "$caller" odd true || fail "nine entries as $caller: $(cat "$here/err")"
    : >"$here/$caller/odd/9"; chmod 644 "$here/$caller/odd/9"; refused "too many files" '9: one more than snapshots.files, 9' odd
    rm -f "$here/$caller/odd"/[0-9]

    # A writer that does not stop writes the same number into the first file, then into the second, then the next number. At
    # any moment the first is ahead by one or not at all; so is each copy, or there is none.
    printf 00000000 >"$here/$caller/odd/1"; printf 00000000 >"$here/$caller/odd/2"; chmod 644 "$here/$caller/odd"/?; tried=$((tried + 20)); did=0
    $need_python -c '
import os, sys
files = [os.open(path, os.O_WRONLY) for path in sys.argv[1:]]
n = 0
while True:
    n += 1
    for file in files:
        os.pwrite(file, b"%08d" % n, 0)' "$here/$caller/odd/1" "$here/$caller/odd/2" & writer=$!; background="$background $writer"
    # Where processors are few the writer may not get its turn while a copy is made: then more are made.
    for i in $(seq 300); do
        [ "$i" -le 20 ] || [ $did -eq 0 ] || break
        in_jail "$caller" odd sh -c 'echo "1$(cat /odd/1) 1$(cat /odd/2)"'
        code=$?
        read -r first second <"$here/out"
        case $code in
        0) [ $((first - second)) -eq 0 ] || [ $((first - second)) -eq 1 ] || fail "a mixture as $caller: $first $second" ;;
        125) did=$((did + 1)); grep -q 'changed while it was copied' "$here/err" || fail "a busy file as $caller: $(cat "$here/err")" ;;
        *) fail "a busy file as $caller: $(cat "$here/err")" ;;
        esac
    done
    kill -9 $writer; wait $writer 2>/dev/null
    [ $did -gt 0 ] || fail "a busy file as $caller: no copy was refused"
    rm -f "$here/$caller/odd"/?

    # Copies count as the jail's memory.
    if [ "$caller" = root ] || [ "$doctor" -eq 0 ]; then
        tried=$((tried + 1))
        truncate -s 24M "$here/$caller/odd/big"; chmod 644 "$here/$caller/odd/big"
        printf 'inputs: [{from: odd, to: /odd, snapshot: true}]\nreport: {folder: reports}\nlimits: {memory: 64M}\nsnapshots: {size: 32M}\n' | policy "$caller" counted
        in_jail "$caller" counted true; [ "$(last '.use.memory_peak >= 25165824')" = true ] || fail "memory of copies as $caller: $(last .use)"
        # Where its files and folders take what the limit leaves, nothing ran, and the reason is said.
        sed 's/64M/32M/' "$here/$caller/counted.yaml" >"$here/$caller/tight.yaml"; chmod 600 "$here/$caller/tight.yaml"; own "$here/$caller/tight.yaml"
        truncate -s 32M "$here/$caller/odd/big"; tried=$((tried + 1))
        in_jail "$caller" tight echo RAN
        [ $? -eq 125 ] && [ ! -s "$here/out" ] && grep -q 'before the command began: limits.memory was reached' "$here/err" &&
            [ "$(last '.outcome | "\(.end) \(.out_of_memory)"')" = 'refused true' ] || fail "memory runs out as $caller: $(last .outcome) $(cat "$here/out" "$here/err")"
        rm -f "$here/$caller/odd/big"
    fi

    # Of a copy nothing tells where it came from.
    tried=$((tried + 1))
    mkdir -p "$here/$caller/told"; own "$here/$caller/told"
    printf 'inputs: [{from: told, to: /told, snapshot: true}]\n' | policy "$caller" copied
    in_jail "$caller" copied cat /proc/self/mountinfo
    grep -q ' /told ' "$here/out" || fail "the copy is not there as $caller: $(cat "$here/out" "$here/err")"
    grep -qF "$here" "$here/out" && fail "a copy tells its path as $caller"

    # The launcher is killed in the middle of a copy: no process, control group, mount or file is left.
    tried=$((tried + 1)) mark=mark-snapshot-$caller-$$
    truncate -s 512M "$here/$caller/odd/big"; chmod 644 "$here/$caller/odd/big"
    printf 'inputs: [{from: odd, to: /odd, snapshot: true}]\nsnapshots: {size: 600M}\n' | policy "$caller" long
    mounts=$(wc -l </proc/self/mountinfo); files=$(find "$here" | sort)
    # shellcheck disable=SC2086
    $prefix "$jail" run -p "$here/$caller/long.yaml" -- sh -c "echo RAN $mark" </dev/null >"$here/out" 2>"$here/err" &
    launcher=$!
    copying() { for pid in $(pgrep -f "$mark"); do ls -l "/proc/$pid/fd" 2>/dev/null | grep -q '/big$' && return 0; done; return 1; }
    is_seen=no; for _ in $(seq 6000); do copying && is_seen=yes && break; [ "$(alive "$mark")" -gt 0 ] || break; sleep 0.01; done
    [ $is_seen = yes ] || [ "$(id -u)" -ne 0 ] || fail "a copy was not seen as $caller: $(cat "$here/out" "$here/err")"
    kill -9 $launcher; wait $launcher 2>/dev/null
    for _ in $(seq 600); do [ "$(alive "$mark")" -gt 0 ] || break; sleep 0.1; done
    [ "$(alive "$mark")" -eq 0 ] || fail "a launcher killed while it copies as $caller: $(alive "$mark") processes are left"
    [ ! -s "$here/out" ] || fail "a launcher killed while it copies as $caller: $(cat "$here/out")"
    for _ in $(seq 600); do [ -n "$(find /sys/fs/cgroup -maxdepth 6 -type d -name "filterd-jail-$launcher-*" 2>/dev/null)" ] || break; sleep 0.1; done
    [ -z "$(find /sys/fs/cgroup -maxdepth 6 -type d -name "filterd-jail-$launcher-*" 2>/dev/null)" ] || fail "control groups are left as $caller"
    [ "$(wc -l </proc/self/mountinfo)" -eq "$mounts" ] && [ "$(find "$here" | sort)" = "$files" ] || fail "mounts or files are left as $caller"
    rm -f "$here/$caller/odd/big"
done
finish
