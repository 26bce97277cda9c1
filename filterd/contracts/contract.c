#include "contracts/contract.h"

#include "contracts/contracts.h"

static const struct contract *const contracts[] = {
    &contract_moderations, &contract_presidio_analyze, &contract_detector_contents,   &contract_detector_generation,
    &contract_detector_chat,   &contract_detector_context, &contract_webhook_request,     &contract_webhook_response,
    &contract_portkey,         &contract_evaluate,         &contract_scan_output,         &contract_analyze_output,
    &contract_analyze_prompt,  &contract_scan_prompt,      &contract_apply_guardrail,     &contract_guardrail_checks,
    &contract_guards_validate, &contract_sanitize,         &contract_sanitize_credentials,
    &contract_hooks_claude_code, &contract_hooks_codex,
};

const struct contract *contract_find(const char *path)
{
    for (size_t i = 0; i < COUNT(contracts); i++) {
        if (strcmp(contracts[i]->path, path) == 0) {
            return contracts[i];
        }
    }
    return NULL;
}

/* They are in the order of their channels. */
const struct finding *contract_findings_from(const struct exchange *x, size_t channel, size_t *n)
{
    size_t from = exchange_findings_of(x, channel);

    *n = x->n_findings - from;
    return *n == 0 ? NULL : x->findings + from;
}

bool contract_is_blocked_without_finding(const struct exchange *x)
{
    if (x->action != ACTION_BLOCK) {
        return false;
    }
    for (size_t i = 0; i < x->n_findings; i++) {
        if (x->findings[i].action == ACTION_BLOCK && !x->findings[i].is_shadow) {
            return false;
        }
    }
    return true;
}
