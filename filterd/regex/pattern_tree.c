#include "regex/pattern_tree.h"

#include <ctype.h>
#include <stdlib.h>

#include "regex/pattern.h"

enum { ITEMS_MAX = 16384, DEPTH_MAX = 32 };

struct reader {
    struct span core;
    struct pattern_tree *tree;
};

static bool add_set(struct pattern_tree *tree, const struct pattern_set *set, uint8_t *number)
{
    for (uint16_t i = 0; i < tree->n_sets; i++) {
        if (tree->sets[i].is_wide == set->is_wide && memcmp(&tree->sets[i].ascii, &set->ascii, sizeof(set->ascii)) == 0) {
            *number = (uint8_t)i;
            return true;
        }
    }
    if (tree->n_sets == PATTERN_SETS_MAX) {
        return false;
    }
    tree->sets[tree->n_sets] = *set;
    *number = (uint8_t)tree->n_sets++;
    return true;
}

/* Whether element_of knows what the atom means, and it is one character. */
static bool is_known(struct span atom)
{
    if (atom.ptr[0] == '[') {
        return memmem(atom.ptr, atom.len, "\\v", 2) == NULL && memmem(atom.ptr, atom.len, "\\R", 2) == NULL;
    }
    return atom.ptr[0] != '\\' || ispunct((unsigned char)atom.ptr[1]) || strchr(" dDsSwWhnrtfxpP", atom.ptr[1]) != NULL;
}

/* A character beyond ASCII has none of ASCII as its other case, but for these two. */
static bool is_caseless_in_ascii(struct span atom)
{
    return (unsigned char)atom.ptr[0] < 0x80 || span_is(atom, "\xe2\x84\xaa") || span_is(atom, "\xc5\xbf");
}

static bool read_atom(struct reader *r, struct span atom, bool is_caseless, struct pattern_item *item)
{
    if (!is_known(atom)) {
        return false;
    }
    const struct element e = element_of(atom, is_caseless && is_caseless_in_ascii(atom));
    const struct pattern_set set = {.ascii = e.ascii, .is_wide = e.is_wide};
    return add_set(r->tree, &set, &item->set);
}

/* --- groups ---------------------------------------------------------------------- */

/* Where the body of a group begins; of (?i) and the like, which has none, at the end. False when it is another kind of group. */
static bool read_opening(struct span group, size_t *body, bool *is_caseless)
{
    bool is_on = true;

    if (!span_starts_with(group, span_str("(?"))) {
        *body = 1;
        return true;
    }
    for (*body = 2; *body < group.len && strchr("ims-", group.ptr[*body]) != NULL; ++*body) {
        is_on = is_on && group.ptr[*body] != '-';
        *is_caseless = group.ptr[*body] == 'i' ? is_on : *is_caseless;
    }
    bool has_end = *body < group.len && (group.ptr[*body] == ':' || group.ptr[*body] == ')');
    *body += has_end;
    return has_end;
}

enum unit { UNIT_ITEM, UNIT_NOTHING, UNIT_UNKNOWN };

static bool read_branches(struct reader *r, size_t from, size_t to, bool is_caseless, unsigned depth, uint16_t *first);

/* The group [from, to). Recursion ends at DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static enum unit read_group(struct reader *r, size_t from, size_t to, bool *is_caseless, unsigned depth, struct pattern_item *item)
{
    struct span group = span_slice(r->core, from, to);
    bool caseless = *is_caseless;
    size_t body = 0;

    if (depth == DEPTH_MAX || !read_opening(group, &body, &caseless)) {
        return UNIT_UNKNOWN;
    }
    if (body == group.len) {
        *is_caseless = caseless;
        return UNIT_NOTHING;
    }
    return read_branches(r, from + body, to - 1, caseless, depth + 1, &item->branches) ? UNIT_ITEM : UNIT_UNKNOWN;
}

/* A character, class, anchor or group at *at, moving past it. NOLINTNEXTLINE(misc-no-recursion) */
static enum unit read_unit(struct reader *r, size_t *at, bool *is_caseless, unsigned depth, struct pattern_item *item)
{
    const struct token t = pattern_token(r->core, *at);

    *at = t.kind == TOKEN_OPEN ? pattern_group_end(r->core, t.from) : t.to;
    if (t.kind == TOKEN_OPEN) {
        return read_group(r, t.from, *at, is_caseless, depth, item);
    }
    if (t.kind == TOKEN_ANCHOR) {
        return UNIT_NOTHING;
    }
    while ((unsigned char)r->core.ptr[t.from] >= 0xc0 && *at < r->core.len && ((unsigned char)r->core.ptr[*at] & 0xc0) == 0x80) {
        *at += 1;
    }
    bool is_read = t.kind == TOKEN_ATOM && read_atom(r, span_slice(r->core, t.from, *at), *is_caseless, item);
    return is_read ? UNIT_ITEM : UNIT_UNKNOWN;
}

/* --- sequences ------------------------------------------------------------------- */

static uint16_t times(unsigned long n)
{
    return (uint16_t)(n < PATTERN_MANY ? n : PATTERN_MANY);
}

static void read_repeat(struct span text, struct pattern_item *item)
{
    const char *comma = memchr(text.ptr, ',', text.len);

    if (text.ptr[0] != '{') {
        item->min = text.ptr[0] == '+';
        item->max = text.ptr[0] == '?' ? 1 : PATTERN_MANY;
        return;
    }
    item->min = times(strtoul(text.ptr + 1, NULL, 10));
    item->max = comma == NULL ? item->min : comma[1] == '}' ? PATTERN_MANY : times(strtoul(comma + 1, NULL, 10));
}

/* Looked at first, as a token may be a long class. */
static bool may_repeat(char c)
{
    return c == '*' || c == '+' || c == '?' || c == '{';
}

/* The repeat at *at, if there is one, and the sign behind it that says how greedy it is. False when there is one more. */
static bool read_repeats(const struct reader *r, size_t *at, size_t to, struct pattern_item *item)
{
    item->min = item->max = 1;
    for (unsigned i = 0; *at < to && may_repeat(r->core.ptr[*at]); i++) {
        const struct token t = pattern_token(r->core, *at);
        if (t.kind != TOKEN_REPEAT) {
            return true;
        }
        struct span text = span_slice(r->core, t.from, t.to);
        if (i == 0) {
            read_repeat(text, item);
        } else if (i > 1 || text.ptr[0] == '{' || text.ptr[0] == '*') {
            return false;
        }
        *at += text.len;
    }
    return true;
}

/* Up to a bar or `to`. NOLINTNEXTLINE(misc-no-recursion) */
static bool read_sequence(struct reader *r, size_t *at, size_t to, bool *is_caseless, unsigned depth, uint16_t *first)
{
    uint16_t last = 0;

    while (*at < to && r->core.ptr[*at] != '|') {
        struct pattern_item item = {0};
        enum unit unit = read_unit(r, at, is_caseless, depth, &item);
        if (unit == UNIT_UNKNOWN || !read_repeats(r, at, to, &item)) {
            return false;
        }
        if (unit == UNIT_ITEM) {
            r->tree->items[r->tree->n_items] = item;
            *(last == 0 ? first : &r->tree->items[last].next) = r->tree->n_items;
            last = r->tree->n_items++;
        }
    }
    return true;
}

/* In [from, to). NOLINTNEXTLINE(misc-no-recursion) */
static bool read_branches(struct reader *r, size_t from, size_t to, bool is_caseless, unsigned depth, uint16_t *first)
{
    uint16_t last = 0;

    for (size_t at = from;; at++) {
        uint16_t number = r->tree->n_branches++, item = 0;
        if (!read_sequence(r, &at, to, &is_caseless, depth, &item)) {
            return false;
        }
        r->tree->branches[number].item = item;
        *(last == 0 ? first : &r->tree->branches[last].next) = number;
        last = number;
        if (at >= to) {
            return true;
        }
    }
}

bool pattern_tree_read(struct span core, struct pattern_tree *tree)
{
    struct reader r = {.core = core, .tree = tree};
    uint16_t first;

    *tree = (struct pattern_tree){.n_items = 1, .n_branches = 1};
    if (core.len > ITEMS_MAX) {
        return false;
    }
    tree->items = calloc(core.len + 2, sizeof(*tree->items)); /* each takes a character */
    tree->branches = calloc(core.len + 2, sizeof(*tree->branches));
    return tree->items != NULL && tree->branches != NULL && read_branches(&r, 0, core.len, false, 0, &first);
}

void pattern_tree_deinit(struct pattern_tree *tree)
{
    free(tree->items);
    free(tree->branches);
}
