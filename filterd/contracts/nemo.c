/* nemo.c - NeMo Guardrails' checks: POST /v1/guardrail/checks.
 *
 * Shape: NVIDIA's documentation of the NeMo Guardrails microservice, "checks". The contract has no way to rewrite, so a redaction is
 * a block. */
#include "contracts/contracts.h"
#include "contracts/shape.h"

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, messages;
    const struct shape_member members[] = {{"messages", SHAPE_ARRAY, true, &messages}, {0}};
    struct document document;

    out->takes_no_change = true;
    return shape_root(call, &root, fault) && shape_read(call, root, "", members, fault) &&
           shape_document(call, messages, "/messages", &document, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"detail\":");
    put_string(w, span_str(fault->detail));
    put(w, "}");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    const char *status = x->action == ACTION_ALLOW ? "success" : "blocked";

    (void)call;
    (void)c;
    put(w, "{\"status\":\"");
    put(w, status);
    put(w, "\",\"rails_status\":{\"filterd\":{\"status\":\"");
    put(w, status);
    put(w, "\"}},\"guardrails_data\":{\"log\":{\"activated_rails\":[");
    if (x->action != ACTION_ALLOW) {
        put_string(w, x->rule);
    }
    put(w, "]}}}");
    return 200;
}

const struct contract contract_guardrail_checks = {"/v1/guardrail/checks", read, write, refuse};
