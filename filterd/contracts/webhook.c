/* webhook.c - agentgateway's prompt guard webhook.
 *
 * Shape: https://github.com/agentgateway/agentgateway, crates/agentgateway/src/llm/policy/webhook.rs. The body is judged as a
 * document, and a mask is that document again. On a stream agentgateway ignores masks, so that streams of a policy that
 * redacts need `action: block` there (docs/contracts.md).
 *
 * The message format Raw has no envelope, only for requests: {messages, model}, answered by {messages}. It has no word for a
 * rejection, and lets pass what has no `messages`, an error, too: a block and an error are answered with none of them, an empty
 * array, which agentgateway takes for a failure. */
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "http/fault.h"

enum { REJECTED = 403 };

struct webhook {
    struct document document;
    bool is_raw;
};

/* An envelope with that member, or the member without one. */
static bool read_body(const struct contract_call *call, const char *member, bool may_be_raw, struct contract_exchange *out,
                      struct filter_fault *fault)
{
    struct json_value root, body, part;
    const struct shape_member outer[] = {{"body", SHAPE_OBJECT, !may_be_raw, &body}, {0}};
    const struct shape_member inner[] = {{member, SHAPE_ARRAY, true, &part}, {0}};
    struct error err;
    struct webhook *webhook = arena_alloc(call->arena, sizeof(*webhook), &err);

    if (webhook == NULL) {
        return fault_set_error(fault, &err);
    }
    out->state = webhook;
    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", outer, fault)) {
        return false;
    }
    webhook->is_raw = body.raw.ptr == NULL;
    return webhook->is_raw ? shape_read(call, root, "", inner, fault) &&
                                 shape_document(call, part, "/messages", &webhook->document, out, fault)
                           : shape_read(call, body, "/body", inner, fault) &&
                                 shape_document(call, body, "/body", &webhook->document, out, fault);
}

static bool read_request(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    return read_body(call, "messages", true, out, fault);
}

static bool read_response(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    return read_body(call, "choices", false, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, "{\"error\":");
    put_string(w, span_str(fault->detail));
    put(w, ",\"messages\":[]}");
}

static void put_document(struct writer *w, const struct webhook *webhook)
{
    w->is_ok = w->is_ok && document_write(&webhook->document, w->out, w->err);
}

static void write_raw(struct writer *w, const struct webhook *webhook, enum action action)
{
    put(w, "{\"messages\":");
    if (action == ACTION_REDACT) {
        put_document(w, webhook);
    } else {
        put(w, action == ACTION_ALLOW ? "null" : "[]");
    }
    put(w, "}");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    const struct webhook *webhook = c->state;

    (void)call;
    if (webhook->is_raw) {
        write_raw(w, webhook, x->action);
    } else if (x->action == ACTION_BLOCK) {
        put(w, "{\"action\":{\"body\":");
        put_string(w, x->policy->notice);
        put(w, ",\"status_code\":");
        put_number(w, REJECTED);
        put(w, "}}");
    } else if (x->action == ACTION_REDACT) {
        put(w, "{\"action\":{\"body\":");
        put_document(w, webhook);
        put(w, "}}");
    } else {
        put(w, "{\"action\":{}}");
    }
    return 200;
}

const struct contract contract_webhook_request = {"/request", read_request, write, refuse},
                      contract_webhook_response = {"/response", read_response, write, refuse};
