#!/bin/sh
# filterctl check against gitleaks, in turns, as bench/gitleaks/git.sh does: a folder of MEGABYTES megabytes of source-like text with made-up
# secrets (bench/gitleaks/tree_files.py). It is scanned in PIECES pieces, each by one program after the other; times are sums. gitleaks needs
# half a second of a processor, or more, for each megabyte, whatever is in the files: eight minutes for 800 MB.
#
# usage: bench/gitleaks/tree.sh BUILD [MEGABYTES [ROUNDS [PIECES]]]     (800, 1, 8)
#
# FILTERD_TREE: a folder of folders to scan in place of a made-up one. FILTERD_POLICY: a policy for filterctl check.
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
megabytes=${2:-800} rounds=${3:-1} pieces=${4:-8}
[ -z "${FILTERD_POLICY:-}" ] || FILTERD_POLICY=$(realpath "$FILTERD_POLICY") || exit 2
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench-tree.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
gitleaks=${FILTERD_GITLEAKS:-$(command -v gitleaks)}
[ -x "$gitleaks" ] || { echo 'bench/gitleaks/tree.sh: gitleaks expected in PATH or FILTERD_GITLEAKS' >&2; exit 2; }

tree=${FILTERD_TREE:-$work/tree}
[ -e "$tree" ] || python3 bench/gitleaks/tree_files.py "$tree" "$megabytes" "$pieces" || exit 1
du -sb "$tree" | cut -f1 | sed 's/.*/{"name":"dir.bytes","unit":"B","value":&,"n":1}/'
find "$tree" -type f | wc -l | sed 's/.*/{"name":"dir.files","unit":"1","value":&,"n":1}/'
python3 bench/gitleaks/compare.py dir "$rounds" "$work" "$build/bin/filterctl" "$gitleaks" "$tree"/*
