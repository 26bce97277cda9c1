#include "review/review_fold.h"

#include <stdio.h>
#include <stdlib.h>

#include "record/log_files.h"
#include "review/exceptions.h"
#include "review/reveals.h"
#include "review/review_rows.h"

enum { FOLD_MEMORY = 256 * 1024 };

struct review_fold {
    struct index_store *store;
    struct review_rows rows;
    struct index_position position;
    bool is_open; /* a transaction */
    struct arena memory;
    size_t last_len;
    char last[TREE_LEAF_MAX];
    bool is_waiting; /* the disposition of a group left an item that waits for another person */
};

/* Other types of lines, with tables of their own in review_store.c. */
static const struct review_fold_part *const parts[] = {&exceptions_part, &reveals_part};

/* --- candidates --------------------------------------------------------------- */

static void copy(char *to, size_t size, struct span from)
{
    (void)snprintf(to, size, SPAN_FMT, SPAN_ARG(from));
}

/* A closed or snoozed group still absorbs hits without opening an item. */
static bool is_settled(const struct review_group *g, const struct review_candidate *c)
{
    bool is_same_policy = span_is(c->digest, g->settled_digest);
    const struct review_snooze *s = &g->snooze;

    if (g->state == REVIEW_GROUP_CLOSED) {
        return is_same_policy && c->why != REVIEW_EVENT;
    }
    return g->state == REVIEW_GROUP_SNOOZED && (s->until_ms == 0 || c->ts_ms < s->until_ms) && (s->more == 0 || g->n <= s->more) &&
           (!s->until_policy || is_same_policy);
}

static void reopen_group(struct review_group *g)
{
    g->state = REVIEW_GROUP_OPEN;
    g->disposition = ITEM_UNDISPOSED;
    g->snooze = (struct review_snooze){0};
    g->settled_digest[0] = '\0';
    g->last = 0;
}

/* The candidate's group, with this hit; *is_new: it is the first. */
static bool hit_group(struct review_fold *f, const struct review_candidate *c, struct review_group *g, bool *is_new, struct error *err)
{
    bool is_found;

    if (!review_group_load(&f->rows, c->group, g, &is_found, err)) {
        return false;
    }
    *is_new = !is_found;
    if (!is_found) {
        *g = (struct review_group){.first_seq = c->seq, .first_ms = c->ts_ms};
        memcpy(g->id, c->group, REVIEW_GROUP);
        copy(g->tenant, sizeof(g->tenant), c->tenant);
        copy(g->rule, sizeof(g->rule), c->rule);
        if (!review_group_save(&f->rows, g, err)) {
            return false;
        }
    }
    g->n++;
    g->last_seq = c->seq;
    g->last_ms = c->ts_ms;
    copy(g->digest, sizeof(g->digest), c->digest);
    return review_group_hit(&f->rows, g, c->agent, c->ts_ms, err);
}

static bool insert_item(struct review_fold *f, const struct review_candidate *c, int64_t group_row, bool is_new, struct error *err)
{
    const struct span words[REVIEW_WORDS] = {c->tenant, c->app, c->agent, c->rule, c->policy, c->digest};
    struct item_circumstances now = {.severity = c->severity, .confidence = c->confidence, .agent = c->agent_share,
                                     .is_new = is_new, .has_rule = c->rule.len > 0};
    struct review_item item = {.item = {.seq = c->seq, .version = 1, .reviewers = c->reviewers},
                               .ts_ms = c->ts_ms, .due_ms = c->due_ms, .group_row = group_row, .why = c->why,
                               .action = c->action, .severity = c->severity, .confidence = c->confidence};

    for (size_t i = 0; i < REVIEW_WORDS; i++) {
        copy(item.words[i], sizeof(item.words[i]), words[i]);
    }
    if (!review_precision_read(&f->rows, c->tenant, c->rule, &now.true_positives, &now.false_positives, err)) {
        return false;
    }
    item.priority = item_priority_of(&now);
    return review_item_insert(&f->rows, &item, err);
}

static bool add_candidate(struct review_fold *f, const struct review_candidate *c, struct error *err)
{
    struct review_group g = {0};
    bool is_new = false;

    if (!c->has_group) {
        return insert_item(f, c, 0, false, err);
    }
    if (!hit_group(f, c, &g, &is_new, err)) {
        return false;
    }
    bool opens = !is_settled(&g, c);
    if (opens && g.state != REVIEW_GROUP_OPEN) {
        reopen_group(&g);
    }
    return review_group_save(&f->rows, &g, err) && (!opens || insert_item(f, c, g.row, is_new, err));
}

/* --- steps -------------------------------------------------------------------- */

static struct item_event event_of(const struct review_line *l)
{
    return (struct item_event){.verb = l->verb, .line = l->seq, .ts_ms = l->ts_ns / 1000000, .by = l->by,
                               .disposition = l->disposition, .assignee = l->assignee, .until_ms = l->until_ms,
                               .undo_of = l->undo_of};
}

/* The effect of a step on a whole group. */
static void settle_group(struct review_group *g, const struct review_line *l, bool is_waiting)
{
    bool undoes = l->verb == ITEM_UNDO && g->last != 0 && g->last == l->undo_of;

    if (undoes || (l->verb == ITEM_REOPEN && l->has_group)) {
        reopen_group(g);
    } else if (is_waiting) {
        g->last = l->seq; /* its items wait for another person, and so does the group */
    } else if (l->verb == ITEM_SNOOZE || (l->verb == ITEM_DISPOSE && l->has_group)) {
        g->state = l->verb == ITEM_SNOOZE ? REVIEW_GROUP_SNOOZED : REVIEW_GROUP_CLOSED;
        g->disposition = l->verb == ITEM_SNOOZE ? ITEM_UNDISPOSED : l->disposition;
        g->snooze = l->snooze;
        g->snooze.more = l->snooze.more == 0 ? 0 : g->n + l->snooze.more;
        (void)snprintf(g->settled_digest, sizeof(g->settled_digest), "%s", g->digest);
        g->last = l->seq;
    }
}

static bool settle(struct review_fold *f, const uint8_t id[REVIEW_GROUP], const struct review_line *l, struct error *err)
{
    struct review_group g;
    bool is_found;

    if (!review_group_load(&f->rows, id, &g, &is_found, err)) {
        return false;
    }
    if (!is_found) {
        return true;
    }
    settle_group(&g, l, false);
    return review_group_save(&f->rows, &g, err);
}

/* An impossible step changes nothing. `with_group`: the step is on a single item. */
static bool step_item(struct review_fold *f, uint64_t seq, const struct review_line *l, bool with_group, struct error *err)
{
    const struct item_event e = event_of(l);
    struct review_item before;
    struct error ignored;
    struct item after;
    bool is_found;

    if (!review_item_load(&f->rows, seq, &before, &is_found, err)) {
        return false;
    }
    if (!is_found || !item_step(&before.item, &e, &after, &ignored)) {
        return true;
    }
    f->is_waiting = f->is_waiting || (l->verb == ITEM_DISPOSE && item_is_open(&after));
    bool settles = with_group && before.group_row != 0 && (l->verb == ITEM_SNOOZE || l->verb == ITEM_UNDO);
    return review_item_update(&f->rows, &before, &after, err) && review_step_add(&f->rows, seq, l->seq, err) &&
           (!settles || settle(f, before.group, l, err));
}

static bool step_items(struct review_fold *f, const struct review_line *l, struct error *err)
{
    for (size_t i = 0; i < l->n_items; i++) {
        if (!step_item(f, l->items[i], l, true, err)) {
            return false;
        }
    }
    return true;
}

/* Undo finds the items that its line changed, closed ones; all other steps are for the open ones. */
static bool step_members(struct review_fold *f, const struct review_group *g, const struct review_line *l, struct error *err)
{
    uint64_t seqs[REVIEW_CHUNK], after = 0;
    size_t n = REVIEW_CHUNK;

    while (n == REVIEW_CHUNK) {
        bool is_read = l->verb == ITEM_UNDO ? review_items_of_line(&f->rows, l->undo_of, after, seqs, &n, err)
                                            : review_items_of_group(&f->rows, g->row, after, seqs, &n, err);
        for (size_t i = 0; is_read && i < n; i++) {
            is_read = step_item(f, seqs[i], l, false, err);
            after = seqs[i];
        }
        if (!is_read) {
            return false;
        }
    }
    return true;
}

static bool step_group(struct review_fold *f, const struct review_line *l, struct error *err)
{
    struct review_group g;
    bool is_found;

    if (!review_group_load(&f->rows, l->group, &g, &is_found, err)) {
        return false;
    }
    if (!is_found) {
        return true;
    }
    bool is_for_members = l->verb != ITEM_NOTE && l->verb != ITEM_REOPEN;
    f->is_waiting = false;
    if ((is_for_members && !step_members(f, &g, l, err)) || !review_group_load(&f->rows, l->group, &g, &is_found, err)) {
        return false;
    }
    settle_group(&g, l, f->is_waiting);
    return review_group_save(&f->rows, &g, err) && review_group_step_add(&f->rows, g.row, l->seq, err);
}

/* --- lines -------------------------------------------------------------------- */

/* The first member of that name is the line's: findings and other objects come later, and a quote in a string is escaped. */
static struct span type_of(struct span line)
{
    static const char name[] = "\"type\":\"";
    const char *at = memmem(line.ptr, line.len, name, sizeof(name) - 1);
    const char *end = line.ptr + line.len;

    if (at == NULL) {
        return span_of(NULL, 0);
    }
    at += sizeof(name) - 1;
    const char *quote = memchr(at, '"', (size_t)(end - at));
    return span_of(at, quote == NULL ? 0 : (size_t)(quote - at));
}

/* Also of a step that changed nothing: it is not to be taken again. */
static bool add_order(struct review_fold *f, struct span id, uint64_t seq, struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (id.len == 0) {
        return true;
    }
    bool is_added = index_prepare(f->store->db, "INSERT OR IGNORE INTO ordered(id, seq) VALUES(?1, ?2)", &s, err);
    if (is_added) {
        (void)sqlite3_bind_text(s, 1, id.ptr, (int)id.len, SQLITE_STATIC);
        (void)sqlite3_bind_int64(s, 2, (sqlite3_int64)seq);
        is_added = index_run(f->store->db, s, err);
    }
    (void)sqlite3_finalize(s);
    return is_added;
}

static bool fold_step(struct review_fold *f, struct span line, struct error *err)
{
    struct review_line l;
    struct error ignored;

    if (!review_line_parse(line, &f->memory, &l, &ignored)) {
        return true;
    }
    return add_order(f, l.order, l.seq, err) && (l.n_items > 0 ? step_items(f, &l, err) : step_group(f, &l, err));
}

/* Its step may have come as an order, too. */
static bool fold_request(struct review_fold *f, const struct review_fold_part *part, struct span line, struct error *err)
{
    uint64_t seq = 0;

    return log_line_seq(line, &seq) && add_order(f, log_line_text(line, "order"), seq, err) && part->fold(f->store->db, line, &f->memory, err);
}

static bool fold_line(struct review_fold *f, struct span line, struct error *err)
{
    struct span type = type_of(line);
    struct review_candidate candidate;

    if (span_is(type, "review")) {
        return fold_step(f, line, err);
    }
    if (review_candidate_read(line, &f->memory, &candidate)) {
        return add_candidate(f, &candidate, err);
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (span_is(type, parts[i]->type)) {
            return fold_request(f, parts[i], line, err);
        }
    }
    return true;
}

bool review_fold_add(struct review_fold *f, struct span line, struct error *err)
{
    uint64_t seq;

    arena_reset(&f->memory);
    if (line.len > TREE_LEAF_MAX || !log_line_seq(line, &seq)) {
        return error_set(err, ERROR_INVALID, "review: a record of at most %d bytes expected", TREE_LEAF_MAX);
    }
    if (seq <= f->position.seq) {
        return true;
    }
    if (f->position.seq != 0 && seq != f->position.seq + 1) {
        return error_set(err, ERROR_INVALID, "review: line %llu expected, not %llu", (unsigned long long)f->position.seq + 1,
                         (unsigned long long)seq);
    }
    f->is_open = f->is_open || index_execute(f->store->db, "BEGIN IMMEDIATE", err);
    if (!f->is_open || !fold_line(f, line, err)) {
        return false;
    }
    memcpy(f->last, line.ptr, line.len);
    f->last_len = line.len;
    f->position.seq = seq;
    return true;
}

bool review_fold_commit(struct review_fold *f, const char *origin, struct error *err)
{
    if (!f->is_open) {
        return true;
    }
    tree_hash_leaf(span_of(f->last, f->last_len), &f->position.leaf);
    (void)snprintf(f->position.origin, sizeof(f->position.origin), "%s", origin);
    if (!index_position_write(f->store->db, &f->position, err) || !index_execute(f->store->db, "COMMIT", err)) {
        return false;
    }
    f->is_open = false;
    return true;
}

/* --- the fold ----------------------------------------------------------------- */

struct review_fold *review_fold_new(struct index_store *store, struct error *err)
{
    struct review_fold *f = calloc(1, sizeof(*f));

    if (f == NULL) {
        error_set(err, ERROR_NO_MEMORY, "review: no memory");
        return NULL;
    }
    f->store = store;
    arena_init(&f->memory, FOLD_MEMORY, FOLD_MEMORY);
    if (!index_position_read(store->db, &f->position, err) || !review_rows_open(&f->rows, store->db, err)) {
        review_fold_free(f);
        return NULL;
    }
    return f;
}

void review_fold_free(struct review_fold *f)
{
    if (f == NULL) {
        return;
    }
    review_rows_close(&f->rows);
    if (f->is_open) {
        (void)sqlite3_exec(f->store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    arena_deinit(&f->memory);
    free(f);
}

static void *make(struct index_store *store, struct error *err)
{
    return review_fold_new(store, err);
}

static void free_fold(void *fold)
{
    review_fold_free(fold);
}

static const struct index_position *position(const void *fold)
{
    const struct review_fold *f = fold;

    return &f->position;
}

static bool add(void *fold, struct span line, int64_t file, uint64_t offset, struct error *err)
{
    (void)file, (void)offset;
    return review_fold_add(fold, line, err);
}

static bool commit(void *fold, const char *origin, struct error *err)
{
    return review_fold_commit(fold, origin, err);
}

const struct index_maker review_maker = {&review_schema, make, free_fold, position, NULL, add, commit};
