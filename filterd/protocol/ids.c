#include "protocol/leaf.h"

#include "protocol/aside.h"
#include "protocol/left_out.h"
#include "protocol/parts.h"
#include "protocol/translation.h"

/* Ids, models, fingerprints, signatures: an upstream may put anything there, so they are judged as
 * all else is. Most of them come with every event of an answer: the judgement is asked for once,
 * and what it said is said again. The content of a piece of text does not distinguish it from an id: in a
 * stream nothing leaves that has not the form of an id. */

enum { ID_BYTES_MAX = 128 };

static bool has_closed_form(struct span text, enum leaf_use use)
{
    if (use == LEAF_OPAQUE) {
        return leaf_is_base64(text);
    }
    for (size_t i = 0; i < text.len; i++) {
        bool is_mark = text.ptr[i] == '@' || text.ptr[i] == '~'; /* names of models have them */
        if (!is_mark && !leaf_is_base64(span_slice(text, i, i + 1))) {
            return false;
        }
    }
    return text.len <= ID_BYTES_MAX;
}

/* *is_known: judged before; the node has what leaves then. */
static bool recall(struct translation *t, struct node *n, bool *is_known, struct error *err)
{
    size_t kept = t->beside.n_known_ids < KNOWN_IDS_MAX ? t->beside.n_known_ids : KNOWN_IDS_MAX;

    /* Events of one kind have the same ids in the same order. */
    for (size_t i = 0; i < kept; i++) {
        size_t at = (t->beside.next_id + i) % kept;
        const struct known_id *known = &t->beside.known_ids[at];
        if (!span_equal(span_of(known->text, known->len), n->text)) {
            continue;
        }
        t->beside.next_id = at + 1;
        *is_known = true;
        struct span out = span_of(known->out, known->out_len), copy;
        if (span_equal(out, n->text)) {
            return true;
        }
        if (!arena_copy(&t->memory, out, &copy, err)) {
            return false;
        }
        node_set_redacted(n, copy);
        return true;
    }
    *is_known = false;
    return true;
}

static void keep(struct translation *t, struct span text, struct span out)
{
    struct beside *b = &t->beside;

    if (text.len > sizeof(b->known_ids->text) || out.len > sizeof(b->known_ids->out)) {
        return;
    }
    if (b->n_known_ids < KNOWN_IDS_MAX) {
        struct known_id *ids = list_room(b->known_ids, b->n_known_ids, sizeof(*ids));
        if (ids == NULL) {
            return; /* it is judged again */
        }
        b->known_ids = ids;
    }
    struct known_id *known = &b->known_ids[b->n_known_ids++ % KNOWN_IDS_MAX];
    known->len = text.len;
    known->out_len = out.len;
    memcpy(known->text, text.ptr, text.len);
    if (out.len > 0) {
        memcpy(known->out, out.ptr, out.len);
    }
}

static bool judge(struct translation *t, struct span path, struct node *n, enum leaf_use use, struct error *err)
{
    bool is_random = use == LEAF_OPAQUE ? leaf_is_base64(n->text) : leaf_is_id(n->text);
    struct channel channel = {.path = path, .text = n->text};
    struct span out;

    if (is_random) {
        if (!aside_judge_random(t, path, n->text, &out, err)) {
            return false;
        }
    } else if (aside_judge(t, &channel, 1, err)) {
        out = channel.output;
    } else {
        return false;
    }
    if (answer_is_stream(t) && !has_closed_form(n->text, use)) {
        left_out_text(t, out);
        out = span_of("", 0);
    }
    keep(t, n->text, out);
    if (!span_equal(out, n->text)) {
        node_set_redacted(n, out);
    }
    return true;
}

bool id_judge(struct translation *t, const struct node *root, struct node *n, enum leaf_use use,
              struct error *err)
{
    bool is_known = n->is_judged || n->text.len == 0 || id_is_word(n->text);
    struct span path;

    if (!is_known && !recall(t, n, &is_known, err)) {
        return false;
    }
    if (!is_known && (!leaf_path(t, root, n, &path, err) || !judge(t, path, n, use, err))) {
        return false;
    }
    n->is_judged = true;
    return true;
}

static enum leaf_use use_of(const struct translation *t, const struct node *root, struct node *n)
{
    n->row = n == root ? NULL : leaf_find(t->dialect, root, n);
    n->row_root = root;
    return n->row == NULL ? LEAF_JUDGED : n->row->use;
}

typedef bool id_fn(struct translation *t, const struct node *root, struct node *n, enum leaf_use use, struct error *err);

static bool each_id(struct translation *t, struct node *root, id_fn *does, struct error *err)
{
    const struct node *safe_until = NULL;
    bool is_safe = false;

    for (struct node *n = root; n != NULL; n = tree_next(root, n)) {
        is_safe = is_safe && n != safe_until;
        enum leaf_use use = use_of(t, root, n);
        bool is_id = is_safe || use == LEAF_SAFE || use == LEAF_OPAQUE;
        if (is_id && n->kind == JSON_KIND_STRING && !does(t, root, n, use, err)) {
            return false;
        }
        if (!is_safe && use == LEAF_SAFE && n->first != NULL) {
            is_safe = true;
            safe_until = tree_skip(root, n);
        }
    }
    return true;
}

bool ids_judge(struct translation *t, struct node *root, struct error *err)
{
    return each_id(t, root, id_judge, err);
}

static bool id_recall(struct translation *t, const struct node *root, struct node *n, enum leaf_use use, struct error *err)
{
    bool is_known = n->is_judged || n->text.len == 0 || id_is_word(n->text);

    (void)root;
    (void)use;
    if (!is_known && !recall(t, n, &is_known, err)) {
        return false;
    }
    n->is_judged = true;
    return is_known || error_set(err, ERROR_LIMIT, "answer: fewer ids expected");
}

bool ids_recall(struct translation *t, struct node *root, struct error *err)
{
    return each_id(t, root, id_recall, err);
}

/* --- texts that are clean ------------------------------------------------------------ */

/* The same few names and words come with every event of an answer: a judgement that found nothing
 * is not asked for again. It depends on nothing but the text, its key and the policy. */

static bool fits(const struct clean *known, const struct channel *c)
{
    return known->is_name == c->is_member_name &&
           span_equal(span_of(known->text, known->len), c->text) &&
           span_equal(span_of(known->key, known->key_len), c->key);
}

bool clean_knows(const struct translation *t, const struct channel *c)
{
    for (size_t i = 0; i < CLEAN_MAX && i < t->beside.n_clean; i++) {
        if (fits(&t->beside.clean[i], c)) {
            return true;
        }
    }
    return false;
}

void clean_keep(struct translation *t, const struct channel *c)
{
    struct clean *known = NULL;

    /* Of parts only what they say when they are joined was looked for. */
    if (c->is_parts || c->text.len == 0 || c->text.len > sizeof(known->text) || c->key.len > sizeof(known->key)) {
        return;
    }
    if (t->beside.n_clean < CLEAN_MAX) {
        struct clean *clean = list_room(t->beside.clean, t->beside.n_clean, sizeof(*clean));
        if (clean == NULL) {
            return; /* it is asked for again */
        }
        t->beside.clean = clean;
    }
    known = &t->beside.clean[t->beside.n_clean++ % CLEAN_MAX];
    *known =
        (struct clean){.is_name = c->is_member_name, .len = c->text.len, .key_len = c->key.len};
    memcpy(known->text, c->text.ptr, c->text.len);
    if (c->key.len > 0) {
        memcpy(known->key, c->key.ptr, c->key.len);
    }
}
