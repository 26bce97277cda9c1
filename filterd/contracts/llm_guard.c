/* llm_guard.c - LLM Guard's API: /analyze/output, /scan/output, /analyze/prompt, /scan/prompt.
 *
 * Shape: https://github.com/protectai/llm-guard, llm_guard_api/app/schemas.py. filterd's four categories take the places of its
 * scanners; a scanner's number is the highest confidence of a finding that the policy acts on. `is_valid` is false for a
 * block, and for a redaction where the answer has no text to sanitize. Placeholders are not restored: LLM Guard's vault is
 * shared by all callers. */
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"

static bool read_member(const struct contract_call *call, const char *member, struct contract_exchange *out,
                        struct filter_fault *fault)
{
    struct json_value root, text;
    const struct shape_member members[] = {{member, SHAPE_STRING, true, &text}, {0}};
    char path[16];

    (void)snprintf(path, sizeof(path), "/%s", member);
    return shape_root(call, &root, fault) && shape_read(call, root, "", members, fault) &&
           shape_channels(call, &text, 1, path, false, out, fault);
}

static bool read_output(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    return read_member(call, "output", out, fault);
}

static bool read_prompt(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    return read_member(call, "prompt", out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"message\":");
    put_string(w, span_str(fault->detail));
    put(w, ",\"details\":null,\"is_valid\":false}"); /* LiteLLM's callback looks at nothing else, whatever the status */
}

static void put_scanners(struct writer *w, const struct exchange *x)
{
    static const struct {
        enum category category;
        const char *name;
    } rows[] = {{CATEGORY_SECRET, "Secrets"}, {CATEGORY_PII, "Sensitive"}, {CATEGORY_INJECTION, "PromptInjection"},
                {CATEGORY_CONTENT, "Toxicity"}};

    put(w, ",\"scanners\":");
    for (size_t k = 0; k < COUNT(rows); k++) {
        double score = 0;
        for (size_t i = 0; i < x->n_findings; i++) {
            const struct finding *f = &x->findings[i];
            bool counts = f->rule->category == rows[k].category && f->action != ACTION_ALLOW && !f->is_shadow;
            score = counts && f->confidence > score ? f->confidence : score;
        }
        put(w, k == 0 ? "{\"" : ",\"");
        put(w, rows[k].name);
        put(w, "\":");
        put_fraction(w, score);
    }
    put(w, "}}");
}

static unsigned write_sanitized(struct writer *w, const char *member, const struct exchange *x)
{
    put(w, "{\"");
    put(w, member);
    put(w, "\":");
    put_string(w, x->action == ACTION_BLOCK ? x->policy->notice : x->channels[0].output);
    put(w, x->action == ACTION_BLOCK ? ",\"is_valid\":false" : ",\"is_valid\":true");
    put_scanners(w, x);
    return 200;
}

static unsigned write_output(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                             const struct exchange *x)
{
    (void)call;
    (void)c;
    return write_sanitized(w, "sanitized_output", x);
}

static unsigned write_prompt(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                             const struct exchange *x)
{
    (void)call;
    (void)c;
    return write_sanitized(w, "sanitized_prompt", x);
}

static unsigned write_scan(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                           const struct exchange *x)
{
    (void)call;
    (void)c;
    put(w, x->action == ACTION_ALLOW ? "{\"is_valid\":true" : "{\"is_valid\":false");
    put_scanners(w, x);
    return 200;
}

const struct contract contract_analyze_output = {"/analyze/output", read_output, write_output, refuse},
                      contract_scan_output = {"/scan/output", read_output, write_scan, refuse},
                      contract_analyze_prompt = {"/analyze/prompt", read_prompt, write_prompt, refuse},
                      contract_scan_prompt = {"/scan/prompt", read_prompt, write_scan, refuse};
