/* apply_guardrail.c - Amazon Bedrock's ApplyGuardrail: POST /guardrail/{id}/version/{version}/apply.
 *
 * Shape: the service model of bedrock-runtime (botocore, 2023-09-30). The guardrail's id names a filterd policy when there is one,
 * so that several guardrails keep apart. Signatures (SigV4) are not verified: filterd's own tokens or its address decide who may
 * call. `match` of a finding is its rule's label, never the matched text. */
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"
#include "http/offsets.h"

static bool take_text(const struct contract_call *call, struct json_value item, struct json_value *text,
                      struct filter_fault *fault)
{
    struct json_value outer;
    const struct shape_member block[] = {{"text", SHAPE_OBJECT, true, &outer}, {0}};
    const struct shape_member inner[] = {{"text", SHAPE_STRING, true, text}, {0}};

    return shape_read(call, item, "/content", block, fault) && shape_read(call, outer, "/content/text", inner, fault);
}

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, source, content, *items;
    const struct shape_member members[] = {
        {"source", SHAPE_STRING, true, &source}, {"content", SHAPE_ARRAY, true, &content}, {0}};
    size_t n;

    const char *id_end = memchr(call->parameter.ptr, '/', call->parameter.len);
    out->policy = id_end == NULL ? call->parameter : span_of(call->parameter.ptr, (size_t)(id_end - call->parameter.ptr));
    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault) ||
        !shape_items(call, content, "/content", SHAPE_OBJECT, &items, &n, fault)) {
        return false;
    }
    if (!span_is(source.raw, "\"INPUT\"") && !span_is(source.raw, "\"OUTPUT\"")) {
        return fault_set(fault, 422, "/source", "\"INPUT\" or \"OUTPUT\" expected");
    }
    for (size_t i = 0; i < n; i++) {
        struct json_value item = items[i];
        if (!take_text(call, item, &items[i], fault)) {
            return false;
        }
    }
    return shape_channels(call, items, n, "/content", true, out, fault) && shape_rest(call, content, "/content", items, n, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"message\":");
    put_string(w, span_str(fault->detail));
    put(w, "}");
}

static void put_usage(struct writer *w)
{
    put(w, "{\"topicPolicyUnits\":0,\"contentPolicyUnits\":0,\"wordPolicyUnits\":0,\"sensitiveInformationPolicyUnits\":1,"
           "\"sensitiveInformationPolicyFreeUnits\":0,\"contextualGroundingPolicyUnits\":0}");
}

static void put_assessments(struct writer *w, const struct exchange *x)
{
    bool is_first = true;

    put(w, ",\"assessments\":[{\"sensitiveInformationPolicy\":{\"piiEntities\":[],\"regexes\":[");
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (f->action == ACTION_ALLOW || f->is_shadow) {
            continue;
        }
        put(w, is_first ? "{\"name\":" : ",{\"name\":");
        put_string(w, f->rule->id);
        put(w, ",\"match\":");
        put_string(w, f->rule->id);
        put(w, f->action == ACTION_BLOCK ? ",\"action\":\"BLOCKED\"}" : ",\"action\":\"ANONYMIZED\"}");
        is_first = false;
    }
    put(w, "]}}]");
}

static void put_coverage(struct writer *w, const struct contract_call *call, const struct contract_exchange *c, const struct exchange *x)
{
    size_t total = 0, judged = 0;
    struct offsets offsets;

    for (size_t i = 0; i + c->n_rest < x->n_channels && w->is_ok; i++) {
        const struct channel *text = &x->channels[i];
        w->is_ok = offsets_init(call->arena, text->text, &offsets, w->err);
        total += w->is_ok ? offsets_find(&offsets, text->text.len).chars : 0;
        judged += w->is_ok && x->unjudged_reason == NULL ? offsets_find(&offsets, text->judged).chars : 0;
    }
    put(w, ",\"guardrailCoverage\":{\"textCharacters\":{\"guarded\":");
    put_number(w, judged);
    put(w, ",\"total\":");
    put_number(w, total);
    put(w, "}}}");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    put(w, "{\"usage\":");
    put_usage(w);
    put(w, x->action == ACTION_ALLOW ? ",\"action\":\"NONE\",\"outputs\":[" : ",\"action\":\"GUARDRAIL_INTERVENED\",\"outputs\":[");
    if (x->action == ACTION_BLOCK) {
        put(w, "{\"text\":");
        put_string(w, x->policy->notice);
        put(w, "}");
    }
    for (size_t i = 0; x->action == ACTION_REDACT && i < c->n_channels - c->n_rest; i++) {
        put(w, i == 0 ? "{\"text\":" : ",{\"text\":");
        put_string(w, c->channels[i].output);
        put(w, "}");
    }
    put(w, "]");
    put_assessments(w, x);
    put_coverage(w, call, c, x);
    return 200;
}

const struct contract contract_apply_guardrail = {"/guardrail/{version...}/apply", read, write, refuse};
