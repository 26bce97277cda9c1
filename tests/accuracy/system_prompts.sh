#!/bin/sh
# system_prompts.sh BINDIR: runs of a hundred system prompts in answers of the real service, verbatim, in base64, in changed case and cut in
# a stream: none is left; of a thousand ordinary answers of the same assistants at most one is changed, and of the answers in FILTERD_DATA
# (by default ../shared/data; without it only the assistants' own). See system_prompts.py; FILTERD_SEED (1) makes other runs.
. "$(dirname "$0")/../e2e/service.inc"
cat >"$rules/policy.yaml" <<'POLICY'
policies:
  default: {rules: [test], system_prompt: {}, actions: [{rule: system-prompt, action: redact}]}
  every: {rules: [test], system_prompt: {words: 1}, actions: [{rule: system-prompt, action: redact}]}
POLICY
start
data=${FILTERD_DATA:-../shared/data}
[ -d "$data/benign" ] || { echo 'without answers of language models: the labelled texts are not there'; data=; }
python3 tests/accuracy/system_prompts.py "$url" ${data:+"$data"} ${FILTERD_SHOW:+--show} || failures=$((failures + 1))
stop
finish
