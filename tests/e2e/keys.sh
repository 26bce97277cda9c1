#!/bin/sh
# Service and filterctl with the same keys: the same redacted texts, and reveal opens what the service closed.
. "$(dirname "$0")/service.inc"
for way in hash encrypt; do
    sed -i "s/{category: secret, action: redact.*}/{category: secret, action: redact, with: $way}/" "$rules/policy.yaml"
    start
    text=$(post /v1/filter "{\"text\":\"a $secret!\"}" | jq -r .text)
    expect "$way: shape" "a [test-key:$way:" "$(printf '%s' "$text" | sed 's/[^:]*$//; s/enc:$/encrypt:/')"
    expect "$way: filterctl agrees" "$text" \
        "$(printf 'a %s!' "$secret" | "$bin/filterctl" redact --rules "$rules" --keys "$work/state")"
    stop
done
expect 'opened' "a $secret!" "$(printf '%s' "$text" | "$bin/filterctl" reveal --keys "$work/state")"
finish
