#!/bin/sh
# The examples of README.md that need no service print what the page shows.
bin=$1
root=$(cd "$(dirname "$0")/../../.." && pwd)
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$work/cache}"
# Each command of the block becomes N.sh, the lines behind it N.txt.
awk -v work="$work" '
    /^```/ { inside = 0 }
    inside && /^\$ / { n++; sub(/^\$ /, ""); print >(work "/" n ".sh"); printf "" >(work "/" n ".txt"); next }
    inside { print >(work "/" n ".txt") }
    /^`filterctl .* need no service/ { waiting = 1 }
    waiting && /^```sh/ { inside = 1; waiting = 0 }' "$root/README.md"
cd "$work" || exit 2
n=1 failed=0
while [ -f $n.sh ]; do
    sed "s|build/release/bin/|$bin/|" $n.sh >command
    sh ./command >said 2>/dev/null
    diff $n.txt said || { echo "README.md: $(cat $n.sh)"; failed=1; }
    n=$((n + 1))
done
[ $n -gt 4 ] || { echo "README.md: $n examples of filterctl, at least 4 expected"; failed=1; }
exit $failed
