/* calls.c - tool calls: assembled from their pieces, then judged as documents of JSON or as free text. */
#include "protocol/calls.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/locked_pages.h"
#include "pipeline/document.h"
#include "pipeline/stream_inquiry.h"
#include "protocol/aside.h"
#include "protocol/parts.h"
#include "protocol/restoring.h"
#include "protocol/translation.h"
#include "protocol/wire/mend.h"

enum { NAME_MAX_BYTES = 1024 };

/* --- pieces ------------------------------------------------------------------------- */

struct call *call_open(struct translation *t, size_t part, size_t index, struct error *err)
{
    for (size_t i = 0; i < t->n_calls; i++) {
        if (t->calls[i]->part == part && t->calls[i]->index == index) {
            return t->calls[i];
        }
    }
    if (t->n_calls == CALLS_MAX) {
        error_set(err, ERROR_LIMIT, "answer: more than %d tool calls", CALLS_MAX);
        return NULL;
    }
    struct call **calls = list_room(t->calls, t->n_calls, sizeof(struct call *));
    t->calls = calls != NULL ? calls : t->calls;
    struct call *c = calls == NULL ? NULL : calloc(1, sizeof(*c));
    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "answer: no memory for a tool call");
        return NULL;
    }
    c->part = part;
    c->index = index;
    buf_init(&c->id, NAME_MAX_BYTES);
    buf_init(&c->type, NAME_MAX_BYTES);
    buf_init(&c->name, NAME_MAX_BYTES);
    buf_init_text(&c->arguments, t->event_max);
    t->calls[t->n_calls++] = c;
    return c;
}

/* Some upstreams send the same again with every piece. */
static bool take_once(struct buf *to, const struct node *from, bool is_pieces, struct error *err)
{
    if (!node_is_string(from) || from->text.len == 0 || span_equal(from->text, buf_span(to)) ||
        (to->len > 0 && !is_pieces)) {
        return true;
    }
    return buf_append(to, from->text, err);
}

bool call_take(struct call *c, const struct node *id, const struct node *type,
               const struct node *name, struct error *err)
{
    if (node_is_string(id) && !id->is_judged) {
        return error_set(err, ERROR_INTERNAL, "answer: an id of a tool call was not judged");
    }
    return take_once(&c->id, id, false, err) && take_once(&c->type, type, false, err) &&
           take_once(&c->name, name, true, err);
}

void calls_free(struct translation *t)
{
    for (size_t i = 0; i < t->n_calls; i++) {
        struct call *c = t->calls[i];
        buf_deinit(&c->id);
        buf_deinit(&c->type);
        buf_deinit(&c->name);
        buf_deinit(&c->arguments);
        free(c);
    }
    free(t->calls);
}

/* --- judgement ---------------------------------------------------------------------- */

/* The answer goes on without the call, and is blocked when it ends: other calls may be clean. */
static void withhold(struct translation *t, struct span rule, const char *reason)
{
    beside_rule_set(&t->beside.withheld, rule, reason);
}

struct span call_notice(const struct translation *t)
{
    return t->frame.policy->notice;
}

/* Channels of the arguments, with room for the name behind them. */
static bool read_arguments(struct translation *t, struct span json, bool is_text, struct span name,
                           struct document *d, struct error *err)
{
    struct arena *a = worker_begin(t->worker);
    struct document read = {.json = json};

    if (!is_text && !document_read(a, json, span_str("/arguments"), &read, err)) {
        return false;
    }
    struct channel *channels = arena_array(a, read.n + 2, sizeof(*channels), err);
    if (channels == NULL) {
        return false;
    }
    if (read.n > 0) {
        memcpy(channels, read.channels, read.n * sizeof(*channels));
    }
    if (is_text) {
        channels[read.n] = (struct channel){.path = span_str("/input"), .text = json};
    }
    channels[read.n + is_text] = (struct channel){
        .path = span_str("/name"), .key = span_str("name"), .text = name, .is_member_name = true};
    read.channels = channels;
    *d = read;
    return true;
}

static bool judge_arguments(struct translation *t, struct span name, struct span json, bool is_text,
                            struct call_verdict *out, struct error *err)
{
    struct document document;
    struct error why;
    struct exchange x;

    *out = (struct call_verdict){.is_withheld = true};
    if (!read_arguments(t, json, is_text, name, &document, &why)) {
        withhold(t, span_str("filterd.unjudged"), "limit reached");
        return true;
    }
    aside_judge_exchange(t, document.channels, document.n + is_text + 1, &x);
    aside_keep(t, &x);
    if (x.action == ACTION_BLOCK) {
        withhold(t, x.rule, x.unjudged_reason);
        return true;
    }
    stream_add_part(t->stream, &x);
    struct span written = is_text ? document.channels[document.n].output : json;
    struct buf buf CLEANUP(buf_deinit);
    buf_init(&buf, 8 * t->event_max);
    if (!is_text) {
        if (!document_write(&document, &buf, &why)) {
            withhold(t, span_str("filterd.unjudged"), "limit reached");
            return true;
        }
        written = buf_span(&buf);
    }
    out->is_withheld = false;
    return arena_copy(&t->memory, written, &out->arguments, err) && call_restore(t, is_text, &out->arguments, err);
}

/* An unpaired surrogate would make the whole call unreadable. */
static bool mend_arguments(struct translation *t, struct span *json, bool *is_json,
                           struct error *err)
{
    struct error why;
    bool is_mended;

    *is_json = json_validate(*json, &why);
    if (*is_json) {
        return true;
    }
    struct span mended;
    if (!mend_json(&t->memory, *json, &mended, &is_mended, err)) {
        return false;
    }
    if (!is_mended || !json_validate(mended, &why)) {
        return true;
    }
    struct node *tree = tree_read(&t->memory, *json, err);
    struct buf buf CLEANUP(buf_deinit);
    buf_init(&buf, 8 * t->event_max);
    if (tree == NULL || !tree_write(tree, &buf, err)) {
        return false;
    }
    *is_json = true;
    return arena_copy(&t->memory, buf_span(&buf), json, err);
}

bool call_judge(struct translation *t, const struct call *c, bool is_cut, struct call_verdict *out,
                struct error *err)
{
    struct span arguments = buf_span(&c->arguments), name = buf_span(&c->name);
    bool is_json = false;

    if (is_cut && (c->is_text || arguments.len == 0)) {
        *out = (struct call_verdict){.is_withheld = true};
        return true;
    }
    if (c->is_text || arguments.len == 0) {
        return judge_arguments(t, name, arguments, true, out, err);
    }
    if (!mend_arguments(t, &arguments, &is_json, err)) {
        return false;
    }
    if (!is_json) {
        *out = (struct call_verdict){.is_withheld = true};
        if (!is_cut) {
            withhold(t, span_str("filterd.unjudged"), "tool arguments are no JSON");
        }
        return true;
    }
    return judge_arguments(t, name, arguments, false, out, err);
}

bool call_is_whole(const struct node *arguments)
{
    struct error why;

    return node_is_string(arguments) && json_validate(arguments->text, &why);
}

static bool is_string(const struct node *n)
{
    return n != NULL && n->kind == JSON_KIND_STRING;
}

bool call_judge_value(struct translation *t, struct node *name, struct node *arguments,
                      bool *is_withheld, struct error *err)
{
    struct call_verdict verdict;
    struct buf buf CLEANUP(buf_deinit);
    struct call call = {0};

    buf_init(&buf, 8 * t->event_max);
    buf_init(&call.arguments, t->event_max);
    if (is_string(name)) {
        call.name = (struct buf){.data = (char *)(uintptr_t)name->text.ptr, .len = name->text.len};
    }
    if (arguments != NULL && !is_string(arguments) && !tree_write(arguments, &buf, err)) {
        return false;
    }
    struct span json = is_string(arguments) ? arguments->text : buf_span(&buf);
    call.arguments = (struct buf){.data = (char *)(uintptr_t)json.ptr, .len = json.len};
    if (!call_judge(t, &call, false, &verdict, err)) {
        return false;
    }
    *is_withheld = verdict.is_withheld;
    if (verdict.is_withheld) {
        return true;
    }
    if (is_string(name)) {
        name->is_judged = true;
    }
    if (arguments == NULL) {
        return true;
    }
    arguments->is_judged = true;
    arguments->is_said = false;
    arguments->text = verdict.arguments;
    arguments->is_verbatim = !is_string(arguments);
    arguments->first = arguments->last = NULL;
    return true;
}
