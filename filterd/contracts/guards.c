/* guards.c - Guardrails AI's server: POST /guards/{name}/validate.
 *
 * Shape: https://github.com/guardrails-ai/guardrails-api, ValidationOutcome; its client since 0.11 sends llm_output, older ones llmOutput. The guard's name is that of a filterd policy. A
 * redaction passes with the changed text, as a validator with the on-fail action "fix" does. */
#include "base/uuid.h"
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, text, older;
    const struct shape_member members[] = {{"llm_output", SHAPE_STRING, false, &text}, {"llmOutput", SHAPE_STRING, false, &older}, {0}};

    out->policy = call->parameter;
    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault)) {
        return false;
    }
    bool is_older = text.raw.ptr == NULL;
    if (is_older == (older.raw.ptr == NULL)) {
        return fault_set(fault, 422, "/llm_output", "llm_output or llmOutput expected");
    }
    return shape_channels(call, is_older ? &older : &text, 1, is_older ? "/llmOutput" : "/llm_output", false, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"status\":");
    put_number(w, fault->status);
    put(w, ",\"message\":");
    put_string(w, span_str(fault->detail));
    put(w, ",\"validationPassed\":false}");
}

static void put_summaries(struct writer *w, const struct exchange *x)
{
    bool is_first = true;

    put(w, ",\"validationSummaries\":[");
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (f->action != ACTION_ALLOW && !f->is_shadow) {
            put(w, is_first ? "{\"validatorName\":" : ",{\"validatorName\":");
            put_string(w, f->rule->id);
            put(w, ",\"validatorStatus\":\"fail\",\"failureReason\":");
            put_string(w, f->rule->title);
            put(w, "}");
            is_first = false;
        }
    }
    put(w, "]");
}

/* rawLlmOutput repeats what the caller sent, but for what the policy does not let out. */
static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    char id[UUID_TEXT + 1];

    (void)call;
    uuid_format(x->id.bytes, id);
    put(w, "{\"callId\":\"");
    put(w, id);
    put(w, x->action == ACTION_BLOCK ? "\",\"validationPassed\":false" : "\",\"validationPassed\":true");
    put(w, ",\"rawLlmOutput\":");
    put_string(w, x->action == ACTION_BLOCK ? x->policy->notice : c->channels[0].output);
    put(w, ",\"validatedOutput\":");
    if (x->action == ACTION_BLOCK) {
        put(w, "null");
    } else {
        put_string(w, c->channels[0].output);
    }
    put_summaries(w, x);
    put(w, x->action == ACTION_BLOCK ? ",\"error\":" : ",\"error\":null");
    if (x->action == ACTION_BLOCK) {
        put_string(w, x->policy->notice);
    }
    put(w, ",\"reask\":null}");
    return 200;
}

const struct contract contract_guards_validate = {"/guards/{name}/validate", read, write, refuse};
