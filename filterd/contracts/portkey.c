/* portkey.c - Portkey's webhook guardrail, as hook before a request and after a response.
 *
 * Shape: https://github.com/Portkey-AI/gateway, plugins/default/webhook.ts. The JSON body of the side that the event names is
 * judged as a document; changed, it goes back as transformedData. Errors let pass there unless fail_on_error is set. */
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"

struct hook {
    struct document document;
    bool is_response;
};

static bool read_side(const struct contract_call *call, struct json_value side, struct hook *hook, struct contract_exchange *out,
                      struct filter_fault *fault)
{
    struct json_value json, text;
    const struct shape_member members[] = {
        {"json", SHAPE_OBJECT | SHAPE_ARRAY, false, &json}, {"text", SHAPE_STRING, false, &text}, {0}};
    const char *place = hook->is_response ? "/response" : "/request";

    if (!shape_read(call, side, place, members, fault)) {
        return false;
    }
    if (json.raw.ptr != NULL) {
        return shape_document(call, json, place, &hook->document, out, fault);
    }
    out->takes_no_change = true; /* a text cannot go back */
    return text.raw.ptr != NULL ? shape_channels(call, &text, 1, place, false, out, fault)
                                : fault_set(fault, 422, place, "json or text expected");
}

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, request, response, event;
    const struct shape_member members[] = {{"request", SHAPE_OBJECT, false, &request},
                                           {"response", SHAPE_OBJECT, false, &response},
                                           {"eventType", SHAPE_STRING, true, &event}, {0}};
    struct error err;
    struct hook *hook = arena_alloc(call->arena, sizeof(*hook), &err);

    if (hook == NULL) {
        return fault_set_error(fault, &err);
    }
    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault)) {
        return false;
    }
    *hook = (struct hook){.is_response = span_is(event.raw, "\"afterRequestHook\"")};
    out->state = hook;
    if (!hook->is_response && !span_is(event.raw, "\"beforeRequestHook\"")) {
        return fault_set(fault, 422, "/eventType", "\"beforeRequestHook\" or \"afterRequestHook\" expected");
    }
    const struct json_value *side = hook->is_response ? &response : &request;
    return side->raw.ptr != NULL ? read_side(call, *side, hook, out, fault)
                                 : fault_set(fault, 422, hook->is_response ? "/response" : "/request", "an object expected");
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"verdict\":false,\"data\":{\"error\":");
    put_string(w, span_str(fault->detail));
    put(w, "}}");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    const struct hook *hook = c->state;

    (void)call;
    if (x->action == ACTION_BLOCK) {
        put(w, "{\"verdict\":false,\"data\":{\"notice\":");
        put_string(w, x->policy->notice);
        put(w, "}}");
        return 200;
    }
    put(w, "{\"verdict\":true");
    if (x->action == ACTION_REDACT) {
        put(w, hook->is_response ? ",\"transformedData\":{\"response\":{\"json\":" : ",\"transformedData\":{\"request\":{\"json\":");
        w->is_ok = w->is_ok && document_write(&hook->document, w->out, w->err);
        put(w, "}}");
    }
    put(w, "}");
    return 200;
}

const struct contract contract_portkey = {"/portkey", read, write, refuse};
