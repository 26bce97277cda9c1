/* evaluate.c - OpenGuardrails' runtime: POST /v1/evaluate, one GuardEvent in and one Verdict out.
 *
 * Shape: https://github.com/openguardrails/openguardrails, specification/runtime-api.md, and protocol 0.4, which its package on PyPI
 * (openguardrails 0.2.0: models.py, client.py) speaks. A redaction is `allow` with
 * modifications; each replaces a whole string leaf of the payload. A runtime that does not find a place leaves it as it is. So a
 * redaction is a block where a path of names and dots does not say exactly which string is meant: in a tool call's arguments, which
 * are JSON inside a string, in a number, in parts of an array, below a name with a dot, where two members have one name, and where names
 * are not shown to the caller.
 * Paths of findings show what /v1/filter shows of them. */
#include <stdlib.h>

#include "base/uuid.h"
#include "contracts/contracts.h"
#include "contracts/shape.h"
#include "decision_log/shown_path.h"
#include "http/fault.h"
#include "http/offsets.h"

struct evaluation {
    struct document document;
    bool is_older; /* protocol 0.4: its event has a guard_id */
    struct span event, guard;
};

/* Names that the verdict repeats. */
static bool read_ids(const struct contract_call *call, struct json_value event, struct json_value guard, struct evaluation *e, struct filter_fault *fault)
{
    e->is_older = guard.raw.ptr != NULL;
    if (!shape_text(call, event, &e->event, fault) || !shape_text(call, guard, &e->guard, fault)) {
        return false;
    }
    return !e->is_older || (e->event.len > 0 && e->event.len <= FILTER_NAME_MAX && e->guard.len > 0 && e->guard.len <= FILTER_NAME_MAX) ||
           fault_set(fault, 422, "", "event_id and guard_id of at most %d bytes expected", FILTER_NAME_MAX);
}

/* Who acts: in protocol 0.4 `subject` says it. */
static bool read_agent(const struct contract_call *call, struct json_value agent, struct json_value subject, bool is_older, struct span *out,
                       struct filter_fault *fault)
{
    const struct shape_member members[] = {{"agent_id", SHAPE_STRING, false, &agent}, {0}};

    if (is_older && subject.raw.ptr != NULL && !shape_read(call, subject, "/subject", members, fault)) {
        return false;
    }
    if (agent.raw.ptr == NULL) {
        return fault_set(fault, 422, is_older ? "/subject/agent_id" : "/agent_id", "a string expected");
    }
    return shape_text(call, agent, out, fault);
}

static bool read(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault)
{
    struct json_value root, kind, step, agent, user, payload, session, event, guard, subject, older_session;
    const struct shape_member members[] = {{"kind", SHAPE_STRING, true, &kind},
                                           {"step_id", SHAPE_STRING, false, &step},
                                           {"agent_id", SHAPE_STRING, false, &agent},
                                           {"agent_user", SHAPE_STRING, false, &user},
                                           {"session_hint", SHAPE_STRING, false, &session},
                                           {"event_id", SHAPE_STRING, false, &event},
                                           {"guard_id", SHAPE_STRING, false, &guard},
                                           {"subject", SHAPE_OBJECT, false, &subject},
                                           {"session_id", SHAPE_STRING, false, &older_session},
                                           {"payload", SHAPE_OBJECT, true, &payload}, {0}};
    struct error err;
    struct evaluation *e = arena_alloc(call->arena, sizeof(*e), &err);

    if (e == NULL) {
        return fault_set_error(fault, &err);
    }
    *e = (struct evaluation){0};
    out->state = e;
    if (!shape_root(call, &root, fault) || !shape_read(call, root, "", members, fault) || !read_ids(call, event, guard, e, fault) ||
        !read_agent(call, agent, subject, e->is_older, &out->who.agent, fault) ||
        !shape_text(call, e->is_older ? older_session : session, &out->who.session, fault)) {
        return false;
    }
    if (!e->is_older && step.raw.ptr == NULL) {
        return fault_set(fault, 422, "/step_id", "a string expected");
    }
    if (!e->is_older && !span_is(kind.raw, "\"step/request\"") && !span_is(kind.raw, "\"step/response\"")) {
        return fault_set(fault, 422, "/kind", "\"step/request\" or \"step/response\" expected");
    }
    return shape_document(call, payload, "/payload", &e->document, out, fault);
}

static void refuse(struct writer *w, const struct filter_fault *fault)
{
    put(w, fault->status == 400 ? "{\"error\":\"invalid_body\",\"details\":[" : "{\"error\":\"invalid_event\",\"details\":[");
    put_string(w, span_str(fault->detail));
    put(w, "]}");
}

/* "/payload/messages/1/content" as "payload.messages.1.content", as far as the caller may see it. */
static void put_path(struct writer *w, enum shown_names names, struct span path)
{
    struct shown_path shown;

    w->is_ok = w->is_ok && shown_path_make(&shown, path, names, NULL, SHOWN_PATH_MAX, w->err);
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

/* What findings need of their exchange, and those of one channel of it. */
struct places {
    enum shown_names names;
    const struct channel *channel; /* NULL: of none yet */
    struct offsets offsets;
};

static void put_finding(struct writer *w, const struct contract_call *call, const struct channel *channel, struct places *places,
                        const struct finding *f)
{
    if (channel != places->channel) {
        w->is_ok = w->is_ok && offsets_init(call->arena, channel->text, &places->offsets, w->err);
        places->channel = channel;
    }
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
        put_path(w, places->names, channel->path);
        put(w, ",\"start\":");
        put_number(w, offsets_find(&places->offsets, f->from).chars);
        put(w, ",\"end\":");
        put_number(w, offsets_find(&places->offsets, f->to).chars);
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

/* Whether a path of the specification means this string and no other. */
static bool has_place(const struct document *d, size_t channel)
{
    struct span path = d->channels[channel].path;
    bool is_string = d->json.ptr[d->tokens[channel].from] == '"';
    bool is_plain = memchr(path.ptr, '.', path.len) == NULL && memchr(path.ptr, '~', path.len) == NULL;

    return is_string && is_plain && path.len <= SHOWN_PATH_MAX && !ends_with(path, "/arguments");
}

static int compare_paths(const void *left, const void *right)
{
    struct span a = (*(const struct channel *const *)left)->path, b = (*(const struct channel *const *)right)->path;

    if (a.len != b.len) {
        return a.len < b.len ? -1 : 1;
    }
    return memcmp(a.ptr, b.ptr, a.len);
}

/* Of members of one name a runtime reads the first or the last one: which of two strings a path means is not known. */
static bool share_paths(const struct exchange *x, struct arena *a, bool *is_shared, struct error *err)
{
    const struct channel **sorted = arena_array(a, x->n_channels + 1, sizeof(const struct channel *), err);
    size_t n = 0;

    *is_shared = false;
    for (size_t i = 0; sorted != NULL && i < x->n_channels; i++) {
        if (!x->channels[i].is_member_name) {
            sorted[n++] = &x->channels[i];
        }
    }
    if (n > 1) {
        qsort(sorted, n, sizeof(const struct channel *), compare_paths);
    }
    for (size_t i = 1; i < n && !*is_shared; i++) {
        *is_shared = span_equal(sorted[i - 1]->path, sorted[i]->path) && (is_changed(sorted[i - 1]) || is_changed(sorted[i]));
    }
    return sorted != NULL;
}

static bool needs_block(const struct exchange *x, const struct document *d, struct writer *w, struct arena *a)
{
    bool shows_names = shown_names_to_caller(x) == NAMES_DELIVERED, is_shared = false;

    for (size_t i = 0; i < x->n_channels; i++) {
        if (is_changed(&x->channels[i]) && !(shows_names && has_place(d, i))) {
            return true;
        }
    }
    w->is_ok = w->is_ok && share_paths(x, a, &is_shared, w->err);
    return is_shared;
}

static void put_changes(struct writer *w, const struct contract_call *call, const struct exchange *x, bool is_older)
{
    struct offsets offsets;
    bool is_first = true;

    put(w, is_older ? ",\"modifications\":{\"kind\":\"redact\",\"spans\":[" : ",\"modifications\":{\"spans\":[");
    for (size_t i = 0; i < x->n_channels && w->is_ok; i++) {
        const struct channel *c = &x->channels[i];
        if (!is_changed(c)) {
            continue;
        }
        w->is_ok = offsets_init(call->arena, c->text, &offsets, w->err);
        put(w, is_first ? "{\"path\":" : ",{\"path\":");
        put_path(w, NAMES_DELIVERED, c->path); /* else it is a block */
        put(w, ",\"start\":0,\"end\":");
        put_number(w, w->is_ok ? offsets_find(&offsets, c->text.len).chars : 0);
        put(w, ",\"replacement\":");
        put_string(w, c->output);
        put(w, "}");
        is_first = false;
    }
    put(w, "]}");
}

/* What protocol 0.4 has in place of findings: categories, and their reasons. */
static void put_categories(struct writer *w, const struct exchange *x)
{
    for (size_t part = 0; part < 2; part++) {
        bool is_first = true;
        put(w, part == 0 ? ",\"categories\":[" : "],\"reasons\":[");
        for (size_t i = 0; i < x->n_findings; i++) {
            const struct finding *f = &x->findings[i];
            if (f->is_shadow) {
                continue;
            }
            put(w, is_first ? "" : ",");
            is_first = false;
            if (part == 1) {
                put_string(w, f->rule->title);
                continue;
            }
            put(w, "{\"id\":");
            put_string(w, span_str(category_of(f)));
            put(w, f->rule->category == CATEGORY_CONTENT ? ",\"domain\":\"safety\",\"score\":" : ",\"domain\":\"security\",\"score\":");
            put_fraction(w, f->confidence);
            put(w, "}");
        }
    }
    put(w, "]");
}

static void put_findings(struct writer *w, const struct contract_call *call, const struct exchange *x)
{
    struct places places = {.names = shown_names_to_caller(x)};
    bool is_first = true;

    put(w, ",\"findings\":[");
    for (size_t i = 0; i < x->n_findings; i++) {
        if (!x->findings[i].is_shadow) {
            put(w, is_first ? "" : ",");
            put_finding(w, call, &x->channels[x->findings[i].channel], &places, &x->findings[i]);
            is_first = false;
        }
    }
    put(w, "]");
}

/* A redaction is `redact` in protocol 0.4, and `allow` with modifications since. */
static const char *decision_of(const struct exchange *x, bool is_redacted, bool is_older)
{
    if (is_redacted) {
        return is_older ? "redact" : "allow";
    }
    return x->action == ACTION_ALLOW ? "allow" : "block";
}

static unsigned write(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x)
{
    const struct evaluation *e = c->state;
    char id[UUID_TEXT + 1];
    bool is_redacted = x->action == ACTION_REDACT && !needs_block(x, &e->document, w, call->arena);

    uuid_format(x->id.bytes, id);
    put(w, "{\"event_id\":");
    put_string(w, e->is_older ? e->event : span_str(id));
    if (e->is_older) {
        put(w, ",\"guard_id\":");
        put_string(w, e->guard);
        put(w, ",\"ogr_version\":\"0.4\"");
        put_categories(w, x);
    }
    put(w, ",\"provider\":\"filterd\",\"decision\":\"");
    put(w, decision_of(x, is_redacted, e->is_older));
    put(w, "\"");
    if (!e->is_older) {
        put_findings(w, call, x);
    }
    if (is_redacted) {
        put_changes(w, call, x, e->is_older);
    }
    put(w, x->unjudged_reason != NULL ? ",\"unjudged\":[\"payload\"]}" : "}");
    return 200;
}

const struct contract contract_evaluate = {"/v1/evaluate", read, write, refuse};
