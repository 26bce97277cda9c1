#include "protocol/texts.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/locked_pages.h"
#include "judge/path.h"
#include "protocol/dialect.h"
#include "protocol/wire/mend.h"

enum { PATH_MAX_BYTES = 512 };

/* --- which channel -------------------------------------------------------------- */

/* An element's own "index" counts, as choices and parts may come in any order. */
size_t text_index(const struct node *element)
{
    size_t index;

    if (node_index(node_member(element, "index"), &index)) {
        return index;
    }
    return node_position(element);
}

bool text_steps(const struct node *root, const struct node *leaf, struct buf *path, size_t *part,
                struct error *err)
{
    const struct node *steps[JSON_DEPTH_MAX + 1];
    size_t n = 0;

    for (const struct node *at = leaf; at != root && n < COUNT(steps); at = at->parent) {
        steps[n++] = at;
    }
    while (n-- > 0) {
        size_t index;
        if (steps[n]->parent->kind == JSON_KIND_OBJECT) {
            if (!path_append_name(path, steps[n]->name, err)) {
                return false;
            }
            continue;
        }
        index = text_index(steps[n]);
        if (!buf_appendf(path, err, "/%zu", index)) {
            return false;
        }
        *part = *part == SIZE_MAX ? index : *part;
    }
    return true;
}

/* Type and keys of the root, then the way to the leaf: "/content_block_delta/0/delta/text". */
static bool append_keys(const struct dialect *d, const struct node *root, struct buf *path,
                        size_t *part, struct error *err)
{
    const struct node *type = node_member(root, "type");

    if (d->keys == NULL) {
        return true;
    }
    if (node_is_string(type) && leaf_is_id(type->text) &&
        !path_append_name(path, type->text, err)) {
        return false;
    }
    for (const char *const *key = d->keys; *key != NULL; key++) {
        size_t index;
        if (!node_index(node_member(root, *key), &index)) {
            continue;
        }
        if (!buf_appendf(path, err, "/%zu", index)) {
            return false;
        }
        *part = *part == SIZE_MAX ? index : *part;
    }
    return true;
}

static struct text *text_new(struct translation *t, struct span path, bool is_apart, struct error *err)
{
    if (t->n_texts == TEXTS_MAX) {
        error_set(err, ERROR_LIMIT, "answer: more than %d texts", TEXTS_MAX);
        return NULL;
    }
    struct stream_channel *in = is_apart ? stream_channel_apart(t->stream, path, err) : stream_channel(t->stream, path, err);
    if (in == NULL) {
        return NULL;
    }
    struct text **texts = list_room(t->texts, t->n_texts, sizeof(struct text *));
    t->texts = texts != NULL ? texts : t->texts;
    struct text *x = texts == NULL ? NULL : calloc(1, sizeof(*x) + path.len);
    if (x == NULL) {
        error_set(err, ERROR_NO_MEMORY, "answer: no memory for a text");
        return NULL;
    }
    x->in = in;
    x->is_apart = is_apart;
    char *copy = (char *)(x + 1);
    memcpy(copy, path.ptr, path.len);
    x->path = span_of(copy, path.len);
    buf_init_text(&x->skeleton, t->event_max);
    buf_init_text(&x->released, t->event_max);
    buf_init_text(&x->logprobs.held, t->event_max);
    t->texts[t->n_texts++] = x;
    return x;
}

struct text *text_of(struct translation *t, struct span path, size_t part, struct error *err)
{
    for (size_t i = 0; i < t->n_texts; i++) {
        if (!t->texts[i]->is_apart && span_equal(t->texts[i]->path, path)) {
            return t->texts[i];
        }
    }
    struct text *x = text_new(t, path, false, err);
    if (x != NULL) {
        x->part = part;
    }
    return x;
}

struct text *text_apart(struct translation *t, struct span path, struct error *err)
{
    struct text *x = text_new(t, path, true, err);

    if (x != NULL) {
        x->part = SIZE_MAX;
    }
    return x;
}

struct text *text_open(struct translation *t, const struct node *root, struct node *leaf, struct error *err)
{
    size_t part = SIZE_MAX;

    struct buf path CLEANUP(buf_deinit);
    buf_init(&path, PATH_MAX_BYTES);
    bool is_named = t->dialect->text_path != NULL
                        ? t->dialect->text_path(root, leaf, &path, &part, err)
                        : append_keys(t->dialect, root, &path, &part, err) &&
                              text_steps(root, leaf, &path, &part, err);
    return is_named ? text_of(t, buf_span(&path), part == SIZE_MAX ? 0 : part, err) : NULL;
}

void texts_forget_leaves(struct translation *t)
{
    for (size_t i = 0; i < t->n_texts; i++) {
        t->texts[i]->leaf = NULL;
    }
}

void texts_free(struct translation *t)
{
    for (size_t i = 0; i < t->n_texts; i++) {
        buf_deinit(&t->texts[i]->skeleton);
        buf_deinit(&t->texts[i]->released);
        buf_deinit(&t->texts[i]->logprobs.held);
        text_restore_free(t->texts[i]);
        joint_free(t->texts[i]->joint);
        free(t->texts[i]);
    }
    free(t->texts);
}

/* --- in and out ----------------------------------------------------------------- */

static void feed(struct translation *t, struct text *x, struct span bytes)
{
    if (bytes.len > 0) {
        stream_feed(t->stream, x->in, t->worker, bytes, &t->scratch);
    }
}

/* A half without its other half is a character that does not exist. */
static void drop_half(struct translation *t, struct text *x)
{
    if (x->half_len > 0) {
        x->half_len = 0;
        feed(t, x, span_str("\xef\xbf\xbd"));
    }
}

static size_t find_half(struct span in)
{
    size_t n = 0;

    while (n < in.len) {
        struct span rest = span_slice(in, n, in.len);
        if (mend_is_high_half(rest) || mend_is_low_half(rest)) {
            return n;
        }
        n++;
        const char *next = n < in.len ? memchr(in.ptr + n, 0xed, in.len - n) : NULL;
        n = next == NULL ? in.len : (size_t)(next - in.ptr);
    }
    return n;
}

static void feed_halves(struct translation *t, struct text *x, struct span in)
{
    while (in.len > 0) {
        if (x->half_len > 0 && mend_is_low_half(in)) {
            char joined[4];
            mend_join(x->half, in.ptr, joined);
            x->half_len = 0;
            feed(t, x, span_of(joined, sizeof(joined)));
            in = span_slice(in, HALF_BYTES, in.len);
            continue;
        }
        drop_half(t, x);
        size_t n = find_half(in);
        feed(t, x, span_slice(in, 0, n));
        in = span_slice(in, n, in.len);
        if (in.len > 0) {
            memcpy(x->half, in.ptr, HALF_BYTES);
            x->half_len = HALF_BYTES;
            if (mend_is_low_half(in)) {
                drop_half(t, x);
            }
            in = span_slice(in, HALF_BYTES, in.len);
        }
    }
}

/* The length of the character that begins with this byte; 0 for a byte that begins none. */
static size_t character_length(unsigned char first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xc0) {
        return 0;
    }
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Bytes at the end of a text that begin a character which is not whole. */
static size_t cut_bytes(struct span s)
{
    for (size_t n = 1; n <= 3 && n <= s.len; n++) {
        size_t needs = character_length((unsigned char)s.ptr[s.len - n]);
        if (needs > 0) {
            return needs > n ? n : 0;
        }
    }
    return 0;
}

/* What the stream released, in whole characters. */
static bool take_whole(struct translation *t, struct text *x, bool is_end, struct span *out, struct error *err)
{
    struct span new = buf_span(&t->scratch);
    char *copy = arena_alloc(&t->memory, x->tail_len + new.len + 1, err);

    if (copy == NULL) {
        return false;
    }
    memcpy(copy, x->tail, x->tail_len);
    if (new.len > 0) {
        memcpy(copy + x->tail_len, new.ptr, new.len);
    }
    struct span all = span_of(copy, x->tail_len + new.len);
    x->tail_len = is_end ? 0 : (unsigned)cut_bytes(all);
    memcpy(x->tail, all.ptr + all.len - x->tail_len, x->tail_len);
    *out = span_slice(all, 0, all.len - x->tail_len);
    return !translation_blocked(t) || translation_stopped(t, err);
}

/* What the client gets of a text. */
static bool release(struct translation *t, struct text *x, struct span label, bool is_end, struct span *out, struct error *err)
{
    if (!take_whole(t, x, is_end, out, err) || !text_restore(t, x, is_end, out, err)) {
        return false;
    }
    if (label.len > 0) {
        char *joined = arena_alloc(&t->memory, label.len + out->len, err);
        if (joined == NULL) {
            return false;
        }
        memcpy(joined, label.ptr, label.len);
        memcpy(joined + label.len, out->len > 0 ? out->ptr : "", out->len);
        *out = span_of(joined, label.len + out->len);
    }
    return buf_append(&x->released, *out, err);
}

bool text_feed(struct translation *t, struct text *x, struct span in, struct span *out,
               struct error *err)
{
    struct span label = span_of("", 0);

    if (x->has_ended && in.len > 0) {
        return error_set(err, ERROR_INVALID, "answer: expected nothing more of a text after its end");
    }
    x->was_fed = x->was_fed || in.len > 0;
    if (t->dialect->has_copies) {
        text_sum_add(&x->said, in);
    }
    if (!joint_feed(t, x, &in, false, &label, err)) {
        return false;
    }
    buf_clear(&t->scratch);
    feed_halves(t, x, in);
    return release(t, x, label, false, out, err);
}

bool text_end(struct translation *t, struct text *x, enum stream_ending how, struct span *out,
              struct error *err)
{
    struct span in = span_of("", 0), label = in;

    if (!x->has_ended && !joint_feed(t, x, &in, true, &label, err)) {
        return false;
    }
    buf_clear(&t->scratch);
    if (!x->has_ended) {
        feed_halves(t, x, in);
        drop_half(t, x);
        stream_end(t->stream, x->in, t->worker, how, &t->scratch);
        x->has_ended = true;
    }
    return release(t, x, label, true, out, err);
}

/* --- the ends of parts ---------------------------------------------------------- */

static struct node *find_leaf(const struct dialect *d, const struct leaf_row *row,
                              struct node *root)
{
    struct node *n = root;

    while (n != NULL && (n->kind != JSON_KIND_STRING || leaf_find(d, root, n) != row)) {
        n = tree_next(root, n);
    }
    return n;
}

static bool append_to_leaf(struct translation *t, struct node *leaf, struct span rest, struct error *err)
{
    struct span has = leaf->text;
    char *joined = arena_alloc(&t->memory, has.len + rest.len, err);

    if (joined == NULL) {
        return false;
    }
    memcpy(joined, has.ptr, has.len);
    memcpy(joined + has.len, rest.ptr, rest.len);
    node_set_text(leaf, span_of(joined, has.len + rest.len));
    leaf->is_emptied = false;
    return true;
}

/* The rest goes out behind what the message at hand releases, or before it in an event of its own. */
bool text_finish(struct translation *t, struct text *x, enum stream_ending how, struct error *err)
{
    struct span rest;

    if (x->has_ended) {
        return true;
    }
    if (!text_end(t, x, how, &rest, err)) {
        return false;
    }
    if (rest.len == 0 || x->row == NULL) {
        return true; /* without a row it is the dialect that lets it go */
    }
    if (x->leaf != NULL) {
        return append_to_leaf(t, x->leaf, rest, err);
    }
    /* An event with nothing but the rest of the text in it. */
    struct node *event = tree_read(&t->memory, buf_span(&x->skeleton), err);
    struct node *leaf = event == NULL ? NULL : find_leaf(t->dialect, x->row, event);
    if (leaf == NULL) {
        return event != NULL && error_set(err, ERROR_INTERNAL, "answer: no place for a text");
    }
    node_set_text(leaf, rest);
    return emit_whole(t, event, err);
}

bool texts_finish(struct translation *t, size_t part, enum stream_ending how, struct error *err)
{
    for (size_t i = 0; i < t->n_texts; i++) {
        struct text *x = t->texts[i];
        if ((part == SIZE_MAX || x->part == part) && !text_finish(t, x, how, err)) {
            return false;
        }
    }
    return true;
}

bool texts_end(struct translation *t, size_t part, enum stream_ending how, struct error *err)
{
    return texts_finish(t, part, how, err) && values_end(t, part, how, err);
}
