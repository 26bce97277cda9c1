#!/bin/sh
# filterctl redact on a pipe: what no rule can touch leaves before the input ends.
. "$(dirname "$0")/fixture"

# begin: a producer (descriptor 3) that writes when the test says so. finish CODE: it ends.
begin() {
    rm -f "$dir/to"; mkfifo "$dir/to"; : >"$dir/out"
    "$ctl" redact $rules <"$dir/to" >"$dir/out" 2>"$dir/err" &
    pid=$!
    exec 3>"$dir/to"
}
finish() {
    wait "$pid"; got=$?
    [ "$got" -eq "$1" ] || fail "exit code $got, $1 expected"
}
shows() { # shows TEXT: within five seconds
    for _ in $(seq 1200); do
        [ "$(cat "$dir/out")" = "$1" ] && return 0
        sleep 0.05
    done
    fail "output expected: $1"
}
shows_early() { # shows_early TEXT: that and more, within five seconds, while the producer lives
    for _ in $(seq 1200); do
        case $(cat "$dir/out") in "$1"*) return 0 ;; esac
        sleep 0.05
    done
    fail "output expected, early: $1"
}
# A program in the background of a script ignores SIGINT, so SIGTERM stands for both.
hit() { sleep 0.3; kill -TERM "$pid"; }

begin
printf 'A clean line.\n' >&3
shows_early 'A clean'
printf 'Then key-123456789012 and more of it, as much as words behind it count\n' >&3
shows_early "$(printf 'A clean line.\nThen [test-key] and more')"
exec 3>&-
finish 1
shows "$(printf 'A clean line.\nThen [test-key] and more of it, as much as words behind it count')"
[ ! -s "$dir/err" ] || fail "something was said"

begin; printf 'nothing here' >&3; exec 3>&-; finish 0; shows 'nothing here'
begin; exec 3>&-; finish 0; shows ''

# A secret in pieces is one, and so is a character.
begin
for part in 'a ke' 'y-1234' '56789' '012 b \303' '\251t\303\251\n'; do printf "$part" >&3; sleep 0.05; done
exec 3>&-
finish 1
shows "$(printf 'a [test-key] b \303\251t\303\251')"

# A block ends output and program, also while the producer lives; nothing of what blocks is shown.
begin
printf 'Before it.\nuse tok_abcdefgh12345678 now\nafter it\n' >&3
finish 1
exec 3>&-
says 'filterctl: <stdin>: Withheld.'
has_not tok_; has_not after; has_not Withheld

# More than is read at a time, and more than a pipe holds.
awk 'BEGIN { for (i = 0; i < 20000; i++) print "line", i, "with key-123456789012 in it, and then more words than count behind it" }' >"$dir/in"
"$ctl" redact $rules <"$dir/in" >"$dir/whole" 2>/dev/null
cat "$dir/in" | "$ctl" redact $rules >"$dir/out" 2>"$dir/err"
cmp -s "$dir/whole" "$dir/out" || fail "a pipe and a file differ"

# A signal ends the text there: the rest that may leave is written, then the signal ends the program. It runs when it shows something.
begin
printf 'A clean line, and more words than count behind it in any rule. ' >&3
shows_early 'A clean'
printf 'The last words' >&3
hit
finish 143
exec 3>&-
shows 'A clean line, and more words than count behind it in any rule. The last words'

# A reader that goes away ends it, though the producer is silent.
mkfifo "$dir/from"
rm -f "$dir/to"; mkfifo "$dir/to"
"$ctl" redact $rules <"$dir/to" >"$dir/from" 2>"$dir/err" &
pid=$!
exec 3>"$dir/to" 4<"$dir/from"
printf 'x\n' >&3; sleep 0.3
exec 4<&-
finish 2
exec 3>&-
says 'standard output'

# Documents are read whole, from a pipe as well.
printf '{ "a" : "key-123456789012" }' | "$ctl" redact $rules --to-json >"$dir/out" 2>"$dir/err"
[ "$(cat "$dir/out")" = '{ "a" : "[test-key]" }' ] || fail "document from a pipe"
