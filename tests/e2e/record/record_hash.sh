#!/bin/sh
# A value's tokens: as the record has them, by the key of their epoch.
. "$(dirname "$0")/../service.inc"
start
post /v1/filter "{\"text\":\"a $secret!\",\"session\":\"anna\"}" >/dev/null
tokens=$(printf '%s\n' "$secret" | "$bin/filterctl" record hash --keys "$work/state")
expect 'of a finding' "$(records | jq -r 'select(.findings) | .findings[0].value_tok')" "$(echo "$tokens" | tail -1 | cut -f3)"
printf anna >"$work/value"
expect 'of a session' "$(records | jq -r 'select(.session) | .session')" \
    "$("$bin/filterctl" record hash --keys "$work/state" "$work/value" | tail -1 | cut -f3)"
epoch=e$(($(date +%s) / 86400 / 90))
expect 'the epoch' "$epoch" "$(echo "$tokens" | tail -1 | cut -f1)"
expect 'its key' 600 "$(stat -c %a "$work/state/keys/token-$epoch.key")"
expect 'its first day' "$(date -u -d @$((${epoch#e} * 90 * 86400)) +%F)" "$(echo "$tokens" | tail -1 | cut -f2)"
expect 'names' names "$(echo "$tokens" | head -1 | cut -f1)"
expect 'no value is an operand' 2 "$("$bin/filterctl" record hash --keys "$work/state" "$secret" >/dev/null 2>&1; echo $?)"
stop
finish
