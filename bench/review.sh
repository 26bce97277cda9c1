#!/bin/sh
# The review page over a long log: time to the first byte of each screen, processor time of the service, size of the answer. Where the
# machine has other work, the processor time decides. Prints one JSON line per figure.
#
# usage: bench/review.sh BUILD [LINES [ROUNDS]]; as root or the only user, as the page is asked on loopback with a token.
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
lines=${2:-1000000} rounds=${3:-100}
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench-review.XXXXXX") || exit 2
service=''
trap '[ -z "$service" ] || { kill "$service" && wait "$service"; } 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

fail() {
    echo "bench/review.sh: $*" >&2
    exit 1
}
report() { # name unit value n
    printf '{"name":"%s","unit":"%s","value":%s,"n":%s}\n' "$@"
}

mkdir "$work/log"
"$build/bench/bench_review" "$lines" "$work/log" || fail "no log"
printf 'token-of-anna-0123456789' | "$build/bin/filterd" --hash-token --role=admin --name=anna >"$work/tokens"
# Without a proof: a start with one would close the file, and begin a new log with a new index.
"$build/bin/filterd" --listen=127.0.0.1:0 --operators=127.0.0.1:0 --agents=none --proof=off --tokens="$work/tokens" \
    --state-directory="$work/state" --cache-directory="$work/cache" --log="$work/log/decisions.jsonl" 2>"$work/service.log" &
service=$!
tries=0
until grep -q 'filterd: ready' "$work/service.log"; do
    tries=$((tries + 1))
    [ $tries -lt 1200 ] && kill -0 $service 2>/dev/null || fail "$(cat "$work/service.log")"
    sleep 0.1
done
page=$(sed -n 's|.* operators=\([^ ]*\) .*|http://\1/review|p' "$work/service.log")
curl -sS -c "$work/cookies" -o /dev/null -H "Origin: ${page%/review}" -d token=token-of-anna-0123456789 "$page/login"
item=$(curl -sS -b "$work/cookies" "$page/queue" | sed -n 's|.*name="item" value="\([0-9]*\)".*|\1|p' | head -1)
group=$(curl -sS -b "$work/cookies" "$page/groups" | sed -n 's|.*href="/review/groups/\([0-9a-f]\{32\}\)".*|\1|p' | head -1)
[ -n "$item" ] && [ -n "$group" ] || fail "the queue is empty"

for screen in queue 'queue?show=closed' "items/$item" records 'records?query=action:block' "records/$item" groups "groups/$group" \
    rules rules/iban agents exceptions reveals sampling policies exports access record; do
    before=$(awk '{ print $14 + $15 }' "/proc/$service/stat")
    for i in $(seq "$rounds"); do
        curl -sS -o "$work/answer" -b "$work/cookies" -w '%{http_code} %{time_starttransfer} %{size_download}\n' "$page/$screen"
    done >"$work/figures"
    ticks=$(($(awk '{ print $14 + $15 }' "/proc/$service/stat") - before))
    [ "$(grep -c '^200 ' "$work/figures")" -eq "$rounds" ] || fail "$screen: $(sort "$work/figures" | uniq -c | sort -rn | head -3)"
    name=$(echo "$screen" | sed "s/$item/ITEM/;s/$group/GROUP/;s/[?=:]/-/g")
    sort -k2 -g "$work/figures" | awk -v n="$rounds" 'NR == int((n + 1) / 2) { m = $2 } NR == int(n * 0.99) { p = $2 } $3 > s { s = $3 }
        END { print m * 1000, p * 1000, s }' >"$work/summary"
    read -r median p99 size <"$work/summary"
    report "page.first_byte.$name.median" ms "$median" "$rounds"
    report "page.first_byte.$name.p99" ms "$p99" "$rounds"
    report "page.processor.$name" ms "$(awk -v ticks=$ticks -v hz="$(getconf CLK_TCK)" -v n="$rounds" 'BEGIN { print ticks / hz * 1000 / n }')" "$rounds"
    report "page.size.$name" bytes "$size" "$rounds"
done
