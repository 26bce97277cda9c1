#include "service/reviews.h"

#include <sodium.h>
#include <stdio.h>

#include "base/clock.h"
#include "decision_log/decision_line.h"
#include "http/fault.h"
#include "http/identities.h"
#include "index/index_find.h"
#include "service/access.h"
#include "service/reviews_seen.h"

enum { WAIT_MS = 3000, MEMORY_MAX = 64 * 1024 };

/* --- for all kinds of changes ----------------------------------------------------- */

void reviews_lock(struct service *s)
{
    (void)pthread_mutex_lock(&s->reviews.lock);
    s->reviews.is_current = !s->following.is_on || following_wait_review(&s->following, decision_log_synced(s->log), WAIT_MS);
}

void reviews_unlock(struct service *s)
{
    (void)pthread_mutex_unlock(&s->reviews.lock);
}

struct review_reader *reviews_open(struct service *s, struct error *err)
{
    if (!s->following.is_on) {
        error_set(err, ERROR_NOT_FOUND, "review: index=on expected");
        return NULL;
    }
    return review_reader_open(s->following.review_path, err);
}

bool reviews_show_text(struct service *s, struct arena *memory, struct span *text, struct filter_fault *fault)
{
    if (text->len == 0) {
        return true;
    }
    struct snapshot *snapshot = service_snapshot(s);
    bool is_shown = identity_show_text(s->identities, snapshot, memory, text, fault);
    snapshot_unref(snapshot);
    return is_shown;
}

/* The line is among those that are on disk now; once review.db has all of them, it has the line. */
bool reviews_record(struct service *s, struct span line, bool *is_behind, struct error *err)
{
    if (!s->reviews.is_current) {
        return error_set(err, ERROR_LIMIT, "review: the queue is behind the record");
    }
    if (!decision_log_append_wait(s->log, line, err)) {
        return false;
    }
    *is_behind = !following_wait_review(&s->following, decision_log_synced(s->log), WAIT_MS);
    return true;
}

void reviews_put_order(struct decision_line *l, const struct caller *c)
{
    if (c->order != NULL) {
        line_text(l, "console", span_str(c->console));
        line_text(l, "order", span_str(c->order));
    }
}

bool reviews_is_done(struct service *s, const struct caller *c, uint64_t *line)
{
    struct error ignored;

    *line = 0;
    if (c->order == NULL) {
        return false;
    }
    struct review_reader *r = reviews_open(s, &ignored);
    bool is_done = r != NULL && review_ordered(r, span_str(c->order), line, &ignored) && *line != 0;
    review_reader_close(r);
    return is_done;
}

/* --- one change ------------------------------------------------------------------- */

struct change {
    struct service *service;
    const struct caller *caller;
    const struct review_request *request;
    struct review_answer *answer;
    struct review_line line;
    struct arena memory;
    struct span tenant; /* ptr NULL: all */
};

static bool refuse(struct change *c, unsigned status, const char *detail)
{
    c->answer->status = status;
    (void)snprintf(c->answer->detail, sizeof(c->answer->detail), "%s", detail);
    return false;
}

static bool refuse_error(struct change *c, const struct error *err)
{
    unsigned status = err->kind == ERROR_NOT_FOUND   ? 404
                      : err->kind == ERROR_INVALID   ? 409
                      : err->kind == ERROR_DENIED    ? 412
                      : err->kind == ERROR_MALFORMED ? 422
                                                     : 503;

    return refuse(c, status, status == 503 ? "the queue cannot be read, or is being built" : err->text);
}

/* The current state, for 412. */
static bool refuse_stale(struct change *c, const struct error *err)
{
    const struct item *item = &c->answer->item.item;
    char detail[REVIEWS_DETAIL];

    if (err->kind != ERROR_DENIED || !c->answer->has_item || item->last == 0) {
        return refuse_error(c, err);
    }
    (void)snprintf(detail, sizeof(detail), "%.64s; the last step was %s by %.128s", err->text, item_verb_name(item->last_verb), item->last_by);
    return refuse(c, 412, detail);
}

static struct item_event event_of(const struct change *c)
{
    const struct review_line *l = &c->line;

    return (struct item_event){.verb = l->verb, .line = UINT64_MAX, .ts_ms = l->ts_ns / 1000000, .by = l->by,
                               .version = c->request->n_items == 1 ? c->request->version : 0, .disposition = l->disposition,
                               .assignee = l->assignee, .until_ms = l->until_ms, .undo_of = l->undo_of};
}

/* One changeable item suffices; the others are skipped. */
static bool try_items(struct change *c, struct review_reader *r, struct error *err)
{
    const struct review_request *q = c->request;
    const struct item_event e = event_of(c);
    struct review_item item;
    struct error why;
    struct item after;
    size_t n = 0;

    for (size_t i = 0; i < q->n_items; i++) {
        if (!review_item_at(r, q->items[i], c->tenant, &item, err)) {
            return false;
        }
        bool is_possible = item_step(&item.item, &e, &after, &why);
        n += is_possible;
        if (q->n_items == 1) {
            c->answer->item = item;
            c->answer->has_item = true;
            c->line.from = item.item.state;
            c->line.to = is_possible ? after.state : item.item.state;
        }
    }
    if (n == 0) {
        *err = why;
    }
    return n > 0;
}

/* Every step but these two is for open items. */
static bool try_group(struct change *c, struct review_reader *r, struct error *err)
{
    struct review_group g;

    if (!review_group_at(r, c->request->group, c->tenant, &g, err)) {
        return false;
    }
    bool is_for_open = c->line.verb != ITEM_UNDO && c->line.verb != ITEM_REOPEN && c->line.verb != ITEM_NOTE && c->line.verb != ITEM_SNOOZE;
    bool is_possible = c->line.verb == ITEM_UNDO     ? g.last != 0 && g.last == c->line.undo_of
                       : c->line.verb == ITEM_REOPEN ? g.state != REVIEW_GROUP_OPEN
                                                     : !is_for_open || g.n_open > 0;
    return is_possible || error_set(err, ERROR_INVALID, "group: this step is not possible");
}

/* What the person saw was a copy of this line. */
static bool check_leaf(struct change *c, struct error *err)
{
    const struct following *f = &c->service->following;
    struct index_reader *lines = NULL;
    struct tree_hash leaf;
    struct buf line;

    if (c->request->leaf == NULL) {
        return true;
    }
    buf_init(&line, TREE_LEAF_MAX + 1);
    lines = index_reader_open(f->path, f->place.folder, err);
    bool is_read = lines != NULL && index_line_at(lines, c->request->items[0], &line, err);
    tree_hash_leaf(buf_span(&line), &leaf);
    index_reader_close(lines);
    buf_deinit(&line);
    return is_read && (tree_hash_equal(&leaf, c->request->leaf) || error_set(err, ERROR_INVALID, "item: the line that was shown is not this one"));
}

/* *line: of an order that is on record. */
static bool try_step(struct change *c, uint64_t *line, struct error *err)
{
    struct review_reader *r = reviews_open(c->service, err);

    *line = 0;
    if (r == NULL) {
        return error_set(err, ERROR_SYSTEM, "review: the queue expected");
    }
    bool is_possible = (c->request->order.len == 0 || review_ordered(r, c->request->order, line, err)) &&
                       (*line != 0 || (check_leaf(c, err) && (c->request->n_items > 0 ? try_items(c, r, err) : try_group(c, r, err))));
    review_reader_close(r);
    return is_possible;
}

/* --- the line --------------------------------------------------------------------- */

static bool check_request(struct change *c)
{
    const struct review_request *q = c->request;
    const struct review_snooze *s = &q->snooze;

    if (!caller_has(c->caller, ROLE_REVIEWER)) {
        return refuse(c, 403, "the role reviewer expected");
    }
    if (q->verb == ITEM_NO_VERB || (q->n_items == 0) == !q->has_group) {
        return refuse(c, 422, "a step, and either items or a group expected");
    }
    if (q->note.len > REVIEW_NOTE_MAX || (q->verb == ITEM_NOTE && q->note.len == 0)) {
        return refuse(c, 422, "note: at most 1024 bytes expected, and some for a note");
    }
    if (q->verb == ITEM_DISPOSE && q->disposition == ITEM_UNDISPOSED) {
        return refuse(c, 422, "disposition: true_positive, false_positive, benign, policy_gap or unsure expected");
    }
    if (q->verb != ITEM_DISPOSE && q->disposition != ITEM_UNDISPOSED) {
        return refuse(c, 422, "disposition: permitted only for dispose");
    }
    bool assigns = q->verb == ITEM_ASSIGN || q->verb == ITEM_ESCALATE;
    if (assigns != (q->assignee.len > 0) || q->assignee.len > TOKEN_NAME_MAX) {
        return refuse(c, 422, "assignee: the name of a person expected for assign and escalate");
    }
    bool has_end = s->until_ms != 0 || s->more != 0 || s->until_policy;
    if (has_end != (q->verb == ITEM_SNOOZE) || (s->until_ms != 0 && s->until_ms * 1000000 <= clock_utc_ns())) {
        return refuse(c, 422, "a future end of the snooze expected: until, more or until_policy");
    }
    return (q->undo_of != 0) == (q->verb == ITEM_UNDO) || refuse(c, 422, "undo_of: the number of a line expected, to undo");
}

static void begin_line(struct change *c)
{
    const struct review_request *q = c->request;
    int64_t now_ns = clock_utc_ns();

    c->line = (struct review_line){.ts_ns = now_ns, .verb = q->verb, .items = q->items, .n_items = q->n_items,
                                   .has_group = q->has_group, .from = ITEM_STATES, .to = ITEM_STATES, .disposition = q->disposition,
                                   .by = span_str(c->caller->name), .role = span_str(role_name(c->caller->roles)),
                                   .assignee = q->assignee, .note = q->note, .snooze = q->snooze, .undo_of = q->undo_of,
                                   .console = q->console, .order = q->order};
    memcpy(c->line.group, q->group, sizeof(c->line.group));
    c->line.until_ms = q->verb == ITEM_CLAIM ? now_ns / 1000000 + ITEM_LEASE_MS : 0;
}

static bool show_typed(struct change *c)
{
    struct filter_fault fault;

    return (reviews_show_text(c->service, &c->memory, &c->line.note, &fault) &&
            reviews_show_text(c->service, &c->memory, &c->line.assignee, &fault)) ||
           refuse(c, fault.status, fault.detail);
}

static bool record(struct change *c)
{
    bool is_behind = false;
    struct error err;
    struct buf line;

    buf_init(&line, REVIEW_LINE_MAX);
    bool is_written = review_line_format(&c->line, &line, &err) && reviews_record(c->service, buf_span(&line), &is_behind, &err);
    buf_deinit(&line);
    if (!is_written) {
        return refuse(c, 503, "the step could not be recorded");
    }
    return !is_behind || refuse(c, 503, "the step is recorded; the queue does not show it yet");
}

/* --- the answer ------------------------------------------------------------------- */

static bool read_line(struct change *c, struct review_reader *r, struct error *err)
{
    const struct review_request *q = c->request;

    if (q->n_items == 1) {
        c->answer->has_item = review_item_at(r, q->items[0], c->tenant, &c->answer->item, err);
    }
    return (q->n_items != 1 || c->answer->has_item) &&
           review_last_step(r, q->n_items > 0 ? q->items : NULL, q->n_items, q->group, &c->answer->line, err) &&
           review_changed_by(r, c->answer->line, &c->answer->n_changed, err);
}

static void answer(struct change *c)
{
    struct error err;
    struct review_reader *r = reviews_open(c->service, &err);

    if (r == NULL || !read_line(c, r, &err)) {
        (void)refuse(c, 503, "the step is recorded; the queue does not show it yet");
    } else {
        c->answer->status = 200;
    }
    review_reader_close(r);
}

/* With the lock held. */
static void change(struct change *c)
{
    struct error err;
    uint64_t line;

    begin_line(c);
    if (!check_request(c) || !show_typed(c)) {
        return;
    }
    if (!c->service->reviews.is_current) {
        (void)refuse(c, 503, "the queue is behind the record");
        return;
    }
    if (!try_step(c, &line, &err)) {
        (void)refuse_stale(c, &err);
        return;
    }
    if (line != 0) {
        c->answer->status = 200;
        c->answer->line = line;
        return;
    }
    if (record(c)) {
        answer(c);
    }
}

void reviews_change(struct service *s, const struct caller *caller, const struct review_request *q, struct review_answer *out)
{
    struct change c = {.service = s, .caller = caller, .request = q, .answer = out};

    *out = (struct review_answer){.status = 503};
    c.tenant = caller->tenant[0] == '\0' ? span_of(NULL, 0) : span_str(caller->tenant);
    arena_init(&c.memory, 0, MEMORY_MAX);
    reviews_lock(s);
    if (!reviews_seen_find(&s->reviews.seen, caller->name, q, out)) {
        change(&c);
        reviews_seen_add(&s->reviews.seen, caller->name, q, out);
    }
    reviews_unlock(s);
    arena_deinit(&c.memory);
}
