#!/bin/sh
# packaging.sh BINDIR: each file that make install writes is in one Debian package, and each file that a package lists is written.
bin=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 2
[ -f "${bin%/bin}/lib/libfilterd.so.1" ] || { echo "skip: packages are made of the release build"; exit 0; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
complain() { echo "FAILED: $*" >&2; status=1; }

make -s install DESTDIR="$work/root" PREFIX=/usr LIBDIR=/usr/lib/any >"$work/log" 2>&1 || { cat "$work/log"; complain 'make install'; }
find "$work/root" ! -type d -printf '%P\n' | sort >"$work/written"

# Every line of an install list is a path, a pattern or a folder; what has two words is of debian/ itself.
for list in packaging/debian/*.install; do
    while read -r pattern to; do
        [ -z "$to" ] || continue
        expression=$(echo "$pattern" | sed 's/[.]/[.]/g; s/[*]/[^\/]*/g')
        grep -E "^$expression(/|\$)" "$work/written" >"$work/found" || complain "$list: $pattern: make install does not write it"
        cat "$work/found"
    done <"$list"
done >"$work/listed.all"
for page in $(cat packaging/debian/*.manpages); do
    echo "usr/share/man/man${page##*.}/${page##*/}"
done >>"$work/listed.all"
sort "$work/listed.all" >"$work/listed"
[ -z "$(uniq -d "$work/listed")" ] || complain "in two packages: $(uniq -d "$work/listed")"
for file in $(comm -13 "$work/listed" "$work/written"); do complain "$file: in no package"; done
for file in $(comm -23 "$work/listed" "$work/written"); do complain "$file: make install does not write it"; done
exit $status
