#!/bin/sh
# filterctl check --git against gitleaks, in turns: a repository of COMMITS commits (bench/gitleaks/git_history.py). Both have all processors.
# Prints one JSON line per figure, elapsed and processor time of all processes, the best of ROUNDS, and then how their findings differ.
# gitleaks is the one in PATH, or FILTERD_GITLEAKS:
#     go install github.com/zricethezav/gitleaks/v8@v8.30.1
#
# usage: bench/gitleaks/git.sh BUILD [COMMITS [ROUNDS]]     (5000, 3)
#
# FILTERD_REPOSITORY: a repository to scan in place of a made-up one. FILTERD_POLICY: a policy for filterctl check; with
# bench/gitleaks/secrets.yaml both look for secrets alone. bench/gitleaks/tree.sh compares them on a folder.
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
commits=${2:-5000} rounds=${3:-3}
[ -z "${FILTERD_POLICY:-}" ] || FILTERD_POLICY=$(realpath "$FILTERD_POLICY") || exit 2
cd "$(dirname "$0")/../.." || exit 2
here=$(pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench-git.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
gitleaks=${FILTERD_GITLEAKS:-$(command -v gitleaks)}
[ -x "$gitleaks" ] || { echo 'bench/gitleaks/git.sh: gitleaks expected in PATH or FILTERD_GITLEAKS' >&2; exit 2; }

repository=${FILTERD_REPOSITORY:-$work/repository}
if [ ! -e "$repository" ]; then
    git init -q -b main "$repository" || exit 1
    python3 bench/gitleaks/git_history.py "$commits" | git -C "$repository" fast-import --quiet || exit 1
    git -C "$repository" repack -adqf --window=10 --depth=50 || exit 1
fi
git -C "$repository" rev-list --all --count | sed 's/.*/{"name":"git.commits","unit":"1","value":&,"n":1}/'

cd "$repository" || exit 1
python3 "$here/bench/gitleaks/compare.py" git "$rounds" "$work" "$build/bin/filterctl" "$gitleaks" .
