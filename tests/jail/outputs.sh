#!/bin/sh
# outputs.sh BINDIR: what outputs may cost the machine: bytes, room on its disk, time (A29).
. "$(dirname "$0")/jail.inc"

used() { du -sk "$1" | cut -f1; }
# outcome NAME: a member of the last report's outputs.
outcome() { python3 -c 'import glob, json, os, sys
newest = max(glob.glob(sys.argv[1] + "/*.json"), key=os.path.getmtime)
outputs = json.loads(open(newest).read())["report"]["outputs"]
print(outputs["refused_for"].get(sys.argv[2], outputs.get(sys.argv[2])))' "$here/$caller/reports" "$1"; }

for caller in $callers; do
    before=$failures
    mkdir -m 700 "$here/$caller/quarantine" "$here/$caller/reports"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/quarantine" "$here/user/reports"

    # Three files of 1 GB with nothing in them, and one that begins: the disk holds what was written.
    tried=$((tried + 1))
    printf 'outputs: {path: /out, quarantine: quarantine, size: 1M}\nreport: {folder: reports}\n' | policy "$caller" out
    in_jail "$caller" out sh -c 'cd /out; for i in 1 2 3; do truncate -s 1G $i; done; echo begins >4; truncate -s 512M 4' ||
        fail "holes as $caller: $(cat "$here/err")"
    folder=$(sed -n 's/^filterd-jail: outputs: .*: //p' "$here/err")
    [ "$(used "$here/$caller/quarantine")" -le 1024 ] || fail "holes as $caller: $(used "$here/$caller/quarantine") KB on the disk of 1024"
    [ "$(stat -c %s "$folder/1")" -eq 1073741824 ] && [ "$(head -c 6 "$folder/4")" = begins ] || fail "holes as $caller: not what was left"
    [ "$(outcome files)" -eq 4 ] && [ "$(outcome refused)" -eq 0 ] || fail "holes as $caller: the report"
    rm -rf "$here/$caller/quarantine"/*

    # No room: the file that has none stays behind whole, others come, and the command's end is its own.
    if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=512k,mode=700,uid="$([ "$caller" = root ] && echo 0 || echo 65534)" none "$here/$caller/quarantine"; then
        tried=$((tried + 1))
        printf 'outputs: {path: /out, quarantine: quarantine, size: 8M}\nreport: {folder: reports}\n' | policy "$caller" full
        in_jail "$caller" full sh -c 'cd /out; echo small >small; head -c 4M /dev/zero >large; exit 7'
        [ $? -eq 7 ] || fail "a full disk as $caller ended the run otherwise"
        grep -q ', room 1' "$here/err" || fail "a full disk as $caller is not said: $(cat "$here/err")"
        [ "$(outcome room)" -eq 1 ] && [ "$(outcome files)" -eq 1 ] || fail "a full disk as $caller: the report"
        [ -z "$(find "$here/$caller/quarantine" -name large)" ] || fail "a full disk as $caller: half a file"
        [ "$(cat "$here/$caller/quarantine"/*/small)" = small ] || fail "a full disk as $caller: what has room did not come"
        umount "$here/$caller/quarantine"
    else
        skip "A29: a quarantine without room as $caller: nothing can be mounted"
    fi

    # Time: what is not there by then stays behind.
    tried=$((tried + 1))
    printf 'outputs: {path: /out, quarantine: quarantine, size: 200M, deadline: 1ms}\nreport: {folder: reports}\n' | policy "$caller" late
    in_jail "$caller" late sh -c 'head -c 150M /dev/zero >/out/large' || fail "a deadline as $caller: $(cat "$here/err")"
    grep -q ', time 1' "$here/err" && [ "$(outcome time)" -eq 1 ] || fail "a deadline as $caller: $(cat "$here/err")"
    [ -z "$(find "$here/$caller/quarantine" -type f)" ] || fail "a deadline as $caller: something was left"
    held_since "$before" A29-outputs "$caller"
done
finish
