/* evaluate.c - OpenGuardrails' runtime: POST /v1/evaluate, one GuardEvent in and one Verdict out.
 *
 * Shape: https://github.com/openguardrails/openguardrails, specification/runtime-api.md. A redaction is `allow` with
 * modifications; each replaces a whole string leaf of the payload. In a tool call's arguments, which are JSON inside a string, the
 * specification knows no places, so that a redaction there is a block. Paths show what /v1/filter shows of them. */
#include "base/uuid.h"
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "enforce/shown_path.h"
#include "http/fault.h"
#include "http/offsets.h"

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, kind, step, agent, user, payload, session;
    const struct shape_member members[] = {{"kind", SHAPE_STRING, true, &kind},
                                           {"step_id", SHAPE_STRING, true, &step},
                                           {"agent_id", SHAPE_STRING, true, &agent},
                                           {"agent_user", SHAPE_STRING, false, &user},
                                           {"session_hint", SHAPE_STRING, false, &session},
                                           {"payload", SHAPE_OBJECT, true, &payload}, {0}};
    struct error err;
    struct document *document = arena_alloc(call->arena, sizeof(*document), &err);

    if (document == NULL) {
        return fault_set_error(fault, &err);
    }
    out->state = document;
    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault) ||
        !shape_text(call, agent, &out->who.agent, fault) || !shape_text(call, session, &out->who.session, fault)) {
        return false;
    }
    if (!span_is(kind.raw, "\"step/request\"") && !span_is(kind.raw, "\"step/response\"")) {
        return fault_set(fault, 422, "/kind", "\"step/request\" or \"step/response\" expected");
    }
    return shape_document(call, payload, "/payload", document, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, fault->status == 400 ? "{\"error\":\"invalid_body\",\"details\":[" : "{\"error\":\"invalid_event\",\"details\":[");
    put_string(w, span_str(fault->detail));
    put(w, "]}");
}

/* "/payload/messages/1/content" as "payload.messages.1.content", as far as the caller may see it. */
static void put_path(struct writer *w, const struct exchange *x, struct span path)
{
    struct shown_path shown;

    w->is_ok = w->is_ok && shown_path_make(&shown, path, shown_names_to_caller(x), NULL, SHOWN_PATH_MAX, w->err);
    if (!w->is_ok) {
        return;
    }
    for (size_t i = 0; i < shown.len; i++) {
        shown.text[i] = shown.text[i] == '/' ? '.' : shown.text[i];
    }
    put_string(w, shown.len > 0 ? span_of(shown.text + 1, shown.len - 1) : span_of("", 0));
}

static const char *category_of(const struct finding *f)
{
    static const char *const names[CATEGORY_COUNT] = {
        [CATEGORY_SECRET] = "security.secret_leak", [CATEGORY_PII] = "privacy.pii", [CATEGORY_INJECTION] = "security.prompt_injection",
        [CATEGORY_CONTENT] = "safety.content", [CATEGORY_SYSTEM] = "x.filterd"};

    return names[f->rule->category];
}

static void put_finding(struct writer *w, const struct contract_call *call, const struct exchange *x, const struct finding *f)
{
    const struct channel *channel = &x->channels[f->channel];
    struct offsets offsets;

    w->is_ok = w->is_ok && offsets_init(call->arena, channel->text, &offsets, w->err);
    if (!w->is_ok) {
        return;
    }
    put(w, "{\"category\":");
    put_string(w, span_str(category_of(f)));
    put(w, ",\"severity\":");
    put_string(w, span_str(severity_name(f->rule->severity)));
    put(w, ",\"detector\":");
    put_string(w, f->rule->id);
    put(w, ",\"score\":");
    put_fraction(w, f->confidence);
    if (!channel->is_member_name) {
        put(w, ",\"path\":");
        put_path(w, x, channel->path);
        put(w, ",\"start\":");
        put_number(w, offsets_find(&offsets, f->from).chars);
        put(w, ",\"end\":");
        put_number(w, offsets_find(&offsets, f->to).chars);
    }
    put(w, f->is_excepted ? ",\"whitelisted\":true}" : "}");
}

static bool ends_with(struct span text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len && span_is(span_slice(text, text.len - len, text.len), end);
}

static bool is_changed(const struct channel *c)
{
    return !c->is_member_name && c->output.ptr != c->text.ptr && !span_equal(c->output, c->text);
}

static bool needs_block(const struct exchange *x)
{
    for (size_t i = 0; i < x->n_channels; i++) {
        if (is_changed(&x->channels[i]) && ends_with(x->channels[i].path, "/arguments")) {
            return true;
        }
    }
    return false;
}

static void put_changes(struct writer *w, const struct contract_call *call, const struct exchange *x)
{
    struct offsets offsets;
    bool is_first = true;

    put(w, ",\"modifications\":{\"spans\":[");
    for (size_t i = 0; i < x->n_channels && w->is_ok; i++) {
        const struct channel *c = &x->channels[i];
        if (!is_changed(c)) {
            continue;
        }
        w->is_ok = offsets_init(call->arena, c->text, &offsets, w->err);
        put(w, is_first ? "{\"path\":" : ",{\"path\":");
        put_path(w, x, c->path);
        put(w, ",\"start\":0,\"end\":");
        put_number(w, w->is_ok ? offsets_find(&offsets, c->text.len).chars : 0);
        put(w, ",\"replacement\":");
        put_string(w, c->output);
        put(w, "}");
        is_first = false;
    }
    put(w, "]}");
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    char id[UUID_TEXT + 1];
    bool is_redacted = x->action == ACTION_REDACT && !needs_block(x);
    bool is_first = true;

    (void)c;
    uuid_format(x->id.bytes, id);
    put(w, "{\"event_id\":\"");
    put(w, id);
    put(w, x->action == ACTION_ALLOW || is_redacted ? "\",\"provider\":\"filterd\",\"decision\":\"allow\",\"findings\":["
                                                    : "\",\"provider\":\"filterd\",\"decision\":\"block\",\"findings\":[");
    for (size_t i = 0; i < x->n_findings; i++) {
        if (!x->findings[i].is_shadow) {
            put(w, is_first ? "" : ",");
            put_finding(w, call, x, &x->findings[i]);
            is_first = false;
        }
    }
    put(w, "]");
    if (is_redacted) {
        put_changes(w, call, x);
    }
    put(w, x->unjudged_reason != NULL ? ",\"unjudged\":[\"payload\"]}" : "}");
    return 200;
}

const struct contract contract_evaluate = {"/v1/evaluate", read, write, refuse};
