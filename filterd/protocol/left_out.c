#include "protocol/left_out.h"

#include "base/ascii.h"
#include "protocol/leaf.h"
#include "protocol/texts.h"
#include "protocol/translation.h"

/* What the upstream said and the client does not get though nothing was found in it, for the record: without it an answer of which a part
 * was neither judged nor delivered would look whole (docs/decisions/252). White space does not count, as copies of a text are often
 * trimmed. */

static const uint64_t prime = 1099511628211U;

static void put(struct text_sum *s, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] > ' ') {
            s->hash = (s->hash ^ bytes[i]) * prime;
            s->n++;
        }
    }
}

/* Pieces of a text may cut a character into halves, where its copy has it whole: it counts as two halves. */
static void split(const unsigned char from[4], unsigned char halves[6])
{
    unsigned c = ((from[0] & 7U) << 18 | (from[1] & 0x3fU) << 12 | (from[2] & 0x3fU) << 6 | (from[3] & 0x3fU)) - 0x10000;
    const unsigned units[] = {0xd800 + (c >> 10 & 0x3ff), 0xdc00 + (c & 0x3ff)};

    for (size_t i = 0; i < COUNT(units); i++) {
        halves[3 * i] = 0xed;
        halves[3 * i + 1] = (unsigned char)(0x80 | (units[i] >> 6 & 0x3f));
        halves[3 * i + 2] = (unsigned char)(0x80 | (units[i] & 0x3f));
    }
}

void text_sum_add(struct text_sum *s, struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i], halves[6];
        if (s->n_begun > 0 && (c & 0xc0) == 0x80) {
            s->begun[s->n_begun++] = c;
            if (s->n_begun == 4) {
                split(s->begun, halves);
                put(s, halves, sizeof(halves));
                s->n_begun = 0;
            }
            continue;
        }
        put(s, s->begun, s->n_begun);
        s->n_begun = c >= 0xf0 && c < 0xf8;
        s->begun[0] = c;
        put(s, &c, 1 - s->n_begun);
    }
}

static void end(struct text_sum *s)
{
    put(s, s->begun, s->n_begun);
    s->n_begun = 0;
}

/* Whether the text begins with what was said; *n is its size. */
static bool begins_with(struct text_sum said, struct span text, size_t *n)
{
    struct text_sum s = {0};
    bool is_found = false;

    end(&said);
    for (size_t i = 0; i < text.len; i++) {
        text_sum_add(&s, span_slice(text, i, i + 1));
        is_found = is_found || (s.n == said.n && s.hash == said.hash);
    }
    end(&s);
    *n = s.n;
    return is_found || (s.n == said.n && s.hash == said.hash);
}

void left_out_text(struct translation *t, struct span text)
{
    t->beside.left_out += ascii_count_visible(text);
}

void left_out_copy(struct translation *t, struct text *x, struct span copy)
{
    size_t n;
    bool is_more = begins_with(x->said, copy, &n);

    if (!x->was_fed) {
        return;
    }
    n -= is_more ? x->said.n : 0;
    if (n > x->left_out) { /* a text may have several copies of one content */
        t->beside.left_out += n - x->left_out;
        x->left_out = n;
    }
}

void left_out_pieces(struct translation *t, struct text_sum *pieces, struct span whole)
{
    size_t n;

    if (pieces->n > 0 && !begins_with(*pieces, whole, &n)) {
        t->beside.left_out += pieces->n;
        *pieces = (struct text_sum){0};
    }
}

/* The row of that name; NULL: there is none. */
static const char *find_taken(struct span name, const char *const *taken)
{
    for (; *taken != NULL; taken++) {
        size_t len = strcspn(*taken, "/");
        if (name.len == len && memcmp(name.ptr, *taken, len) == 0) {
            return *taken;
        }
    }
    return NULL;
}

void left_out_event(struct translation *t, const struct node *root, const char *const *taken)
{
    for (const struct node *n = root; n != NULL; n = tree_next(root, n)) {
        const char *known = n == root || n->name.len == 0 ? NULL : find_taken(n->name, taken);
        bool is_known = n == root || n->name.len == 0 || known != NULL;
        const struct leaf_row *row = n == root ? NULL : leaf_find(t->dialect, root, n);
        if (row != NULL && row->use != LEAF_JUDGED && row->use != LEAF_TEXT) {
            continue;
        }
        bool is_text = n->kind == JSON_KIND_STRING && (known == NULL || strchr(known, '/') != NULL);
        t->beside.left_out += (is_known || row != NULL ? 0 : ascii_count_visible(n->name)) + (is_text ? ascii_count_visible(n->text) : 0);
    }
}

void left_out_call(struct translation *t, const struct node *name, const struct node *input)
{
    static const char *const none[] = {NULL};

    if (name != NULL && !node_is_string(name)) {
        left_out_event(t, name, none);
    }
    if (node_is_string(input)) {
        left_out_text(t, input->text);
    }
}

/* Members of an event that are compared; an event with more is not what starts something. */
enum { COMPARED_MAX = 64 };

/* Whether a member of that name is there, and if it is to have a text, one that begins with it. */
static bool is_in(const struct node *end, const struct node *member, bool with_text)
{
    const struct node *n = end;

    while (n != NULL && !(span_equal(n->name, member->name) && (!with_text || (n->kind == JSON_KIND_STRING && span_starts_with(n->text, member->text))))) {
        n = tree_next(end, n);
    }
    return n != NULL;
}

void left_out_start(struct translation *t, const struct node *start, const struct node *end)
{
    size_t n_compared = 0;

    for (const struct node *n = tree_next(start, start); n != NULL; n = tree_next(start, n)) {
        const struct leaf_row *row = leaf_find(t->dialect, start, n);
        bool is_text = n->kind == JSON_KIND_STRING && n->text.len > 0;
        if (row != NULL && row->use != LEAF_JUDGED && row->use != LEAF_TEXT) {
            continue;
        }
        bool is_compared = n_compared++ < COMPARED_MAX;
        t->beside.left_out += row != NULL || (is_compared && is_in(end, n, false)) ? 0 : ascii_count_visible(n->name);
        t->beside.left_out += !is_text || (is_compared && is_in(end, n, true)) ? 0 : ascii_count_visible(n->text);
    }
}

struct text_sum texts_sum(const struct translation *t, const struct node *of)
{
    struct text_sum all = {0};
    const struct node *root = of;

    while (root->parent != NULL) {
        root = root->parent;
    }
    for (const struct node *n = of; n != NULL; n = tree_next(of, n)) {
        const struct leaf_row *row = n->kind == JSON_KIND_STRING ? leaf_find(t->dialect, root, n) : NULL;
        if (n->kind != JSON_KIND_STRING || (row != NULL && row->use != LEAF_JUDGED)) {
            continue;
        }
        struct text_sum one = {0};
        text_sum_add(&one, n->name);
        text_sum_add(&one, span_str("="));
        text_sum_add(&one, n->text);
        end(&one);
        all.hash += one.hash; /* in any order */
        all.n += ascii_count_visible(n->text);
    }
    return all;
}

void left_out_texts(struct translation *t, struct text_sum said, const struct node *copy)
{
    struct text_sum s = texts_sum(t, copy);

    if (s.hash != said.hash) {
        t->beside.left_out += s.n > said.n ? s.n - said.n : s.n;
    }
}

void left_out_behind(struct translation *t, struct span bytes)
{
    static const char done[] = "data: [DONE]"; /* some upstreams end so where their protocol does not ask for it */

    while (bytes.len > 0 && (unsigned char)bytes.ptr[0] <= ' ') {
        bytes = span_slice(bytes, 1, bytes.len);
    }
    if (span_starts_with(bytes, span_str(done))) {
        bytes = span_slice(bytes, sizeof(done) - 1, bytes.len);
    }
    t->beside.left_out += ascii_count_visible(bytes);
}
