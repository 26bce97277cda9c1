/* restoring.c - values in place of the pseudonyms that the request had.
 *
 * A text in pieces is restored as the stream releases it, after it was judged: what is held of it then can only be the beginning
 * of a pseudonym; arguments of calls behind their judgement. Every other string of the upstream is whole when its message is written, and is restored
 * there. Only what the upstream said is: a string that is set by anything else is not (node.is_said), so that nothing is restored twice. A
 * value may say what is a pseudonym, too. */
#include "protocol/restoring.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "protocol/dialect.h"

void restoring_set(struct translation *t)
{
    t->restores = t->frame.masking != NULL && masking_count(t->frame.masking) > 0;
}

/* What the upstream signed must go back to it as it came: it keeps the pseudonyms. */
static bool is_signed(const struct translation *t, struct span name)
{
    for (const char *const *signed_name = t->dialect->signed_names; signed_name != NULL && *signed_name != NULL; signed_name++) {
        if (span_is(name, *signed_name)) {
            return true;
        }
    }
    return false;
}

static struct span last_step(struct span path)
{
    size_t at = path.len;

    while (at > 0 && path.ptr[at - 1] != '/') {
        at--;
    }
    return span_slice(path, at, path.len);
}

static void count(struct translation *t, const struct restore_counts *counts)
{
    t->down.shown.restored.restored += counts->restored;
    t->down.shown.restored.withheld += counts->withheld;
    t->down.shown.restored.unknown += counts->unknown;
}

static struct restorer *restorer_of(struct translation *t, struct text *x, struct error *err)
{
    if (x->restorer == NULL) {
        x->restorer = malloc(sizeof(*x->restorer));
        if (x->restorer == NULL) {
            error_set(err, ERROR_NO_MEMORY, "answer: no memory for a text");
            return NULL;
        }
        restorer_init(x->restorer, t->frame.masking, RESTORE_GUESS, t->frame.policy->withheld);
    }
    return x->restorer;
}

bool text_restore(struct translation *t, struct text *x, bool is_end, struct span *text, struct error *err)
{
    if (!t->restores || is_signed(t, last_step(x->path))) {
        return true;
    }
    struct buf out CLEANUP(buf_deinit);
    struct restorer *r = restorer_of(t, x, err);
    buf_init(&out, 8 * t->event_max);
    if (r == NULL || !restorer_feed(r, *text, is_end, &out, err)) {
        return false;
    }
    count(t, &r->counts);
    r->counts = (struct restore_counts){0};
    return arena_copy(&t->memory, buf_span(&out), text, err);
}

void text_restore_free(struct text *x)
{
    if (x->restorer != NULL) {
        restorer_deinit(x->restorer);
        free(x->restorer);
        x->restorer = NULL;
    }
}

static bool restore(struct translation *t, enum restore_syntax syntax, struct span *text, struct restore_counts *counts,
                    struct error *err)
{
    struct buf out CLEANUP(buf_deinit);

    buf_init(&out, 8 * t->event_max);
    return restore_whole(t->frame.masking, syntax, t->frame.policy->withheld, *text, counts, &out, err) &&
           (counts->restored == 0 || arena_copy(&t->memory, buf_span(&out), text, err));
}

bool call_restore(struct translation *t, bool is_text, struct span *arguments, struct error *err)
{
    struct restore_counts counts = {0};

    if (!t->restores) {
        return true;
    }
    bool is_restored = restore(t, is_text ? RESTORE_TEXT : RESTORE_JSON, arguments, &counts, err);
    count(t, &counts);
    return is_restored;
}

bool value_restore(struct translation *t, struct span *text, struct error *err)
{
    struct restore_counts counts = {0};

    if (!t->restores || text->len == 0) {
        return true;
    }
    bool is_restored = restore(t, RESTORE_GUESS, text, &counts, err);
    count(t, &counts);
    return is_restored;
}

struct node *said_tree(struct translation *t, struct span json, struct error *err)
{
    struct node *root = tree_read(&t->memory, json, err);

    for (struct node *n = t->restores ? root : NULL; n != NULL; n = tree_next(root, n)) {
        n->is_said = n->kind == JSON_KIND_STRING;
    }
    return root;
}

/* What is left in texts and calls was counted with them. */
bool message_restore(struct translation *t, struct node *root, struct error *err)
{
    for (struct node *n = t->restores ? root : NULL; n != NULL; n = tree_next(root, n)) {
        struct restore_counts counts = {0};
        if (!n->is_said || is_signed(t, n->name)) {
            continue;
        }
        if (!restore(t, RESTORE_GUESS, &n->text, &counts, err)) {
            return false;
        }
        n->is_said = false;
        t->down.shown.restored.restored += counts.restored;
    }
    return true;
}

bool text_was_changed(const struct translation *t)
{
    return stream_action(t->stream) != ACTION_ALLOW || t->beside.has_changed_texts || t->down.shown.restored.restored > 0;
}
