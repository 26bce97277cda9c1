#!/bin/sh
# What packaging/github and .pre-commit-hooks.yaml run, as those files have it: which commits they scan, their exit codes, the report.
. "$(dirname "$0")/fixture"
command -v git >/dev/null || { echo "skip: git is not installed"; exit 0; }
python3 -c 'import yaml' 2>/dev/null || { echo "skip: python3-yaml is not installed"; exit 0; }
root=$(cd "$(dirname "$0")/../../.." && pwd)
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
ctl=$(cd "$bin" && pwd)/filterctl
mkdir "$dir/path"
# The rules of the fixture, whatever the command.
# shellcheck disable=SC2154
printf '#!/bin/sh\ncommand=$1; shift\nexec "%s" "$command" %s "$@"\n' "$ctl" "$rules" > "$dir/path/filterctl"; chmod +x "$dir/path/filterctl"
export PATH="$dir/path:$PATH"
part() { python3 -c 'import sys, yaml; d = yaml.safe_load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
part "$root/packaging/github/action.yml" 'd["runs"]["steps"][0]["run"]' > "$dir/action"
part "$root/.pre-commit-hooks.yaml" '[h["entry"] for h in d if h["id"] == "filterctl"][0]' > "$dir/staged"
part "$root/.pre-commit-hooks.yaml" '[h["entry"] for h in d if h["id"] == "filterctl-push"][0]' > "$dir/push"
wanted='BASELINE FAIL_ON FILTERCTL POLICY RANGE SARIF'
[ "$(part "$root/packaging/github/action.yml" '" ".join(sorted(k for k, v in d["runs"]["steps"][0]["env"].items() if v == "${{ inputs." + k.lower().replace("_", "-") + " }}"))')" = "$wanted" ] ||
    fail "inputs: $wanted expected"

git init -q -b main "$dir/repo" && cd "$dir/repo" || exit 1
commit() { git add -A && git commit -q --no-verify -m x && git rev-parse HEAD; }
echo 'the key-123456789012 here' > old; first=$(commit)
echo fine > new; second=$(commit)
echo tok_abcdefgh12345678 > new; third=$(commit)

# action CODE FINDINGS VARIABLE=VALUE…: as a runner does it, bash that ends at the first error.
action() {
    code=$1 findings=$2; shift 2
    env RANGE= FAIL_ON=redact BASELINE= POLICY= SARIF="$dir/sarif" FILTERCTL=filterctl BASE= "$@" bash --noprofile --norc -eo pipefail "$dir/action" > "$dir/out" 2> "$dir/err"
    got=$?
    [ "$got" = "$code" ] || fail "action $*: code $code expected, got $got: $(cat "$dir/err")"
    [ "$findings" = - ] || grep -qx "filterctl: $findings findings in $dir/sarif" "$dir/out" || fail "action $*: $findings findings expected: $(cat "$dir/out" "$dir/err")"
}
action 1 2
action 1 2 BASE=0000000000000000000000000000000000000000 # a new branch
action 1 1 BASE="$first"
action 0 0 RANGE="$first..$second"
action 1 1 BASE="$first" RANGE="$second..$third"
sed '/action: block/d' "$dir/rules/policy.yaml" > "$dir/redacts.yaml"
action 1 1 BASE="$second" FAIL_ON=block
action 0 1 BASE="$second" FAIL_ON=block POLICY="$dir/redacts.yaml"
"$dir/path/filterctl" check --git --quiet --write-baseline "$dir/baseline"
action 0 0 BASELINE="$dir/baseline"
action 2 - RANGE=--output=x
[ ! -e x ] || fail 'an option in a range'
action 2 - RANGE='$(touch y)'
[ ! -e y ] || fail 'a range that is executed'

hook() { code=$1 file=$2; shift 2; env "$@" sh -c "$(cat "$file")" > "$dir/out" 2> "$dir/err"; got=$?; [ "$got" = "$code" ] || fail "$file $*: code $code expected, got $got: $(cat "$dir/out" "$dir/err")"; }
hook 0 "$dir/staged"
echo 'the key-123456789013 here' > staged; git add staged
hook 1 "$dir/staged"
hook 1 "$dir/push"
hook 1 "$dir/push" PRE_COMMIT_FROM_REF="$second" PRE_COMMIT_TO_REF="$third"
hook 0 "$dir/push" PRE_COMMIT_FROM_REF="$first" PRE_COMMIT_TO_REF="$second"
exit 0
