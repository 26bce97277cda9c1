/* requirement.c - an expression as a row of items, and whether enough of them stand together.
 *
 * An item is a character that must be there, or a part of which only the greatest width is known: an optional character, a group
 * of alternatives. What is required stands somewhere in the row, or in all alternatives of a group that must be there.
 *
 * Invariants:
 *   - Nothing is taken for granted: whatever is not a character, a class, an anchor, a counted repeat or a group (?:…), (?i:…)
 *     makes the answer false, so the expression is looked for everywhere. One with (?i) anywhere is caseless as a whole.
 *   - A character counts when each character that the element may match is one byte of the class, or has several bytes, all of
 *     them beyond ASCII, and the class has all bytes beyond ASCII.
 *   - Recursion ends at DEPTH_MAX, a row at ITEMS_MAX. */
#include "regex/requirement.h"

#include <ctype.h>
#include <stdlib.h>

#include "regex/pattern.h"

enum { ITEMS_MAX = 256, DEPTH_MAX = 8, WIDE = 4, UNBOUNDED = 1 << 20, REPEAT_MAX = 1 << 10 };

struct item {
    uint32_t width; /* bytes at most */
    bool counts;    /* it is there, and has a byte of the class */
};

/* A sequence: one alternative. */
struct row {
    struct item items[ITEMS_MAX];
    size_t n;
    bool is_met; /* by all alternatives of one of its groups */
};

struct walk {
    const struct requirement *required;
    bool is_caseless;
};

/* Of alternatives: the widest, and whether all hold what is required. */
struct part {
    uint32_t width;
    bool is_met;
};

static uint32_t sum(uint64_t a, uint64_t b)
{
    return (uint32_t)(a + b < UNBOUNDED ? a + b : UNBOUNDED);
}

/* --- one character -------------------------------------------------------------- */

/* Of letters, only k and s have a partner beyond ASCII: U+212A, U+017F. */
static bool has_ascii_partner(struct span character)
{
    return span_is(character, "\xe2\x84\xaa") || span_is(character, "\xc5\xbf");
}

/* Letters and digits that pattern_element.h knows behind a backslash. */
static bool is_known_escape(struct span atom)
{
    return atom.len >= 2 && (ispunct((unsigned char)atom.ptr[1]) || atom.ptr[1] == ' ' || strchr("dDsSwWntrfeax", atom.ptr[1]) != NULL);
}

/* PCRE2 and Hyperscan have more characters in \\v than pattern_element.h. */
static bool is_known_class(struct span atom)
{
    return memmem(atom.ptr, atom.len, "\\v", 2) == NULL && memmem(atom.ptr, atom.len, "\\R", 2) == NULL;
}

/* A character beyond ASCII by itself, as it is or as \x{…}, that no case makes ASCII. */
static bool is_wide_character(const struct walk *w, struct span atom)
{
    if ((unsigned char)atom.ptr[0] >= 0x80) {
        return !w->is_caseless || !has_ascii_partner(atom);
    }
    if (!span_starts_with(atom, span_str("\\x{"))) {
        return false;
    }
    unsigned long code = strtoul(atom.ptr + 3, NULL, 16); /* ends at the brace */
    return code >= 0x80 && (!w->is_caseless || (code != 0x212a && code != 0x17f));
}

static bool has_all_wide(const struct byte_set *class)
{
    return (class->bits[2] & class->bits[3]) == UINT64_MAX;
}

static struct item item_of(const struct walk *w, struct span atom)
{
    const struct byte_set *class = &w->required->class;

    if (is_wide_character(w, atom)) {
        return (struct item){.width = WIDE, .counts = has_all_wide(class)};
    }
    const struct element e = element_of(atom, w->is_caseless);
    bool is_inside = (e.ascii.bits[0] & ~class->bits[0]) == 0 && (e.ascii.bits[1] & ~class->bits[1]) == 0;
    return (struct item){.width = e.is_wide ? WIDE : 1, .counts = is_inside && (!e.is_wide || has_all_wide(class))};
}

/* --- a sequence ------------------------------------------------------------------ */

static bool add_item(struct row *row, struct item item)
{
    if (row->n == ITEMS_MAX) {
        return false;
    }
    row->items[row->n++] = item;
    return true;
}

/* The token at *at and what of a character is behind it. */
static struct span next_atom(struct span p, const struct token *t)
{
    size_t to = t->to;

    while ((unsigned char)p.ptr[t->from] >= 0xc0 && to < p.len && ((unsigned char)p.ptr[to] & 0xc0) == 0x80) {
        to++;
    }
    return span_slice(p, t->from, to);
}

static bool read_group(const struct walk *w, struct span group, unsigned depth, struct row *row);

/* One unit at *at, as items of the row; *at is behind it then. NOLINTNEXTLINE(misc-no-recursion) */
static bool read_unit(const struct walk *w, struct span p, size_t *at, unsigned depth, struct row *row)
{
    const struct token t = pattern_token(p, *at);

    if (t.kind == TOKEN_OPEN) {
        size_t end = pattern_group_end(p, *at);
        struct span group = span_slice(p, *at, end);
        *at = end;
        return span_is(group, "(?i)") || read_group(w, group, depth, row);
    }
    if (t.kind == TOKEN_ANCHOR) {
        *at = t.to;
        return true;
    }
    struct span atom = next_atom(p, &t);
    *at += atom.len;
    bool is_known = t.kind == TOKEN_ATOM && atom.ptr[0] != '{' &&
                    (atom.ptr[0] == '\\' ? is_known_escape(atom) : atom.ptr[0] != '[' || is_known_class(atom));
    return is_known && add_item(row, item_of(w, atom));
}

struct repeat {
    unsigned long min, max;
};

static struct repeat repeat_of(struct span text)
{
    unsigned long min = strtoul(text.ptr + 1, NULL, 10);
    const char *comma = memchr(text.ptr, ',', text.len);
    unsigned long max = comma == NULL ? min : comma[1] == '}' ? UNBOUNDED : strtoul(comma + 1, NULL, 10);

    if (text.ptr[0] != '{') {
        return (struct repeat){.min = text.ptr[0] == '+', .max = text.ptr[0] == '?' ? 1 : UNBOUNDED};
    }
    return (struct repeat){.min = min, .max = max};
}

/* The row's items from `first` on stand for one unit: min times, and perhaps more often. */
static bool repeat_items(struct row *row, size_t first, struct repeat repeat, bool was_met)
{
    const size_t n = row->n - first;
    uint32_t width = 0;

    if (repeat.min > REPEAT_MAX || repeat.max < repeat.min) {
        return false;
    }
    for (size_t i = first; i < row->n; i++) {
        width = sum(width, row->items[i].width);
    }
    if (repeat.min == 0) {
        row->n = first;
        row->is_met = was_met;
    }
    for (unsigned long i = 1; i < repeat.min && n > 0; i++) {
        for (size_t k = 0; k < n; k++) {
            if (!add_item(row, row->items[first + k])) {
                return false;
            }
        }
    }
    uint64_t more = (uint64_t)width * (repeat.max < UNBOUNDED ? repeat.max - repeat.min : UNBOUNDED);
    return more == 0 || add_item(row, (struct item){.width = sum(more, 0)});
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static bool read_row(const struct walk *w, struct span p, unsigned depth, struct row *row)
{
    for (size_t at = 0; at < p.len;) {
        const size_t first = row->n;
        const bool was_met = row->is_met;
        if (!read_unit(w, p, &at, depth, row)) {
            return false;
        }
        if (at < p.len && pattern_token(p, at).kind == TOKEN_REPEAT) {
            const struct token t = pattern_token(p, at);
            at = t.to;
            bool is_twice = at < p.len && pattern_token(p, at).kind == TOKEN_REPEAT; /* +? and the like */
            if (is_twice || !repeat_items(row, first, repeat_of(span_slice(p, t.from, t.to)), was_met)) {
                return false;
            }
        }
    }
    return true;
}

/* Whether enough of the row's items stand together. */
static bool is_met(const struct requirement *required, const struct row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        uint32_t width = 0;
        unsigned n = 0;
        for (size_t k = i; k < row->n && n < required->n; k++) {
            bool is_one = required->n == 1 && row->items[k].counts; /* any of its bytes is at one place */
            width = is_one ? 1 : sum(width, row->items[k].width);
            if (width > required->within) {
                break;
            }
            n += row->items[k].counts;
        }
        if (n == required->n) {
            return true;
        }
    }
    return false;
}

/* --- alternatives ------------------------------------------------------------------ */

/* NOLINTNEXTLINE(misc-no-recursion) */
static bool read_alternatives(const struct walk *w, struct span p, unsigned depth, struct part *part)
{
    *part = (struct part){.is_met = true};
    if (depth == DEPTH_MAX) {
        return false;
    }
    for (size_t at = 0; at <= p.len;) {
        size_t end = pattern_branch_end(p, at);
        struct row row = {.n = 0};
        uint32_t width = 0;
        if (!read_row(w, span_slice(p, at, end), depth, &row)) {
            return false;
        }
        for (size_t i = 0; i < row.n; i++) {
            width = sum(width, row.items[i].width);
        }
        part->width = width > part->width ? width : part->width;
        part->is_met &= row.is_met || is_met(w->required, &row);
        at = end + 1;
    }
    return true;
}

/* A group without alternatives is its items; of another one only the width counts, and whether all hold what is required.
 * NOLINTNEXTLINE(misc-no-recursion) */
static bool read_group(const struct walk *w, struct span group, unsigned depth, struct row *row)
{
    size_t open = span_starts_with(group, span_str("(?:")) ? 3 : span_starts_with(group, span_str("(?i:")) ? 4 : 0;
    struct part part;

    if (open == 0 || depth == DEPTH_MAX || group.ptr[group.len - 1] != ')') {
        return false;
    }
    struct span body = span_slice(group, open, group.len - 1);
    if (pattern_branch_end(body, 0) == body.len) {
        return read_row(w, body, depth + 1, row);
    }
    if (!read_alternatives(w, body, depth + 1, &part)) {
        return false;
    }
    row->is_met |= part.is_met;
    return add_item(row, (struct item){.width = part.width});
}

bool requirement_holds(struct span expression, const struct requirement *required, uint32_t *width)
{
    const struct walk w = {.required = required, .is_caseless = memmem(expression.ptr, expression.len, "(?i", 3) != NULL};
    struct part part;
    bool is_known = pattern_is_closed(expression) && read_alternatives(&w, expression, 0, &part) && part.width < UNBOUNDED;

    *width = is_known ? part.width : UINT32_MAX;
    return is_known && part.is_met;
}
