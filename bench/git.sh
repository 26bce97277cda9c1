#!/bin/sh
# filterctl check against gitleaks, in turns: a repository of COMMITS commits (bench/git_history.py), and a folder of TREE_MB megabytes,
# which are versions of its files. Both have all processors. Prints one JSON line per figure, elapsed and processor time of all processes, the best of ROUNDS, and
# then how their findings differ. gitleaks is the one in PATH, or FILTERD_GITLEAKS:
#     go install github.com/zricethezav/gitleaks/v8@v8.30.1
#
# usage: bench/git.sh BUILD [COMMITS [ROUNDS [TREE_MB]]]     (5000, 3, 800; TREE_MB 0: no folder)
#
# FILTERD_REPOSITORY, FILTERD_TREE: a repository and a folder to scan in place of made-up ones.
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
commits=${2:-5000} rounds=${3:-3} megabytes=${4:-800}
cd "$(dirname "$0")/.." || exit 2
here=$(pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench-git.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
gitleaks=${FILTERD_GITLEAKS:-$(command -v gitleaks)}
[ -x "$gitleaks" ] || { echo 'bench/git.sh: gitleaks expected in PATH or FILTERD_GITLEAKS' >&2; exit 2; }

repository=${FILTERD_REPOSITORY:-$work/repository}
if [ ! -e "$repository" ]; then
    git init -q -b main "$repository" || exit 1
    python3 bench/git_history.py "$commits" | git -C "$repository" fast-import --quiet || exit 1
    git -C "$repository" repack -adqf --window=10 --depth=50 || exit 1
fi
git -C "$repository" rev-list --all --count | sed 's/.*/{"name":"git.commits","unit":"1","value":&,"n":1}/'

cd "$repository" || exit 1
python3 "$here/bench/git_compare.py" git "$rounds" "$work" "$build/bin/filterctl" "$gitleaks" . || exit 1

# tree: the files of commits evenly apart, until the folder is large enough.
tree=${FILTERD_TREE:-$work/tree}
if [ ! -e "$tree" ] && [ "$megabytes" -gt 0 ]; then
    size=$(git archive HEAD | wc -c) total=$(git rev-list --count HEAD)
    n=$((megabytes * 1000000 / size + 1))
    for i in $(seq "$n"); do
        mkdir -p "$tree/$i" && git archive "HEAD~$(((i - 1) * total / n / 2))" | tar -x -C "$tree/$i" || exit 1
    done
fi
[ ! -e "$tree" ] || python3 "$here/bench/git_compare.py" dir "$rounds" "$work" "$build/bin/filterctl" "$gitleaks" "$tree"
