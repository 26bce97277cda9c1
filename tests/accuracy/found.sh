#!/bin/sh
# found.sh BINDIR: how many of the labelled secrets are found (bench/ACCURACY.md has the list of the others).
# The data is in FILTERD_DATA, by default ../shared/data; without it there is nothing to do.
ctl=${1:?usage: $0 BINDIR}/filterctl
data=${FILTERD_DATA:-../shared/data}/secrets
[ -d "$data" ] || { echo 'skipped: no data'; exit 0; }
scores=$(mktemp) || exit 2
trap 'rm -f "$scores"' EXIT
status=0

# score WORDS OPTION…: the file $scores then holds one line for each group.
score() { "$ctl" rules score --format ndjson --category secret "$@" "$data"/*.gz >"$scores" || { echo 'score failed'; exit 1; }; }
# expect WHAT PERCENT SELECT: of the positives of the selected groups at least so many were found.
expect() {
    jq -r "select($3) | [.found, .positive] | @tsv" "$scores" | awk -v what="$1" -v least="$2" '
        { found += $1; all += $2 }
        END {
            rate = all > 0 ? 100 * found / all : 0
            printf "%s: %d of %d, %.1f %%, at least %d %% expected\n", what, found, all, rate, least
            exit rate < least }' || status=1
}

score
# "keyword" names no provider: its rows are any value at all beside a word like `password`.
expect 'found, of providers with a rule' 99 '.group != "total" and .group != "keyword"'
# Those with a form that a check can prove: a checksum, a digest, or something that it decodes to.
expect 'found, of providers with a checked form' 99 '.group | IN("1password", "age", "artifactory", "atlassian", "aws",
    "azure", "cloudflare", "confluent", "discord", "github", "gitlab", "grafana", "jfrog", "jwt", "mapbox", "npm",
    "privatekey", "pypi", "sentry", "slack", "telegram", "vercel")'
expect 'found, of all' 95 '.group == "total"'
score --by origin --min-confidence 0.5
# The rest of `literal` and `template` are stand-ins such as sk_live_AAAA…, which are reported and let pass.
expect 'acted on, of those with random values' 97 '.group == "generated"'
expect 'acted on, of all' 75 '.group == "total"'
exit $status
