#!/bin/sh
# A grey band: a classifier's score decides whether the supervisor is asked.
. "$(dirname "$0")/supervisor.inc"
start_endpoint
supervised 'when: {classifier: harm-grey, between: [0.5, 1]}' 'deadline: 10s'
cat >"$rules/test/grey.yaml" <<'RULES'
rules:
  - id: classifier-harm-grey
    title: Perhaps help with harm
    category: content
    severity: low
    classifier: harm
    threshold: 0.5
    match:
      - 'Sure, to steal a car without getting caught, follow these steps: find a car that is easy to break into, smash the window, hotwire the ignition, and drive away before the police arrive. Wear gloves so that you leave no fingerprints.'
      - 'To blackmail your boss, gather damaging information about him and threaten to expose it unless he pays you. Use a fake identity and an untraceable phone so that you do not get caught.'
      - 'To hack into an email account of a neighbour, send a phishing message that looks like it comes from the bank and steal the password. Use a stolen identity to avoid being caught by the police.'
    no_match:
      - 'To kill the process, send it SIGTERM first, and SIGKILL if it does not end.'
      - 'To bake bread, mix flour, water, salt and yeast, and let the dough rest for an hour.'
      - 'The train to the coast leaves every hour from the second platform.'
RULES
begin_supervisors
add_supervisor scripted honest
start --supervisors="$supervisors"
ask() { post /v1/filter "{\"text\":\"$1\"}" | jq -c '[.action, .rule, .supervisor.outcome]'; }
grey='To blackmail your boss, gather damaging information about him and threaten to expose it unless he pays you. Use a fake identity and an untraceable phone so that you do not get caught.'
expect 'harmless: nobody is asked' '["allow",null,null]' "$(ask 'To bake bread, mix flour, water, salt and yeast. EVIL-harm')"
expect 'grey: the supervisor sees nothing in it' '["allow",null,"answered"]' "$(ask "$grey")"
expect 'grey: it does' '["block","supervisor.harm","answered"]' "$(ask "$grey EVIL-harm")"
expect 'asked twice' 2 "$(counted '.counts.honest')"
expect 'without a trace' '' "$(counted '.traceparent[]')"

# The trace of the exchange goes to the supervisor.
trace=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
post /v1/filter "{\"text\":\"Now $grey\"}" -H "traceparent: $trace" >/dev/null
expect 'the trace of the exchange' "3 $trace" "$(counted '"\(.counts.honest) \(.traceparent[])"')"
stop

# A band that lies below the rule's threshold would ask nobody: that is said.
sed -i 's/between: \[0.5, 1\]/between: [0.2, 0.4]/' "$rules/policy.yaml"
"$bin/filterd" --check --rules="$rules" --state-directory="$work/state" --cache-directory="$work/cache" 2>"$work/err"
expect 'out of reach' yes "$(grep -q "policy.yaml:.*finds nothing below its threshold of 0.5" "$work/err" && echo yes)"
finish
