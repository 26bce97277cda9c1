#include "protocol/emit.h"

#include "pipeline/stream_inquiry.h"
#include "protocol/dialect.h"

/* What an answer cost. A count has fewer digits than what is judged as a number (leaf.c): an
 * account's or a card's cannot pass as one. A duration needs more of them, and is judged. */
enum { COUNT_DIGITS = 7, DURATION_DIGITS = 13, AWAITED_MAX = 64 * 1024 };

static bool is_whole_number(const struct node *n, size_t digits_max)
{
    if (n == NULL || n->kind != JSON_KIND_NUMBER || n->is_verbatim || n->text.len > digits_max) {
        return false;
    }
    for (size_t i = 0; i < n->text.len; i++) {
        if (n->text.ptr[i] < '0' || n->text.ptr[i] > '9') {
            return false;
        }
    }
    return true;
}

static const struct node *find_count(const struct node *in, const struct count_row *row)
{
    const struct node *at =
        node_member(row->group == NULL ? in : node_member(in, row->group), row->name);

    return is_whole_number(at, row->is_duration ? DURATION_DIGITS : COUNT_DIGITS) ? at : NULL;
}

static bool may_leave(struct translation *t, const struct count_row *row, const struct node *count,
                      bool *may, struct error *err)
{
    struct span out;

    *may = true;
    if (count->text.len <= COUNT_DIGITS) {
        return true;
    }
    if (!aside_judge_random(t, span_str(row->name), count->text, &out, err)) {
        return false;
    }
    *may = span_equal(out, count->text);
    return true;
}

static struct node *object_in(struct translation *t, struct node *container, const char *name,
                              struct error *err)
{
    struct node *found = node_member(container, name);

    if (found == NULL && (found = node_add(&t->memory, container, span_str(name), err)) != NULL) {
        found->kind = JSON_KIND_OBJECT;
    }
    return found;
}

static bool keep(struct translation *t, const struct count_row *row, const struct node *count,
                 struct node *kept, struct error *err)
{
    const char *in = t->dialect->counts->in;
    bool may = false;

    if (!may_leave(t, row, count, &may, err)) {
        return false;
    }
    if (!may) {
        return true;
    }
    struct node *to = in == NULL ? kept : object_in(t, kept, in, err);
    if (to != NULL && row->group != NULL) {
        to = object_in(t, to, row->group, err);
    }
    return to != NULL && node_copy(&t->memory, to, count, err) != NULL;
}

/* The object that has the counts; NULL where a required one is missing. */
static const struct node *find_counts(const struct counts *c, const struct node *root)
{
    const struct node *in = c->in == NULL ? root : node_member(root, c->in);

    for (size_t i = 0; in != NULL && i < c->n_required; i++) {
        in = find_count(in, &c->rows[i]) == NULL ? NULL : in;
    }
    return in;
}

bool cost_take(struct translation *t, const struct node *root, struct error *err)
{
    const struct counts *c = t->dialect->counts;
    bool is_reported = c != NULL && (!answer_is_stream(t) || c->is_in_streams || t->phase == TRANSLATION_AWAITING_COST);
    const struct node *in = is_reported ? find_counts(c, root) : NULL;

    if (in == NULL) {
        return true;
    }
    struct node *kept = tree_literal(&t->memory, "{}", err);
    if (kept == NULL) {
        return false;
    }
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct node *count = find_count(in, &c->rows[i]);
        if (count != NULL && !keep(t, &c->rows[i], count, kept, err)) {
            return false;
        }
    }
    if (kept->first == NULL) {
        return true;
    }
    buf_clear(&t->up.cost);
    return tree_write(kept, &t->up.cost, err);
}

bool cost_add(struct translation *t, struct node *to, struct error *err)
{
    if (t->up.cost.len == 0) {
        return true;
    }
    struct node *cost = tree_read(&t->memory, buf_span(&t->up.cost), err);
    if (cost == NULL) {
        return false;
    }
    for (struct node *at = cost->first; at != NULL;) {
        struct node *next = at->next;
        node_append(to, at);
        at = next;
    }
    return true;
}

/* --- after a block ------------------------------------------------------------------- */

bool cost_await(struct translation *t, const struct error *why)
{
    bool is_stream = t->up.framer.kind == FRAMING_EVENTS && !stream_is_supervised(t->stream);
    bool is_blocked = translation_blocked(t) && why->kind == ERROR_DENIED;

    if (t->phase != TRANSLATION_FLOWING || !t->asked.wants_cost || !is_stream || !is_blocked) {
        return false;
    }
    translation_enter(t, TRANSLATION_AWAITING_COST);
    return true;
}

bool translation_awaits_cost(const struct translation *t)
{
    return t->phase == TRANSLATION_AWAITING_COST;
}

bool cost_is_missing(const struct translation *t)
{
    return t->up.cost.len == 0 && t->up.awaited <= AWAITED_MAX;
}

bool cost_emit(struct translation *t, struct error *err)
{
    if (t->up.cost.len == 0) {
        return true;
    }
    struct node *root = envelope(t, err);
    bool has_cost = root != NULL && cost_add(t, root, err);
    struct node *choices = has_cost ? node_add(&t->memory, root, span_str("choices"), err) : NULL;
    if (choices == NULL) {
        return false;
    }
    choices->kind = JSON_KIND_ARRAY;
    return emit_whole(t, root, err);
}
