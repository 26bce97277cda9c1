/* sanitize.c - the PII service that Kong's ai-sanitizer plugin asks: /llm/v1/sanitize and /llm/v1/sanitize_credentials.
 *
 * Shape: https://github.com/Kong/developer.konghq.com, api-specs/plugins/ai-sanitizer/openapi.yaml. What is replaced follows
 * filterd's policy, not the kinds that the body lists; the answer names the rules. A block is an error, at which the plugin stops
 * the request unless stop_on_error is off. Patterns of the body (custom_patterns) are refused: rules are the operator's. */
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, text, patterns;
    const struct shape_member members[] = {
        {"text", SHAPE_STRING, true, &text}, {"custom_patterns", SHAPE_ARRAY, false, &patterns}, {0}};

    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault)) {
        return false;
    }
    struct json_iterator it = json_iterate(patterns);
    struct json_value item;
    struct span name;
    if (patterns.raw.ptr != NULL && json_next(&it, &name, &item)) {
        return fault_set(fault, 422, "/custom_patterns", "no patterns expected: rules are in filterd's rule files");
    }
    return shape_channels(call, &text, 1, "/text", false, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"error\":");
    put_string(w, span_str(fault->detail));
    put(w, "}");
}

static void put_kinds(struct writer *w, const struct exchange *x, bool is_acted)
{
    bool is_first = true;

    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (!f->is_shadow && (!is_acted || f->action != ACTION_ALLOW)) {
            put(w, is_first ? "" : ",");
            put_string(w, f->rule->id);
            is_first = false;
        }
    }
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    (void)call;
    if (x->action == ACTION_BLOCK) {
        put(w, "{\"error\":");
        put_string(w, x->policy->notice);
        put(w, "}");
        return 400;
    }
    put(w, "{\"text\":");
    put_string(w, c->channels[0].output);
    put(w, ",\"identified_pii\":[");
    put_kinds(w, x, false);
    put(w, "],\"anonymized_pii\":[");
    put_kinds(w, x, true);
    put(w, "],\"detected_languages\":[],\"duration\":0}");
    return 200;
}

const struct contract contract_sanitize = {"/llm/v1/sanitize", read, write, refuse},
                      contract_sanitize_credentials = {"/llm/v1/sanitize_credentials", read, write, refuse};
