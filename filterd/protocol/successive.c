/* successive.c - the strings that come at one place of an answer one after another: ids, and what is in other members.
 *
 * Each was judged by itself. Clients and readers may put them together: openai-python joins the strings of deltas, whatever their names
 * are, and a list is read from top to bottom. What leaves is therefore judged once more behind what left at its place before. A place is
 * the names of the members on the way to it: neither the event nor positions in arrays count, as pieces may be in events or items of
 * different kinds. Only tokens that go on over a joint are findings, so that nothing counts that is not next to one without a blank. What
 * of a token left before has left; the rest of it does not leave.
 *
 * Invariants:
 *   - what is looked at is near a joint: SUCCESSIVE_MAX bytes before it and as many behind it, for each piece before the message in which a
 *     token may begin, and once for those of the message;
 *   - a string that is the same as the last one costs a comparison, as most ids are said with every event; so does one that begins like the
 *     last one, as ids of one kind, times and addresses do: it is another one and no more of it;
 *   - a message is read BATCH_MAX strings at a time; what those before left goes on in these, as that of a message before does;
 *   - an answer has PLACES_MAX places; the one that was made first goes for another. */
#include "protocol/successive.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/locked_pages.h"
#include "enforce/redact.h"
#include "pipeline/array_parts.h"
#include "pipeline/columns.h"
#include "pipeline/pipeline.h"
#include "prompt/prompt_data.h"
#include "protocol/dialect.h"
#include "protocol/values_parts.h"
#include "protocol/wire/successive.h"

enum {
    BATCH_MAX = 64,
    JUDGED_MIN = 16, /* a shorter text is no token */
};

void translation_go_on(struct translation *t, struct places *from)
{
    t->beside.places = *from;
    t->beside.goes_on = true;
    *from = (struct places){0};
}

void translation_hand_on(struct translation *t, struct places *to)
{
    places_deinit(to);
    *to = t->beside.places;
    t->beside.places = (struct places){0};
}

/* --- what left before ------------------------------------------------------------------ */

/* Events of one kind have the same places in the same order. */
static struct successive *find(struct translation *t, uint64_t place)
{
    struct places *p = &t->beside.places;
    size_t kept = p->n < PLACES_MAX ? p->n : PLACES_MAX;

    for (size_t i = 0; i < kept; i++) {
        size_t at = (p->next + i) % kept;
        if (p->items[at]->place == place) {
            p->next = at + 1;
            return p->items[at];
        }
    }
    return NULL;
}

static struct successive *make(struct translation *t, uint64_t place, struct error *err)
{
    struct places *p = &t->beside.places;

    if (p->n >= PLACES_MAX) {
        struct successive *oldest = p->items[p->n++ % PLACES_MAX];
        successive_deinit(oldest);
        oldest->place = place;
        return oldest;
    }
    struct successive **all = list_room(p->items, p->n, sizeof(*all)), *s = NULL;
    if (all != NULL) {
        p->items = all;
        s = calloc(1, sizeof(*s));
    }
    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "answer: no memory for a place");
        return NULL;
    }
    s->place = place;
    return all[p->n++] = s;
}

/* --- what leaves ------------------------------------------------------------------------- */

struct outgoing {
    struct node *node;
    uint64_t place;
    struct span text;
    size_t from, to; /* among those of its place, in the text that is judged */
    bool is_redacted;
};

struct batch {
    struct translation *t;
    struct node *root, *next;
    const struct node *safe_until; /* the node behind a container of counts and ids; in one while is_safe */
    bool is_safe;
    struct outgoing *items; /* BATCH_MAX */
    size_t n;
};

static uint64_t place_of(const struct node *root, const struct node *n)
{
    uint64_t place = 0;

    for (; n != root; n = n->parent) {
        if (n->name.len > 0) {
            place = column_step(place, n->name);
        }
    }
    return place;
}

static bool is_in_array(const struct node *root, const struct node *n)
{
    while (n != root && n->kind != JSON_KIND_ARRAY) {
        n = n->parent;
    }
    return n != root;
}

/* The character that a number may be the code of. */
static bool read_code(struct batch *l, const struct node *n, struct span *text, struct error *err)
{
    struct span digits = array_part_code(n->text);
    unsigned code = 0;

    for (size_t i = 0; i < digits.len; i++) {
        code = 10 * code + (unsigned)(digits.ptr[i] - '0');
    }
    char c = (char)code;
    return arena_copy(&l->t->memory, span_of(&c, 1), text, err);
}

static void add_string(struct batch *l, struct node *n, const struct leaf_row *row)
{
    enum leaf_use use = row != NULL ? row->use : LEAF_JUDGED;
    bool is_id = l->is_safe || use == LEAF_SAFE || use == LEAF_OPAQUE;

    if (n->text.len == 0 || n->is_verbatim || use == LEAF_TEXT || (n->is_judged && !is_id) || id_is_word(n->text) ||
        (use == LEAF_MEDIA && prompt_is_data(n->text))) {
        return;
    }
    uint64_t place = place_of(l->root, n);
    const struct successive *s = find(l->t, place);
    if (s == NULL || !successive_is_last(s, n->text)) {
        l->items[l->n++] = (struct outgoing){.node = n, .place = place, .text = n->text};
    }
}

/* Counts have rows, and are in containers that have one; codes of characters are in arrays there. */
static bool add_number(struct batch *l, struct node *n, const struct leaf_row *row, struct error *err)
{
    bool is_count = (row != NULL && row->use == LEAF_SAFE) || (l->is_safe && !is_in_array(l->root, n));
    struct outgoing *item = &l->items[l->n];

    if (is_count || n->is_judged || n->is_verbatim || !part_is_code(n)) {
        return true;
    }
    *item = (struct outgoing){.node = n, .place = place_of(l->root, n)};
    l->n++;
    return read_code(l, n, &item->text, err);
}

/* The next ones of the message. */
static bool collect(struct batch *l, struct error *err)
{
    bool is_taken = true;

    for (l->n = 0; l->next != NULL && l->n < BATCH_MAX && is_taken; l->next = tree_next(l->root, l->next)) {
        struct node *n = l->next;
        l->is_safe = l->is_safe && n != l->safe_until;
        if (n == l->root || n->is_behind) {
            continue;
        }
        const struct leaf_row *row = l->t->dialect == NULL ? NULL : leaf_find(l->t->dialect, l->root, n);
        if (n->kind == JSON_KIND_STRING) {
            add_string(l, n, row);
        } else if (n->kind == JSON_KIND_NUMBER) {
            is_taken = add_number(l, n, row, err);
        } else if (!l->is_safe && row != NULL && row->use == LEAF_SAFE && n->first != NULL) {
            l->is_safe = true;
            l->safe_until = tree_skip(l->root, n);
        }
    }
    return is_taken;
}

static int compare(const void *left, const void *right)
{
    const struct outgoing *a = left, *b = right;

    return a->place != b->place ? (a->place < b->place ? -1 : 1) : (a->from > b->from) - (a->from < b->from);
}

/* Those of one place behind one another, in their order. */
static void sort_by_place(struct batch *l)
{
    for (size_t i = 0; i < l->n; i++) {
        l->items[i].from = i;
    }
    if (l->n > 1) {
        qsort(l->items, l->n, sizeof(*l->items), compare);
    }
}

/* --- a joint ------------------------------------------------------------------------------- */

/* All that leaves now at one place. */
struct group {
    struct outgoing *items;
    size_t n;
    struct span text; /* one behind another */
    bool is_one;      /* of short ones: they count as one piece, which may be said again */
};

/* Behind `before`, which is NULL for the first one. A line ends where no token goes on. */
static bool append_piece(struct buf *text, const struct outgoing *before, struct span piece, struct error *err)
{
    const struct span beginning = successive_beginning(piece);
    bool is_other = before != NULL && successive_are_alike(before->text, piece);

    return (!is_other || buf_append_char(text, '\n', err)) && buf_append(text, beginning, err) &&
           (beginning.len == piece.len || (buf_append_char(text, '\n', err) && buf_append(text, successive_end(piece), err)));
}

static bool join(struct translation *t, struct group *g, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init_text(&text, 8 * t->event_max);
    for (size_t i = 0; i < g->n; i++) {
        g->items[i].from = text.len;
        if (!append_piece(&text, i == 0 ? NULL : &g->items[i - 1], g->items[i].text, err)) {
            return false;
        }
        g->items[i].to = text.len;
        g->is_one = (i == 0 || g->is_one) && g->items[i].text.len < PIECE_SHORT;
    }
    return arena_copy(&t->memory, buf_span(&text), &g->text, err);
}

/* Whether a line is long enough for a token. */
static bool may_be_token(const struct successive *s, struct span text)
{
    bool may_be = s->len + successive_line_end(text, 0) >= JUDGED_MIN;

    for (size_t from = 0, to; from < text.len && !may_be; from = to + 1) {
        to = successive_line_end(text, from);
        may_be = to - from >= JUDGED_MIN;
    }
    return may_be;
}

/* A token over a joint, and what of it leaves now. */
struct crossing {
    struct finding finding;
    size_t from, to;
    bool began_before; /* the rest of it has left */
};

struct crossings {
    struct crossing *items;
    size_t n;
};

/* The first that ends behind that place in the joined text. */
static size_t item_at(const struct group *g, size_t at)
{
    size_t low = 0, high = g->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        low = g->items[middle].to > at ? low : middle + 1;
        high = g->items[middle].to > at ? middle : high;
    }
    return low;
}

/* Whether it ends in what leaves now. */
static bool ends_now(const struct joint_text *j, const struct finding *f, struct crossing *out)
{
    size_t line = 0;

    while (line + 1 < j->n && f->from >= j->lines[line + 1]) {
        line++;
    }
    const size_t joint = j->joints[line];
    if (f->to <= joint || f->to >= j->lines[line + 1]) {
        return false;
    }
    *out = (struct crossing){.finding = *f, .from = f->from > joint ? f->from - joint : 0, .to = f->to - joint, .began_before = f->from < joint};
    return true;
}

static bool judge_lines(struct translation *t, const struct joint_text *j, const struct group *g, struct crossings *found, struct error *err)
{
    struct channel text = {.text = buf_span(&j->text), .has_tokens_alone = true};
    struct exchange x = t->frame;

    (void)worker_begin(t->worker);
    x.channels = &text;
    x.n_channels = 1;
    x.spending = NULL;
    t->beside.n_others++;
    pipeline_judge(t->worker, &x);
    if (x.unjudged_reason != NULL) {
        stream_block(t->stream, x.rule, x.unjudged_reason);
        return translation_stopped(t, err);
    }
    found->items = arena_array(&t->memory, x.n_findings + 1, sizeof(*found->items), err);
    for (size_t i = 0; found->items != NULL && i < x.n_findings; i++) {
        const struct finding *f = &x.findings[i];
        struct crossing *c = &found->items[found->n];
        bool is_acted_on = f->action != ACTION_ALLOW && !f->is_shadow && ends_now(j, f, c);
        found->n += is_acted_on && (c->began_before || g->items[item_at(g, c->from)].to < c->to);
    }
    return found->items != NULL;
}

/* Judges what leaves now at one place behind what left there before. */
static bool judge_place(struct translation *t, struct successive *s, struct group *g, struct crossings *found, struct error *err)
{
    struct joint_text j = {0};

    if (s->n + g->n < 2 || (g->n == 1 && successive_is_like_last(s, g->items->text))) {
        return true;
    }
    if (!join(t, g, err)) {
        return false;
    }
    if (!may_be_token(s, g->text) || (g->is_one && successive_is_last(s, g->text)) || successive_is_clean(s, g->text)) {
        return true;
    }
    buf_init_text(&j.text, 64 * t->event_max);
    bool is_judged = joint_text_write(&j, s, g->text, err) && judge_lines(t, &j, g, found, err);
    buf_deinit(&j.text);
    if (found->n == 0) {
        successive_keep_clean(s, g->text);
    }
    return is_judged;
}

static bool keep(struct successive *s, const struct outgoing *first, struct span text, struct error *err)
{
    return first->is_redacted || successive_is_last(s, text) || successive_keep(s, text, err);
}

static bool keep_all(struct successive *s, const struct group *g, struct error *err)
{
    bool are_one = g->is_one && g->n > 1, is_kept = true;

    for (size_t i = 0; i < g->n && is_kept; i++) {
        g->items[i].node->is_behind = true;
        is_kept = are_one || keep(s, &g->items[i], g->items[i].text, err);
    }
    return is_kept && (!are_one || keep(s, g->items, g->text, err));
}

/* --- what was found ----------------------------------------------------------------------- */

/* The first of those that it spans says what was there. Nothing is left to do where an earlier one was as long. */
static bool redact(struct translation *t, struct group *g, const struct crossing *found, bool *is_new, struct error *err)
{
    struct buf label CLEANUP(buf_deinit);
    struct span left;

    buf_init(&label, 512);
    *is_new = false;
    if (!redact_append_label(&label, found->finding.rule, err) || !arena_copy(&t->memory, buf_span(&label), &left, err)) {
        return false;
    }
    for (size_t i = item_at(g, found->from); i < g->n && g->items[i].from < found->to; i++) {
        struct outgoing *item = &g->items[i];
        if (!item->is_redacted) {
            node_set_text(item->node, left);
            left = span_of("", 0);
            item->is_redacted = *is_new = true;
        }
    }
    t->beside.has_changed_texts |= *is_new;
    return true;
}

/* Takes it out of what leaves, and records it. The end of an answer that is blocked has to be written, and is redacted. */
static bool act(struct batch *l, struct group *g, const struct crossing *found, struct error *err)
{
    struct translation *t = l->t;
    struct finding f = found->finding;
    struct channel c = {.text = g->text, .judged = g->text.len};
    struct exchange x = t->frame;
    bool is_end = stream_action(t->stream) == ACTION_BLOCK, is_new;

    if (!leaf_path(t, l->root, g->items[item_at(g, found->from)].node, &c.path, err) || !redact(t, g, found, &is_new, err)) {
        return false;
    }
    f.channel = 0;
    f.from = found->from;
    f.to = found->to;
    x.channels = &c;
    x.findings = &f;
    x.n_channels = 1;
    x.n_findings = is_new;
    x.action = f.action;
    x.rule = f.rule->id;
    aside_keep(t, &x);
    if (f.action == ACTION_BLOCK && !is_end) {
        stream_block(t->stream, x.rule, NULL);
        return translation_stopped(t, err);
    }
    return true;
}

static size_t end_of_place(const struct batch *l, size_t from)
{
    size_t to = from;

    while (to < l->n && l->items[to].place == l->items[from].place) {
        to++;
    }
    return to;
}

bool successive_judge(struct translation *t, struct node *root, struct error *err)
{
    struct outgoing items[BATCH_MAX];
    struct batch l = {.t = t, .root = root, .next = root, .items = items};

    while (l.next != NULL) {
        if (!collect(&l, err)) {
            return false;
        }
        sort_by_place(&l);
        for (size_t from = 0, to = 0; from < l.n; from = to) {
            struct successive *s = find(t, l.items[from].place);
            struct crossings found = {0};
            if (s == NULL && (s = make(t, l.items[from].place, err)) == NULL) {
                return false;
            }
            to = end_of_place(&l, from);
            struct group g = {.items = l.items + from, .n = to - from};
            bool is_judged = judge_place(t, s, &g, &found, err);
            for (size_t i = 0; i < found.n && is_judged; i++) {
                is_judged = act(&l, &g, &found.items[i], err);
            }
            if (!is_judged || !keep_all(s, &g, err)) {
                return false;
            }
        }
    }
    return true;
}
