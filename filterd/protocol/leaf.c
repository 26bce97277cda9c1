#include "protocol/leaf.h"

#include "judge/path.h"
#include "pipeline/array_parts.h"
#include "prompt/prompt_data.h"
#include "protocol/dialect.h"
#include "protocol/values_parts.h"

enum { ID_MAX = 128, NUMBER_DIGITS = 8, PATH_STEPS_MAX = 32, PATH_BYTES_MAX = 128 };

bool leaf_is_id(struct span text)
{
    if (text.len > ID_MAX) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (!is_letter && !(c >= '0' && c <= '9') && (c == '\0' || strchr("_.:-", c) == NULL)) {
            return false;
        }
    }
    return true;
}

/* What is encrypted is written in base64; anything else under its name is a text. */
bool leaf_is_base64(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (!is_letter && !(c >= '0' && c <= '9') && (c == '\0' || strchr("+/=_-.:", c) == NULL)) {
            return false;
        }
    }
    return true;
}

static bool is_at(const struct node *root, const struct node *n, struct span path)
{
    size_t end = path.len;

    while (n != root) {
        if (n == NULL || end == 0) {
            return false;
        }
        size_t from = end;
        while (path.ptr[from - 1] != '/') {
            from--;
        }
        bool is_any = end - from == 1 && path.ptr[from] == '*';
        if (!is_any && !span_equal(span_slice(path, from, end), n->name)) {
            return false;
        }
        end = from - 1;
        n = n->parent;
    }
    return end == 0;
}

bool leaf_is_at(const struct node *root, const struct node *n, const char *path)
{
    return is_at(root, n, span_str(path));
}

/* Most rows differ in the first byte or in the last one, so that long tables cost little. `first` is NUL for the root and for what is
 * in an array there. */
static bool may_be_at(const struct leaf_row *row, char first, char last)
{
    return (row->last == last || row->last == '*') && (first == '\0' || row->first == first || row->first == '*');
}

const struct leaf_row *leaf_find(const struct dialect *d, const struct node *root,
                                 const struct node *n)
{
    const struct node *top = n;

    if (n->row_root == root || n == root) {
        return n == root ? NULL : n->row;
    }
    const struct node *typed = node_member(root, "type");
    struct span type = node_is_string(typed) ? typed->text : span_of("", 0);
    while (top->parent != NULL && top->parent != root) {
        top = top->parent;
    }
    char first = top->name.len > 0 ? top->name.ptr[0] : '\0';
    char last = n->name.len > 0 ? n->name.ptr[n->name.len - 1] : '\0';
    for (size_t i = 0; i < d->n_rows; i++) {
        const struct leaf_row *row = &d->rows[i];
        if (may_be_at(row, first, last) && is_at(root, n, span_of(row->path, row->path_len)) &&
            (row->type == NULL || span_is(type, row->type))) {
            return row;
        }
    }
    return NULL;
}

static bool begins_with_step(const char *path, struct span step)
{
    size_t n = 0;

    while (n < step.len && path[n] == step.ptr[n] && path[n] != '/' && path[n] != '\0') {
        n++;
    }
    return n > 0 && n == step.len && (path[n] == '/' || path[n] == '\0');
}

/* Names that are in the table need no judgement, wherever they are met. */
static bool is_known_name(const struct dialect *d, struct span name)
{
    for (size_t i = 0; i < d->n_rows; i++) {
        for (const char *part = d->rows[i].path; part != NULL; part = strchr(part + 1, '/')) {
            if (begins_with_step(part + 1, name)) {
                return true;
            }
        }
    }
    return false;
}

static bool has_many_digits(struct span number)
{
    size_t n = 0;

    for (size_t i = 0; i < number.len; i++) {
        n += number.ptr[i] >= '0' && number.ptr[i] <= '9';
    }
    return n >= NUMBER_DIGITS;
}

/* --- a message ------------------------------------------------------------------ */

enum unknown_kind {
    UNKNOWN_VALUE,
    UNKNOWN_NAME,
    UNKNOWN_PARTS, /* an array, as one text */
    UNKNOWN_NUMBER /* of few digits: it may be the code of a character */
};

struct unknown {
    struct node *node;
    enum unknown_kind kind;
    const struct channel *in; /* NULL: known to be clean */
    uint32_t column;          /* see struct channel */
    struct unknown *next;
};

struct walk {
    struct translation *t;
    struct node *root;
    bool is_whole;
    struct unknown *first, **last;
    size_t n_unknown;
    struct coded coded;
};

static bool remember(struct walk *w, struct node *n, enum unknown_kind kind, struct error *err)
{
    struct unknown *u = arena_alloc(&w->t->memory, sizeof(*u), err);

    if (u == NULL) {
        return false;
    }
    *u = (struct unknown){.node = n, .kind = kind};
    w->t->beside.n_others += kind == UNKNOWN_VALUE || kind == UNKNOWN_PARTS;
    *w->last = u;
    w->last = &u->next;
    w->n_unknown++;
    return true;
}

static bool judge_text(struct walk *w, struct node *n, const struct leaf_row *row,
                       struct error *err)
{
    struct text *x = text_open(w->t, w->root, n, err);
    struct span released, rest;
    bool had_text = n->text.len > 0;

    if (x != NULL && x->row == NULL) {
        const struct node *skeleton = skeleton_of(w->t, w->root, n, err);
        if (skeleton == NULL || !tree_write(skeleton, &x->skeleton, err)) {
            return false;
        }
        x->row = row;
    }
    if (x == NULL || !text_feed(w->t, x, n->text, &released, err)) {
        return false;
    }
    node_set_text(n, released);
    if (w->is_whole) {
        if (!text_end(w->t, x, STREAM_TRUNCATED, &rest,
                      err)) { /* it may be incomplete */
            return false;
        }
        struct span both[] = {released, rest};
        char *joined = arena_alloc(&w->t->memory, released.len + rest.len + 1, err);
        if (joined == NULL) {
            return false;
        }
        size_t len = 0;
        for (size_t i = 0; i < COUNT(both); i++) {
            memcpy(joined + len, both[i].len > 0 ? both[i].ptr : "", both[i].len);
            len += both[i].len;
        }
        node_set_text(n, span_of(joined, len));
        return true;
    }
    /* A leaf that came empty is no place for what is left at the end. */
    x->leaf = had_text ? n : x->leaf;
    n->is_emptied = had_text && released.len == 0;
    return true;
}

/* What is done with a node. */
enum leaf_task { TASK_NONE, TASK_DROP, TASK_NULL, TASK_TEXT, TASK_ID, TASK_MEDIA, TASK_UNKNOWN, TASK_PARTS, TASK_NUMBER };

/* `is_safe`: it is in a container whose row says so. */
static enum leaf_task task_of(const struct node *n, const struct leaf_row *row, bool is_safe)
{
    enum leaf_use use = row != NULL ? row->use : LEAF_JUDGED;

    if (use == LEAF_NULL) {
        return TASK_NULL;
    }
    if (use == LEAF_DROP && !n->is_judged) {
        return TASK_DROP;
    }
    if (n->is_judged) {
        return TASK_NONE;
    }
    if (n->kind == JSON_KIND_NUMBER) {
        return is_safe || use == LEAF_SAFE ? TASK_NONE : has_many_digits(n->text) ? TASK_UNKNOWN : TASK_NUMBER;
    }
    if (n->kind != JSON_KIND_STRING) {
        return parts_are_in(n) ? TASK_PARTS : TASK_NONE;
    }
    if (use == LEAF_TEXT) {
        return TASK_TEXT;
    }
    if (use == LEAF_MEDIA && prompt_is_data(n->text)) {
        return TASK_MEDIA;
    }
    if (use == LEAF_SAFE || use == LEAF_OPAQUE || is_safe) {
        return TASK_ID;
    }
    return n->text.len > 0 ? TASK_UNKNOWN : TASK_NONE;
}

static bool has_unknown_name(const struct translation *t, const struct node *n, const struct leaf_row *row)
{
    bool is_member = n->parent != NULL && n->parent->kind == JSON_KIND_OBJECT;

    return is_member && row == NULL && !is_known_name(t->dialect, n->name);
}

/* Member names above decide what words near a value mean. */
static struct span key_of(const struct node *n, bool is_name)
{
    const struct node *at = is_name ? n->parent : n;

    while (at != NULL && at->name.len == 0) {
        at = at->parent;
    }
    return at == NULL ? span_of("", 0) : at->name;
}

static bool path_of_name(struct translation *t, struct span name, struct span *path, struct error *err)
{
    struct error ignored;
    struct buf buf CLEANUP(buf_deinit);

    buf_init(&buf, PATH_BYTES_MAX);
    *path = span_str("");
    return !path_append_name(&buf, name, &ignored) || arena_copy(&t->memory, buf_span(&buf), path, err);
}

bool leaf_path(struct translation *t, const struct node *root, const struct node *n,
               struct span *path, struct error *err)
{
    const struct node *steps[PATH_STEPS_MAX];
    size_t depth = 0;
    struct error ignored;
    struct buf buf CLEANUP(buf_deinit);

    buf_init(&buf, PATH_BYTES_MAX);
    for (const struct node *at = n; at != root && at != NULL; at = at->parent) {
        if (depth == COUNT(steps)) {
            return path_of_name(t, key_of(n, false), path, err);
        }
        steps[depth++] = at;
    }
    while (depth-- > 0) {
        const struct node *at = steps[depth];
        bool is_member = at->parent == NULL || at->parent->kind == JSON_KIND_OBJECT;
        bool has_room = is_member ? path_append_name(&buf, at->name, &ignored)
                                  : path_append_index(&buf, text_index(at), &ignored);
        if (!has_room) {
            return path_of_name(t, key_of(n, false), path, err);
        }
    }
    return arena_copy(&t->memory, buf_span(&buf), path, err);
}

/* Numbers are channels only in a column. */
static bool number_columns(struct walk *w, struct error *err)
{
    struct arena *a = &w->t->memory;
    struct column_member *members = arena_array(a, w->n_unknown, sizeof(*members), err);
    size_t n = 0;

    for (struct unknown *u = w->first; members != NULL && u != NULL; u = u->next) {
        if (u->kind == UNKNOWN_VALUE || (u->kind == UNKNOWN_NUMBER && part_is_code(u->node))) {
            members[n++] = (struct column_member){.node = u->node, .column = &u->column};
        }
    }
    return members != NULL && (n < 2 || columns_number(a, w->root, members, n, err));
}

static struct channel channel_of(const struct unknown *u)
{
    bool is_name = u->kind == UNKNOWN_NAME, is_number = u->node->kind == JSON_KIND_NUMBER;
    struct span text = is_name ? u->node->name : is_number ? array_part_code(u->node->text) : u->node->text;

    return (struct channel){.text = text,
                            .key = key_of(u->node, is_name),
                            .is_member_name = is_name,
                            .is_parts = u->kind == UNKNOWN_PARTS,
                            .column = u->column};
}

/* The channels that are not known to be clean. */
static bool open_unknown(struct walk *w, struct channel *channels, size_t *n, struct error *err)
{
    *n = 0;
    for (struct unknown *u = w->first; u != NULL; u = u->next) {
        struct channel c = channel_of(u);
        if (c.is_parts && !parts_join(w->t, u->node, &c.text, err)) {
            return false;
        }
        if (c.column == 0 && (u->kind == UNKNOWN_NUMBER || clean_knows(w->t, &c))) {
            continue;
        }
        if (!leaf_path(w->t, w->root, u->node, &c.path, err)) {
            return false;
        }
        channels[*n] = c;
        u->in = &channels[(*n)++];
    }
    return true;
}

static bool judge_unknown(struct walk *w, struct error *err)
{
    struct translation *t = w->t;
    struct channel *channels = arena_array(&t->memory, w->n_unknown, sizeof(*channels), err);
    size_t n;

    if (channels == NULL || !number_columns(w, err) || !open_unknown(w, channels, &n, err) ||
        (n > 0 && !aside_judge(t, channels, n, err))) {
        return false;
    }
    for (const struct unknown *u = w->first; u != NULL; u = u->next) {
        if (u->in == NULL) {
            continue;
        }
        if (!t->beside.had_findings) {
            clean_keep(t, u->in);
        } else if (u->kind != UNKNOWN_NAME && !span_equal(u->in->output, u->in->text)) {
            node_set_redacted(u->node, u->in->output);
        }
    }
    return true;
}

/* An array of parts that was redacted is a string now, and has none, also in arrays in it. */
static bool is_gone(const struct node *n)
{
    while (n->parent != NULL && n->parent->kind == JSON_KIND_ARRAY) {
        n = n->parent;
    }
    return n->parent != NULL && n->parent->kind == JSON_KIND_STRING;
}

/* What clients may put together from several messages, and numbers behind it, so that they keep their order. */
static bool may_go_on(struct walk *w, const struct unknown *u)
{
    const struct node *n = u->node;

    if (u->kind == UNKNOWN_NUMBER && !w->is_whole && !is_gone(n)) {
        return coded_has(&w->coded, w->root, n) || values_wait(w->t, value_part(w->t, w->root, n));
    }
    return u->kind == UNKNOWN_VALUE && n->kind == JSON_KIND_STRING && n->text.len > 0 && !is_gone(n);
}

/* What comes in pieces over the events of a stream is not known by one of them: a value waits for the end of its part. A value
 * that is the only one at its place does not. */
static bool hold_unknown(struct walk *w, struct error *err)
{
    struct translation *t = w->t;
    struct span place;

    for (const struct unknown *u = w->first; u != NULL; u = u->next) {
        struct node *n = u->node;
        if (!may_go_on(w, u)) {
            continue;
        }
        size_t part = value_part(t, w->root, n);
        if (!value_place(t, w->root, n, part, w->is_whole ? SIZE_MAX : POSITIONS_MAX, &place, err)) {
            return false;
        }
        if (!(u->kind == UNKNOWN_VALUE && value_was_said(t, place, n)) &&
            !(w->is_whole ? value_say(t, place, value_hash(place), n->text, err)
                          : unit_hold(t, w->root, value_unit(t->dialect, w->root, n), part, err))) {
            return false;
        }
    }
    return w->is_whole || values_keep_order(t, w->root, err);
}

bool leaves_judge(struct translation *t, struct node *root, bool is_whole, struct error *err)
{
    struct walk w = {.t = t, .root = root, .is_whole = is_whole};
    const struct node *safe_until = NULL;
    bool is_safe = false;

    w.last = &w.first;
    for (struct node *n = root, *next = NULL; n != NULL; n = next) {
        is_safe = is_safe && n != safe_until;
        const struct leaf_row *row = n == root ? NULL : leaf_find(t->dialect, root, n);
        enum leaf_task task = task_of(n, row, is_safe);
        bool is_taken = !has_unknown_name(t, n, row) || remember(&w, n, UNKNOWN_NAME, err);

        if (task == TASK_TEXT) {
            is_taken = is_taken && judge_text(&w, n, row, err);
        } else if (task == TASK_ID) {
            bool is_opaque = row != NULL && row->use == LEAF_OPAQUE;
            is_taken = is_taken && id_judge(t, root, n, is_opaque ? LEAF_OPAQUE : LEAF_SAFE, err);
        } else if (task == TASK_UNKNOWN || task == TASK_PARTS || task == TASK_NUMBER) {
            enum unknown_kind kind = task == TASK_PARTS ? UNKNOWN_PARTS : task == TASK_NUMBER ? UNKNOWN_NUMBER : UNKNOWN_VALUE;
            is_taken = is_taken && remember(&w, n, kind, err);
        } else if (task == TASK_MEDIA) {
            n->is_judged = true;
            t->beside.unread += n->text.len;
            t->beside.n_others++;
        } else if (task == TASK_NULL) {
            node_set_null(n);
        }
        if (!is_taken) {
            return false;
        }
        if (!is_safe && row != NULL && row->use == LEAF_SAFE && n->first != NULL) {
            is_safe = true;
            safe_until = tree_skip(root, n);
        }
        next = task == TASK_DROP ? tree_skip(root, n) : tree_next(root, n);
        if (task == TASK_DROP) {
            node_remove(n);
        }
    }
    return (w.n_unknown == 0 || judge_unknown(&w, err)) &&
           (!answer_is_stream(t) || hold_unknown(&w, err));
}

bool leaves_say_nothing(const struct translation *t, const struct node *root)
{
    bool is_waiting = false;

    for (const struct node *n = root; n != NULL; n = tree_next(root, n)) {
        const struct leaf_row *row =
            n->kind == JSON_KIND_STRING ? leaf_find(t->dialect, root, n) : NULL;
        if (row != NULL && row->use == LEAF_TEXT && n->text.len > 0) {
            return false;
        }
        is_waiting = is_waiting || n->is_emptied;
    }
    return is_waiting;
}

bool leaves_prune(struct translation *t, struct node *root, struct error *err)
{
    bool is_gone;

    for (struct node *n = root; n != NULL;) {
        struct node *next = tree_next(root, n);
        if (n->is_emptied && n->text.len == 0) {
            node_remove(n);
        }
        n = next;
    }
    return values_detach(t, root, &is_gone, err);
}
