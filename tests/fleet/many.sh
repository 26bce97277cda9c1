#!/bin/sh
# many.sh BINDIR: a signed policy bundle is published to FILTERD_FLEET_NODES (10) nodes at once, FILTERD_BUNDLES (5) times; each time all of them run it within
# five seconds, and the database says so.
. "$(dirname "$0")/fleet.inc"
start_database
make_keys
nodes=$(seq -f 'web-%g' "${FILTERD_FLEET_NODES:-10}")
make_bundle 10
publish 10 >/dev/null
for node in $nodes; do make_node "$node"; take_bundles "$node"; fetch_first "$node"; start_filterd "$node"; start_link "$node"; done
for node in $nodes; do wait_until "contact of $node" in_contact "$node"; done
wait_until 'the first on all nodes' all_run 10
is_seen() { [ "$(ask -c "SELECT count(*) FROM filterd.node WHERE bundle = $1")" -eq "${FILTERD_FLEET_NODES:-10}" ]; }
for i in $(seq "${FILTERD_BUNDLES:-5}"); do
    version=$((10 + i))
    make_bundle $version
    began=$(date +%s%N)
    publish $version >/dev/null
    wait_until "$version on all nodes" all_run $version
    took=$((($(date +%s%N) - began) / 1000000))
    wait_until "the table says so of $version" is_seen $version
    echo "nodes=${FILTERD_FLEET_NODES:-10} published_to_all_ms=$took"
    [ "$took" -le 5000 ] || { echo "a bundle took $took ms: 5000 expected at most"; failures=$((failures + 1)); }
done
[ "$failures" -eq 0 ] || show_logs
[ "$failures" -eq 0 ]
