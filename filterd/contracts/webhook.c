/* webhook.c - agentgateway's prompt guard webhook.
 *
 * Shape: https://github.com/agentgateway/agentgateway, llm/policy/webhook.rs, and its Raw message format. The body is
 * judged as a document, and a mask is that document again. On a stream agentgateway ignores masks, so that streams of a
 * policy that redacts need `action: block` there (docs/contracts.md). */
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"

enum { REJECTED = 403 };

static bool read_body(const struct contract_call *call, const char *member, struct contract_exchange *out,
                      struct filter_fault *fault)
{
    struct json_value root, body, part;
    const struct shape_member outer[] = {{"body", SHAPE_OBJECT, true, &body}, {0}};
    const struct shape_member inner[] = {{member, SHAPE_ARRAY, true, &part}, {0}};
    struct error err;
    struct document *document = arena_alloc(call->arena, sizeof(*document), &err);

    if (document == NULL) {
        return fault_set_error(fault, &err);
    }
    out->state = document;
    return shape_root(call, &root, fault) && shape_read(call, root, "", outer, fault) &&
           shape_read(call, body, "/body", inner, fault) && shape_document(call, body, "/body", document, out, fault);
}

static bool read_request(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    return read_body(call, "messages", out, fault);
}

static bool read_response(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    return read_body(call, "choices", out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"error\":");
    put_string(w, span_str(fault->detail));
    put(w, "}");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    (void)call;
    if (x->action == ACTION_BLOCK) {
        put(w, "{\"action\":{\"body\":");
        put_string(w, x->policy->notice);
        put(w, ",\"status_code\":");
        put_number(w, REJECTED);
        put(w, "}}");
    } else if (x->action == ACTION_REDACT) {
        put(w, "{\"action\":{\"body\":");
        w->is_ok = w->is_ok && document_write(c->state, w->out, w->err);
        put(w, "}}");
    } else {
        put(w, "{\"action\":{}}");
    }
    return 200;
}

const struct contract contract_webhook_request = {"/request", read_request, write, refuse},
                      contract_webhook_response = {"/response", read_response, write, refuse};
