#!/bin/sh
# ocsf.sh BINDIR: OCSF events of a log with every type of line, and of filterd's own, against the published schema.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
support=$here/../support
. "$here/../e2e/service.inc"
. "$here/../e2e/ship.inc"
mkdir -p "$root/build/ship"
python=$root/build/ship/ocsf/bin/python
if ! "$python" -c 'import ocsf_json_schema, jsonschema' 2>/dev/null; then
    { python3 -m venv "$root/build/ship/ocsf" && "$root/build/ship/ocsf/bin/pip" install --quiet --timeout 20 --retries 2 \
        ocsf-json-schema==1.2.0 jsonschema==4.25.1; } >"$root/build/ship/ocsf.log" 2>&1 ||
        { echo "skip: OCSF's schema cannot be installed here: $(tail -n 1 "$root/build/ship/ocsf.log")"; exit 0; }
fi
start
for text in "$secret" E2EBOMB0001 "E2EBOMB0002 and $secret and $secret" hello; do
    post /v1/filter "{\"text\":\"$text\",\"agent\":\"a|b\\\\nc\",\"tenant\":\"acme\"}" >/dev/null
done
stop
mkdir "$work/made"
python3 "$here/make_log.py" "$work/made/decisions.jsonl" 20000
for log in "$work/state" "$work/made"; do
    echo "{log: $log/decisions.jsonl, state: $log/ship, sinks: {lake: {format: ocsf, file: $log/ocsf.jsonl}}}" >"$work/ship.yaml"
    start_ship
    stop_ship
    expect 'ended' 0 "$status"
done
"$python" "$here/check_ocsf.py" "$work/state/ocsf.jsonl" "$work/made/ocsf.jsonl"
expect 'valid' 0 $?
expect 'planted secrets' 0 "$(grep -cF "$secret" "$work/state/ocsf.jsonl")"
finish
