/* beginnings.c - expands a pattern from its front, element by element, into the words with which it may begin.
 *
 * The list grows by choices: each item from `first` on continues with each character, branch or repeat that may follow. An item
 * is cut at KEYWORD_MAX bytes, at an anchor, after an element that may repeat, and at elements that cannot be listed. Nothing is
 * appended to a cut item, so that it remains the beginning of a match.
 *
 * Invariant: at any time, every match begins with one of the items (the first is the empty word). If that would become false,
 * the whole list is dropped: beginnings_of returns false, and the pattern is searched without keywords. */
#include "regex/beginnings.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "regex/pattern.h"
#include "regex/pattern_element.h"

enum {
    CLASS_MAX = 8,            /* characters of a class: with more, the items multiply past what a list is good for */
    DEPTH_MAX = 24,           /* of nested groups; deeper ones are cut */
    LISTED_MIN = KEYWORD_MIN, /* a shorter item would be found nearly everywhere */
    CONTROLS_END = 8,         /* the first control characters are marks of the written list (scanner_words.c) */
};

void beginnings_deinit(struct beginnings *b)
{
    free(b->items);
    free(b->is_cut);
    *b = (struct beginnings){0};
}

static bool add_copy(struct beginnings *b, const struct keyword *word, bool is_cut)
{
    struct keyword copy = *word; /* which may lie in what is moved */

    if (b->n == b->capacity) {
        size_t capacity = b->capacity == 0 ? 16 : b->capacity * 2;
        struct keyword *items = capacity <= BEGINNINGS_MAX ? reallocarray(b->items, capacity, sizeof(*items)) : NULL;
        if (items == NULL) {
            return false;
        }
        b->items = items;
        bool *cuts = reallocarray(b->is_cut, capacity, sizeof(*cuts));
        if (cuts == NULL) {
            return false;
        }
        b->is_cut = cuts;
        b->capacity = capacity;
    }
    b->items[b->n] = copy;
    b->is_cut[b->n++] = is_cut;
    return true;
}

static void cut_from(struct beginnings *b, size_t first)
{
    for (size_t i = first; i < b->n; i++) {
        b->is_cut[i] = true;
    }
}

static bool is_all_cut(const struct beginnings *b, size_t first)
{
    while (first < b->n && b->is_cut[first]) {
        first++;
    }
    return first == b->n;
}

/* --- one character --------------------------------------------------------------- */

/* What an element of a pattern may be: a few characters of ASCII, or one of any bytes. */
struct choice {
    char bytes[CLASS_MAX];
    size_t n;      /* bytes in all; 0 when it cannot be listed */
    bool is_whole; /* they are one character */
};

static void append(struct beginnings *b, size_t i, const char *bytes, size_t n)
{
    struct keyword *word = &b->items[i];

    assert(!b->is_cut[i]);
    if (word->len + n > KEYWORD_MAX) {
        b->is_cut[i] = true;
        return;
    }
    for (size_t k = 0; k < n; k++) {
        word->text[word->len++] = (char)tolower((unsigned char)bytes[k]);
    }
    b->is_cut[i] = word->len == KEYWORD_MAX;
}

/* Each item from `first` on goes on with each of the characters. */
static bool append_choice(struct beginnings *b, size_t first, const struct choice *c)
{
    size_t end = b->n, step = c->is_whole ? c->n : 1;

    for (size_t i = first; i < end; i++) {
        for (size_t k = step; k < c->n && !b->is_cut[i]; k += step) {
            if (!add_copy(b, &b->items[i], false)) {
                return false;
            }
            append(b, b->n - 1, c->bytes + k, step);
        }
        if (!b->is_cut[i]) {
            append(b, i, c->bytes, step);
        }
    }
    return true;
}

/* The characters of a class when they are few and ASCII, without their other cases. The first control characters are not
 * for lists: a list is written with some of them as marks (scanner_words.c). */
static struct choice choice_of_class(struct span atom)
{
    struct element e = element_of(atom, false);
    struct choice c = {0};

    for (unsigned i = 0; i < 128 && !e.is_wide; i++) {
        bool is_other_case = isupper((int)i) && byte_set_has(&e.ascii, (unsigned char)tolower((int)i));
        if (byte_set_has(&e.ascii, (unsigned char)i) && !is_other_case) {
            if (c.n == CLASS_MAX || i < CONTROLS_END) {
                return (struct choice){0};
            }
            c.bytes[c.n++] = (char)i;
        }
    }
    return c;
}

static size_t character_length(char first)
{
    unsigned char c = (unsigned char)first;

    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* One element, and its end. The partner of an ASCII letter is the letter (keywords.h). */
static struct choice choice_of(struct span branch, const struct token *t, size_t *to)
{
    static const struct {
        const char *bytes;
        char letter;
    } partners[] = {{"\xc5\xbf", 's'}, {"\xe2\x84\xaa", 'k'}};
    struct span rest = span_slice(branch, t->from, branch.len);
    struct choice c = {.n = 1};

    *to = t->to;
    for (size_t i = 0; i < COUNT(partners); i++) {
        if (span_starts_with(rest, span_str(partners[i].bytes))) {
            *to = t->from + strlen(partners[i].bytes);
            c.bytes[0] = partners[i].letter;
            return c;
        }
    }
    if (!pattern_literal(branch, t, &c.bytes[0]) || (unsigned char)c.bytes[0] < CONTROLS_END) {
        return choice_of_class(span_slice(branch, t->from, t->to));
    }
    if ((unsigned char)c.bytes[0] >= 0x80) {
        c = (struct choice){.n = character_length(c.bytes[0]), .is_whole = true};
        *to = t->from + c.n;
        memcpy(c.bytes, rest.ptr, c.n <= rest.len ? c.n : rest.len);
    }
    return c;
}

/* --- groups, choices, repeats ------------------------------------------------------ */

static bool expand_branches(struct span choice, struct beginnings *b, size_t first, unsigned depth);

/* Where the body of a group begins; its end when it has none, as "(?i)". */
static size_t group_body(struct span group)
{
    size_t i = 1;

    if (group.len > 2 && group.ptr[1] == '?') {
        for (i = 2; i < group.len && group.ptr[i] != ':' && group.ptr[i] != ')'; i++) {
        }
        i++;
    }
    return i;
}

/* With x spaces and comments mean nothing, which is not read here. */
static bool is_extended(struct span group, size_t body)
{
    return group.len > 1 && group.ptr[1] == '?' && memchr(group.ptr, 'x', body < group.len ? body : group.len) != NULL;
}

/* A word boundary before a word is the start of a keyword; one after it ends it. */
static void end_words(struct beginnings *b, size_t first)
{
    for (size_t i = first; i < b->n; i++) {
        if (b->items[i].len > 0 && !b->is_cut[i]) {
            b->items[i].ends_word = isalpha((unsigned char)b->items[i].text[b->items[i].len - 1]) != 0;
            b->is_cut[i] = true;
        }
    }
}

/* How often an element may occur: by the repeat after it, or once. */
struct times {
    bool may_lack, may_repeat;
    size_t to; /* after the repeat */
};

static struct times times_at(struct span branch, size_t end)
{
    struct times times = {.to = end};

    while (times.to < branch.len && pattern_token(branch, times.to).kind == TOKEN_REPEAT) {
        const struct token t = pattern_token(branch, times.to);
        struct span repeat = span_slice(branch, t.from, t.to);
        bool is_first = times.to == end; /* a second one only says how greedy */
        bool is_once = span_is(repeat, "?") || span_is(repeat, "{0,1}");
        times.may_lack |= is_first && (is_once || repeat.ptr[0] == '*' || span_starts_with(repeat, span_str("{0")));
        times.may_repeat |= is_first && !is_once;
        times.to = t.to;
    }
    return times;
}

/* One element, once. Recursion ends at DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool expand_element(struct span branch, const struct token *t, size_t end, struct beginnings *b, size_t first,
                           unsigned depth)
{
    size_t to;

    if (t->kind == TOKEN_OPEN) {
        struct span group = span_slice(branch, t->from, end);
        size_t body = group_body(group);
        return !is_extended(group, body) &&
               (body >= group.len || expand_branches(span_slice(group, body, group.len - 1), b, first, depth + 1));
    }
    const struct choice c = choice_of(branch, t, &to);
    if (c.n == 0) {
        cut_from(b, first);
        return true;
    }
    return append_choice(b, first, &c);
}

/* What may lack is there, and is not there. Recursion ends at DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool expand_optional(struct span branch, const struct token *t, size_t end, struct beginnings *b, size_t first,
                            unsigned depth)
{
    struct beginnings with CLEANUP(beginnings_deinit) = {0};
    bool is_good = true;

    for (size_t i = first; is_good && i < b->n; i++) {
        is_good = b->is_cut[i] || add_copy(&with, &b->items[i], false);
    }
    is_good = is_good && expand_element(branch, t, end, &with, 0, depth);
    for (size_t i = 0; is_good && i < with.n; i++) {
        is_good = add_copy(b, &with.items[i], with.is_cut[i]);
    }
    return is_good;
}

/* An element and its repeat; after an element that may repeat nothing is known. Recursion ends at DEPTH_MAX.
 * NOLINTNEXTLINE(misc-no-recursion) */
static bool expand_repeated(struct span branch, const struct token *t, size_t end, const struct times *times,
                            struct beginnings *b, size_t first, unsigned depth)
{
    bool is_good = true;

    if (!times->may_lack) {
        is_good = expand_element(branch, t, end, b, first, depth);
    } else if (!times->may_repeat) {
        is_good = expand_optional(branch, t, end, b, first, depth);
    }
    if (times->may_repeat) {
        cut_from(b, first);
    }
    return is_good;
}

/* The items from `first` on go on with the branch. Recursion ends at DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool expand_branch(struct span branch, struct beginnings *b, size_t first, unsigned depth)
{
    for (size_t at = 0; at < branch.len && !is_all_cut(b, first);) {
        struct token t = pattern_token(branch, at);
        size_t end = t.kind == TOKEN_OPEN ? pattern_group_end(branch, at) : t.to;
        if (t.kind == TOKEN_ATOM) {
            (void)choice_of(branch, &t, &end);
        }
        const struct times times = times_at(branch, end);
        if (t.kind != TOKEN_ANCHOR) {
            if (!expand_repeated(branch, &t, end, &times, b, first, depth)) {
                return false;
            }
        } else if (span_is(span_slice(branch, t.from, t.to), "\\b") && times.to == end) {
            end_words(b, first);
        } else {
            cut_from(b, first);
        }
        at = times.to;
    }
    return true;
}

/* The items from `first` on go on with one of the branches. Recursion ends at DEPTH_MAX.
 * NOLINTNEXTLINE(misc-no-recursion) */
static bool expand_branches(struct span choice, struct beginnings *b, size_t first, unsigned depth)
{
    struct beginnings before CLEANUP(beginnings_deinit) = {0};
    bool is_good = true;

    if (depth >= DEPTH_MAX) {
        cut_from(b, first);
        return true;
    }
    for (size_t i = first; is_good && i < b->n; i++) {
        is_good = add_copy(&before, &b->items[i], b->is_cut[i]);
    }
    b->n = first;
    for (size_t at = 0, end; is_good && at <= choice.len; at = end + 1) {
        size_t from = b->n;
        end = pattern_branch_end(choice, at);
        for (size_t i = 0; is_good && i < before.n; i++) {
            is_good = add_copy(b, &before.items[i], before.is_cut[i]);
        }
        is_good = is_good && expand_branch(span_slice(choice, at, end), b, from, depth);
    }
    return is_good;
}

/* --- the list ------------------------------------------------------------------------ */

static int compare_items(const void *a, const void *b)
{
    const struct keyword *x = a, *y = b;
    size_t len = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->text, y->text, len);

    return order != 0 ? order : x->len != y->len ? x->len - y->len : x->ends_word - y->ends_word;
}

static bool covers(const struct keyword *a, const struct keyword *b)
{
    return a->len <= b->len && memcmp(a->text, b->text, a->len) == 0 &&
           (!a->ends_word || (a->len == b->len && b->ends_word));
}

/* Without those that begin with another. */
static void drop_covered(struct beginnings *b)
{
    size_t n = 0;

    qsort(b->items, b->n, sizeof(*b->items), compare_items);
    for (size_t i = 0; i < b->n; i++) {
        if (n == 0 || !covers(&b->items[n - 1], &b->items[i])) {
            b->items[n++] = b->items[i];
        }
    }
    b->n = n;
}

bool beginnings_of(struct span core, struct beginnings *out)
{
    bool regards_case = memmem(core.ptr, core.len, "(?i", 3) == NULL;

    *out = (struct beginnings){0};
    if (regards_case || !add_copy(out, &(struct keyword){0}, false) || !expand_branches(core, out, 0, 0)) {
        return false;
    }
    for (size_t i = 0; i < out->n; i++) {
        if (out->items[i].len < LISTED_MIN) {
            return false;
        }
    }
    drop_covered(out);
    return true;
}

bool beginning_is_keyword(const struct keyword *k)
{
    bool is_ascii = true;

    for (size_t i = 0; i < k->len; i++) {
        is_ascii = is_ascii && (unsigned char)k->text[i] < 0x80;
    }
    return is_ascii && k->len >= KEYWORD_MIN && isalpha((unsigned char)k->text[0]) != 0;
}
