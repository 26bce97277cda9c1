/* passed.c - answers that carry no text of a model, or that the operator lets pass: whole bodies, without a dialect.
 *
 * JSON and texts are judged whole, each string and member name; of files also long whole numbers. Other numbers, of which embeddings
 * consist, are not. What nothing here can read passes only where a route's answers are files or media, and counts as unread: the record has its bytes with none judged. */

#include <strings.h>

#include "formats/form_data.h"
#include "pipeline/document.h"
#include "prompt/prompt_data.h"
#include "prompt/prompt_file.h"
#include "protocol/dialect.h"

/* --- what was asked for ------------------------------------------------------------- */

static bool form_streams(struct arena *a, const struct translation_request *request, struct span boundary)
{
    struct form_part *parts;
    struct error ignored;
    size_t n;

    if (!form_read(a, boundary, request->body, &parts, &n, &ignored)) {
        return false;
    }
    bool streams = false;
    for (size_t i = 0; i < n; i++) {
        streams = streams || (span_is(parts[i].name, "stream") && span_is(parts[i].body, "true"));
    }
    return streams;
}

bool passed_streams(const struct translation_request *request)
{
    struct arena memory CLEANUP(arena_deinit);
    struct json_iterator at;
    struct json_value value;
    struct span name, boundary;
    struct error ignored;
    bool streams = false;

    arena_init(&memory, 0, sizeof(struct form_part) * (FORM_PARTS_MAX + 1) * 2);
    if (form_boundary(request->type, &boundary)) {
        return form_streams(&memory, request, boundary);
    }
    if (!json_validate(request->body, &ignored) || json_root(request->body).kind != JSON_KIND_OBJECT) {
        return false;
    }
    for (at = json_iterate(json_root(request->body)); json_next(&at, &name, &value);) {
        streams = span_is(name, "stream") ? value.kind == JSON_KIND_TRUE : streams;
    }
    return streams;
}

/* --- the head ------------------------------------------------------------------------- */

/* A type is shown to the client as it came if it is a type and no more than that. */
static void keep_type(struct translation *t, struct span type)
{
    bool is_plain = type.len > 0 && type.len < sizeof(t->up.type);

    for (size_t i = 0; i < type.len; i++) {
        is_plain = is_plain && type.ptr[i] >= ' ' && type.ptr[i] < 0x7f;
    }
    (void)snprintf(t->up.type, sizeof(t->up.type), SPAN_FMT,
                   SPAN_ARG(is_plain ? type : span_str("application/octet-stream")));
}

/* Of a file only known types, without parameters: any other could hold a text, which nobody judged. */
static void keep_known_type(struct translation *t, struct span type)
{
    static const char *const types[] = {
        "application/jsonl", "application/x-ndjson", "application/x-subrip", "application/pdf", "application/zip", "text/plain",
        "text/vtt", "text/csv", "text/markdown", "text/html", "audio/mpeg", "audio/mp3", "audio/wav", "audio/x-wav", "audio/opus",
        "audio/ogg", "audio/aac", "audio/flac", "audio/pcm", "image/png", "image/jpeg", "image/webp", "image/gif", "video/mp4", "video/webm",
    };
    const char *end = type.len == 0 ? NULL : memchr(type.ptr, ';', type.len);
    struct span bare = end == NULL ? type : span_slice(type, 0, (size_t)(end - type.ptr));
    size_t i = 0;

    while (i < COUNT(types) && (bare.len != strlen(types[i]) || strncasecmp(bare.ptr, types[i], bare.len) != 0)) {
        i++;
    }
    keep_type(t, i < COUNT(types) ? span_str(types[i]) : span_of("", 0));
}

enum head_use passed_head(struct translation *t, struct span type)
{
    enum framing framing;
    bool is_known = framing_of_type(FRAMING_BODY, type, &framing);

    t->up.framer.kind = FRAMING_BODY;
    if (t->is_unjudged) {
        t->up.form = PASSED_UNJUDGED;
        keep_type(t, type);
        return HEAD_OK;
    }
    if (is_known && framing == FRAMING_BODY) {
        return HEAD_OK;
    }
    if (framing == FRAMING_EVENTS && t->route->dialect != NULL) {
        t->dialect = t->route->dialect;
        t->up.framer.kind = FRAMING_EVENTS;
        t->up.framer.has_names = t->dialect->named != NULL;
        t->up.framer.max = t->event_max;
        return HEAD_OK;
    }
    if (framing == FRAMING_EVENTS || t->route->files == FILES_NONE) {
        return HEAD_UNKNOWN_TYPE;
    }
    t->up.form = PASSED_FILE;
    keep_known_type(t, type);
    return HEAD_OK;
}

/* --- bodies --------------------------------------------------------------------------- */

/* The channels that are judged: all but files in base64 where the route has them. */
static bool judge_channels(struct translation *t, struct document *d, struct error *err)
{
    bool has_media = t->route->files == FILES_MEDIA;
    struct channel *judged = arena_array(&t->memory, d->n + 1, sizeof(*judged), err);
    size_t n = 0;

    for (size_t i = 0; judged != NULL && i < d->n; i++) {
        struct channel *c = &d->channels[i];
        if (has_media && !c->is_member_name && prompt_is_data(c->text)) {
            t->beside.unread += c->text.len;
            c->output = c->text;
        } else if (pieces_have_array(d, i)) {
            c->output = c->text;
        } else {
            judged[n] = *c;
            judged[n++].column = pieces_have(d, i) ? 0 : c->column;
        }
    }
    if (judged == NULL || (n > 0 && !aside_judge(t, judged, n, err))) {
        return false;
    }
    for (size_t i = d->n; i-- > 0 && n > 0;) {
        if (d->channels[i].output.ptr == NULL) {
            d->channels[i].output = judged[--n].output;
        }
    }
    return true;
}

static bool is_raw(const struct document *d)
{
    return d->n == 1 && d->tokens[0].is_raw;
}

/* Outputs that say what was there before are as they were written. Whether another one is among them. */
static bool settle_outputs(struct document *d)
{
    bool is_changed = false;

    for (size_t i = 0; i < d->n; i++) {
        struct channel *c = &d->channels[i];
        if (span_equal(c->output, c->text)) {
            c->output = c->text;
        } else {
            is_changed = true;
        }
    }
    return is_changed;
}

static bool restore_outputs(struct translation *t, struct document *d, struct error *err)
{
    for (size_t i = 0; i < d->n; i++) {
        struct channel *c = &d->channels[i];
        if (!c->is_member_name && !value_restore(t, &c->output, err)) {
            return false;
        }
    }
    return true;
}

/* Behind what other answers left that this one goes on from. Where something was found there it is written, and *is_written. */
static bool judge_behind(struct translation *t, struct document *d, bool *is_written, struct error *err)
{
    struct buf judged CLEANUP(buf_deinit);
    struct node *root = NULL;
    struct span json;

    buf_init(&judged, 8 * t->event_max);
    (void)settle_outputs(d);
    if (!document_write(d, &judged, err) || !arena_copy(&t->memory, buf_span(&judged), &json, err) ||
        (root = said_tree(t, json, err)) == NULL || !successive_judge(t, root, err)) {
        return false;
    }
    *is_written = t->beside.has_changed_texts;
    return !*is_written || (message_restore(t, root, err) && tree_write(root, t->down.out, err));
}

static bool write_judged(struct translation *t, struct document *d, struct error *err)
{
    struct buf written CLEANUP(buf_deinit);
    bool is_written = false;

    buf_init(&written, 8 * t->event_max);
    if (!judge_channels(t, d, err) ||
        !(is_raw(d) ? pieces_judge_cues(t, &d->channels[0].output, err) : pieces_judge(t, d, err)) ||
        (t->beside.goes_on && !judge_behind(t, d, &is_written, err))) {
        return false;
    }
    if (is_written) {
        return true;
    }
    if (!restore_outputs(t, d, err)) {
        return false;
    }
    if (!settle_outputs(d)) {
        return document_write(d, t->down.out, err);
    }
    return document_write(d, &written, err) && pieces_append_changed(d->json, buf_span(&written), t->down.out, err);
}

/* No tree is made of it, as it may be long. */
bool passed_body(struct translation *t, const struct message *m, struct error *err)
{
    struct document d;

    return document_read_texts(&t->memory, m->text, span_str(""), &d, err) && write_judged(t, &d, err);
}

/* What is neither a text nor says what it is is judged byte by byte, and is unread all the same. */
bool passed_file(struct translation *t, const struct message *m, struct error *err)
{
    bool is_text = prompt_is_text(m->text);
    struct document d;

    if (!is_text && t->route->files != FILES_MEDIA) {
        return error_set(err, ERROR_INVALID, "answer: a text expected");
    }
    t->beside.unread += is_text ? 0 : m->text.len;
    if (prompt_is_media(m->text)) {
        return buf_append(t->down.out, m->text, err);
    }
    return document_read_file(&t->memory, m->text, span_str(""), DOCUMENT_INTEGERS, &d, err) && write_judged(t, &d, err);
}
