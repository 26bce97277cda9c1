/* detector.c - text detectors as the FMS guardrails orchestrator and TrustyAI ask them.
 *
 * Shape: https://github.com/foundation-model-stack/fms-guardrails-orchestrator, docs/api/openapi_detector_api.yaml. A
 * detection is a finding that the policy acts on; its offsets are code points. The orchestrator decides what a
 * detection means, so a verdict without a finding is an error. */
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"
#include "http/offsets.h"

static bool require_id(const struct contract_call *call, struct filter_fault *fault)
{
    return call->header(call->context, "detector-id").len > 0 ||
           fault_set(fault, 422, "", "the header detector-id expected");
}

static bool read_contents(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, contents, *items;
    const struct shape_member members[] = {{"contents", SHAPE_ARRAY, true, &contents}, {0}};
    size_t n;

    return require_id(call, fault) && shape_root(call, &root, fault) && shape_read(call, root, "", members, fault) &&
           shape_items(call, contents, "/contents", SHAPE_STRING, &items, &n, fault) &&
           shape_channels(call, items, n, "/contents", true, out, fault);
}

static bool read_generation(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, prompt, text;
    const struct shape_member members[] = {
        {"prompt", SHAPE_STRING, false, &prompt}, {"generated_text", SHAPE_STRING, true, &text}, {0}};

    return require_id(call, fault) && shape_root(call, &root, fault) && shape_read(call, root, "", members, fault) &&
           shape_channels(call, &text, 1, "/generated_text", false, out, fault);
}

/* The messages, and which tools the model was offered. */
static bool read_chat(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, messages, tools;
    const struct shape_member members[] = {{"messages", SHAPE_ARRAY, true, &messages}, {"tools", SHAPE_ARRAY, false, &tools}, {0}};
    struct document parts[2], whole;
    struct error err;

    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault) ||
        !shape_document(call, messages, "/messages", &parts[0], out, fault)) {
        return false;
    }
    if (tools.raw.ptr == NULL) {
        return true;
    }
    if (!shape_document(call, tools, "/tools", &parts[1], out, fault)) {
        return false;
    }
    if (!document_join(call->arena, call->body, parts, COUNT(parts), &whole, &err)) {
        return fault_set_error(fault, &err);
    }
    out->channels = whole.channels;
    out->n_channels = whole.n;
    return true;
}

static bool read_context(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, content, context;
    const struct shape_member members[] = {
        {"content", SHAPE_STRING, true, &content}, {"context", SHAPE_ARRAY, true, &context}, {0}};

    return require_id(call, fault) && shape_root(call, &root, fault) && shape_read(call, root, "", members, fault) &&
           shape_channels(call, &content, 1, "/content", false, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"code\":");
    put_number(w, fault->status);
    put(w, ",\"message\":");
    put_string(w, span_str(fault->detail));
    put(w, "}");
}

static bool is_detection(const struct finding *f)
{
    return f->action != ACTION_ALLOW && !f->is_shadow && !f->is_excepted;
}

static void put_detection(struct writer *w, const struct finding *f)
{
    put(w, "\"detection\":");
    put_string(w, f->rule->id);
    put(w, ",\"detection_type\":");
    put_string(w, span_str(category_name(f->rule->category)));
    put(w, ",\"score\":");
    put_fraction(w, f->confidence);
    put(w, ",\"evidence\":[],\"metadata\":{}}");
}

static void put_span(struct writer *w, const struct channel *channel, const struct offsets *offsets, const struct finding *f)
{
    put(w, "{\"start\":");
    put_number(w, offsets_find(offsets, f->from).chars);
    put(w, ",\"end\":");
    put_number(w, offsets_find(offsets, f->to).chars);
    put(w, ",\"text\":");
    put_string(w, span_slice(channel->text, f->from, f->to));
    put(w, ",");
}

static void put_of_channel(struct writer *w, const struct contract_call *call, const struct exchange *x, size_t channel)
{
    struct offsets offsets;
    bool is_first = true;
    size_t n;
    const struct finding *f = contract_findings_from(x, channel, &n);

    w->is_ok = w->is_ok && offsets_init(call->arena, x->channels[channel].text, &offsets, w->err);
    put(w, "[");
    for (; w->is_ok && n > 0 && f->channel == channel; f++, n--) {
        if (is_detection(f)) {
            put(w, is_first ? "" : ",");
            put_span(w, &x->channels[channel], &offsets, f);
            put_detection(w, f);
            is_first = false;
        }
    }
    put(w, "]");
}

static unsigned refuse_verdict(struct writer *w)
{
    refuse(w, &(struct filter_fault){.status = 500, .detail = "the text could not be judged"});
    return 500;
}

/* One list for each of the contents. */
static unsigned write_contents(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                               const struct exchange *x)
{
    if (contract_is_blocked_without_finding(x)) {
        return refuse_verdict(w);
    }
    put(w, "[");
    for (size_t i = 0; i < c->n_channels; i++) {
        put(w, i == 0 ? "" : ",");
        put_of_channel(w, call, x, i);
    }
    put(w, "]");
    return 200;
}

/* One list, without places. */
static unsigned write_whole(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                            const struct exchange *x)
{
    bool is_first = true;

    (void)call;
    (void)c;
    if (contract_is_blocked_without_finding(x)) {
        return refuse_verdict(w);
    }
    put(w, "[");
    for (size_t i = 0; i < x->n_findings; i++) {
        if (is_detection(&x->findings[i])) {
            put(w, is_first ? "{" : ",{");
            put_detection(w, &x->findings[i]);
            is_first = false;
        }
    }
    put(w, "]");
    return 200;
}

const struct contract contract_detector_contents = {"/api/v1/text/contents", read_contents, write_contents, refuse},
                      contract_detector_generation = {"/api/v1/text/generation", read_generation, write_whole, refuse},
                      contract_detector_chat = {"/api/v1/text/chat", read_chat, write_whole, refuse},
                      contract_detector_context = {"/api/v1/text/context/doc", read_context, write_whole, refuse};
