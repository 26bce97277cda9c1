#include "view/turned_units.h"

#include "base/ascii.h"
#include "view/escape.h"
#include "view/transform.h"
#include "text/vector.h"

enum { UNITS_MIN = 8, GAP_MAX = 4, DIGITS_MAX = 7, LIST_DIGITS_MAX = 3, LOOK = 8, LETTER_LOOK = 20, TAIL = 16 };

enum gap { GAP_NONE, GAP_BREAK, GAP_LIST };

/* X: a hex digit; R: one in ROT13; U, V: the same without small letters; N: a decimal digit; D: several; else the character itself. */
struct form {
    const char *pattern;
    unsigned turns;
    enum gap gap;
    bool needs_letter; /* of ROT13, as it is the plain form without */
    char forward;      /* what is before the first unit when the form is the plain one */
};

static const struct form forms[] = {
    {"XX%", TURNED_BACKWARDS, GAP_NONE, false, '%'},
    {"UU=", TURNED_BACKWARDS, GAP_BREAK, false, '='},
    {"XXx\\", TURNED_BACKWARDS, GAP_NONE, false, '\0'},
    {"XXXXu\\", TURNED_BACKWARDS, GAP_NONE, false, '\0'},
    {";D#&", TURNED_BACKWARDS, GAP_NONE, false, '\0'},
    {"XX", TURNED_BACKWARDS, GAP_LIST, false, '\0'},
    {"D", TURNED_BACKWARDS, GAP_LIST, false, '\0'},
    {"%RR", TURNED_ROT13, GAP_NONE, true, '\0'},
    {"=VV", TURNED_ROT13, GAP_BREAK, true, '\0'},
    {"\\kRR", TURNED_ROT13, GAP_NONE, false, '\0'},
    {"\\hRRRR", TURNED_ROT13, GAP_NONE, false, '\0'},
    {"NR", TURNED_ROT13, GAP_LIST, true, '\0'},
    {"RR%", TURNED_BOTH, GAP_NONE, true, '%'},
    {"VV=", TURNED_BOTH, GAP_BREAK, true, '='},
    {"RRk\\", TURNED_BOTH, GAP_NONE, false, '\0'},
    {"RRRRh\\", TURNED_BOTH, GAP_NONE, false, '\0'},
    {"RN", TURNED_BOTH, GAP_LIST, true, '\0'},
};

static bool is_rotated_letter(char c)
{
    return (c | 0x20) >= 'n' && (c | 0x20) <= 's';
}

static bool fits(char c, char element)
{
    switch (element) {
    case 'X':
        return ascii_is(c, ASCII_HEX);
    case 'U':
        return ascii_is(c, ASCII_HEX) && !ascii_is(c, ASCII_LOWER);
    case 'V':
        return ascii_is(c, ASCII_DIGIT) || (c >= 'N' && c <= 'S');
    case 'N':
        return ascii_is(c, ASCII_DIGIT);
    case 'R':
        return ascii_is(c, ASCII_DIGIT) || is_rotated_letter(c);
    default:
        return c == element;
    }
}

static size_t digits_max(const struct form *f)
{
    return f->gap == GAP_LIST ? LIST_DIGITS_MAX : DIGITS_MAX;
}

/* Behind the unit that begins at `at`; 0 when there is none. *rest is what of the pattern the text's end cut off. */
static size_t unit_end(const struct form *f, struct span text, size_t at, const char **rest)
{
    for (const char *p = f->pattern; *p != '\0'; p++) {
        *rest = p;
        if (at >= text.len) {
            return 0;
        }
        if (*p == 'D') {
            size_t end = ascii_run_end(text, at, ASCII_DIGIT);
            if (end == at || end - at > digits_max(f)) {
                return 0;
            }
            at = end;
        } else if (fits(text.ptr[at], *p)) {
            at++;
        } else {
            return 0;
        }
    }
    return at;
}

/* Where the unit begins that ends at `end`, not before `first`; SIZE_MAX when there is none. */
static size_t unit_begin(const struct form *f, struct span text, size_t first, size_t end)
{
    size_t at = end;

    for (size_t i = strlen(f->pattern); i > 0; i--) {
        char element = f->pattern[i - 1];
        if (element == 'D') {
            size_t begin = ascii_run_begin(text, first, at, ASCII_DIGIT);
            if (begin == at || at - begin > digits_max(f)) {
                return SIZE_MAX;
            }
            at = begin;
        } else if (at > first && fits(text.ptr[at - 1], element)) {
            at--;
        } else {
            return SIZE_MAX;
        }
    }
    return at;
}

/* A soft break of quoted-printable, also backwards, may be between the numbers of a list. */
static bool is_gap(const struct form *f, struct span text, size_t at)
{
    char c = text.ptr[at];
    bool is_break = c == '=' && ((at > 0 && text.ptr[at - 1] == '\n') || at + 1 == text.len || text.ptr[at + 1] == '\n');

    switch (f->gap) {
    case GAP_LIST:
        return ascii_is(c, ASCII_SPACE) || c == ',' || c == ';' || c == ':' || c == '-' || is_break;
    case GAP_BREAK:
        return c == '\n' || c == '\r' || c == '=';
    case GAP_NONE:
        break;
    }
    return false;
}

/* Where a unit begins behind the one that ends at `at`, over a gap perhaps. */
static size_t skip_gap(const struct form *f, struct span text, size_t at)
{
    size_t limit = text.len - at < GAP_MAX ? text.len : at + GAP_MAX;
    const char *rest;

    while (at < limit && is_gap(f, text, at) && unit_end(f, text, at, &rest) == 0) {
        at++;
    }
    return at;
}

/* --- whether it is text -------------------------------------------------------- */

/* The number at [from, to) of a list, turned. */
static unsigned item_value(const struct form *f, struct span text, size_t from, size_t to)
{
    bool is_backward = (f->turns & TURNED_BACKWARDS) != 0;
    unsigned base = f->pattern[0] == 'D' ? 10 : 16;
    unsigned value = 0;

    for (size_t i = 0; i < to - from; i++) {
        char c = text.ptr[is_backward ? to - 1 - i : from + i];
        c = (f->turns & TURNED_ROT13) != 0 ? ascii_rot13(c) : c;
        value = value * base + ascii_hex_value(c);
    }
    return value;
}

static bool is_byte_of_text(unsigned value)
{
    return value < 0x80 ? escape_is_text(value) : value < 0xf5;
}

/* Reads units from `from` on. Of a list each must stand for a byte of a text. */
static bool read_units(const struct form *f, struct span text, size_t from, struct turned_units *out)
{
    size_t n = 0;
    size_t at = from;
    size_t end;
    const char *rest;
    bool has_letter = false;

    *out = (struct turned_units){.from = from, .to = from, .turns = f->turns};
    if (f->forward != '\0' && from > 0 && text.ptr[from - 1] == f->forward) {
        return false;
    }
    while ((end = unit_end(f, text, at, &rest)) != 0 && (n < LETTER_LOOK || has_letter || !f->needs_letter)) {
        if (f->gap == GAP_LIST && ((end < text.len && ascii_is(text.ptr[end], ASCII_ALNUM)) ||
                                   !is_byte_of_text(item_value(f, text, at, end)))) {
            break;
        }
        for (size_t i = at; i < end && f->needs_letter && !has_letter; i++) {
            has_letter = is_rotated_letter(text.ptr[i]);
        }
        n++;
        out->to = end;
        at = skip_gap(f, text, end);
        if (f->gap == GAP_LIST && at == end) {
            break;
        }
    }
    return n >= UNITS_MIN && (has_letter || !f->needs_letter);
}

static bool stands_free(struct span text, size_t at)
{
    return at == 0 || !ascii_is(text.ptr[at - 1], ASCII_ALNUM);
}

/* The longest units in a form of lists, or in one of none. */
static bool read_longest(struct span text, size_t from, bool is_list, struct turned_units *out)
{
    struct turned_units longest = {0};

    for (size_t i = 0; i < COUNT(forms); i++) {
        struct turned_units units;
        if ((forms[i].gap == GAP_LIST) == is_list && read_units(&forms[i], text, from, &units) && units.to > longest.to) {
            longest = units;
        }
    }
    *out = longest;
    return longest.to > 0;
}

bool turned_units_read(struct span text, size_t from, struct turned_units *out)
{
    return read_longest(text, from, false, out) || (stands_free(text, from) && read_longest(text, from, true, out));
}

static bool are_digits(struct span text, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (at + i >= text.len || !(ascii_is(text.ptr[at + i], ASCII_HEX) || is_rotated_letter(text.ptr[at + i]))) {
            return false;
        }
    }
    return true;
}

/* The first sign of units in [at, end). */
static size_t find_sign(struct span text, size_t at, size_t end)
{
    for (; end - at >= VECTOR_SIZE; at += VECTOR_SIZE) {
        vector_bytes v = vector_load(text.ptr + at);
        unsigned found = vector_top_bits(vector_is(v, '%') | vector_is(v, '=') | vector_is(v, '\\') | vector_is(v, '&'));
        if (found != 0) {
            return at + (size_t)__builtin_ctz(found);
        }
    }
    while (at < end && text.ptr[at] != '%' && text.ptr[at] != '=' && text.ptr[at] != '\\' && text.ptr[at] != '&') {
        at++;
    }
    return at;
}

static size_t back(size_t at, size_t n)
{
    return at >= n ? at - n : SIZE_MAX;
}

/* A sign of units behind two digits. */
static bool is_between_digits(struct span text, size_t at)
{
    return at < text.len && (text.ptr[at] == '%' || text.ptr[at] == '=') && are_digits(text, at - 2, 2);
}

/* Where a unit may begin that ends with the sign at `at`; SIZE_MAX when none does. */
static size_t begin_before_sign(struct span text, size_t at)
{
    char before = (char)(at > 0 ? text.ptr[at - 1] : '\0');
    size_t digits;

    switch (text.ptr[at]) {
    case '\\':
        digits = before == 'x' || before == 'k' ? back(at, 3) : before == 'u' || before == 'h' ? back(at, 5) : SIZE_MAX;
        break;
    case '&':
        digits = before == '#' ? ascii_run_begin(text, back(at, LOOK) != SIZE_MAX ? at - LOOK : 0, at - 1, ASCII_DIGIT) : 0;
        return digits > 0 && text.ptr[digits - 1] == ';' ? digits - 1 : SIZE_MAX;
    default: /* another one is behind it, or a line ends */
        digits = at + 1 < text.len && (text.ptr[at + 1] == '\n' || is_between_digits(text, at + 3)) ? back(at, 2) : SIZE_MAX;
    }
    return digits != SIZE_MAX && are_digits(text, digits, 2) ? digits : SIZE_MAX;
}

/* Whether a unit in ROT13 may begin with the sign at `at`, and another one behind it. */
static bool begins_with_sign(struct span text, size_t at)
{
    char next = (char)(at + 1 < text.len ? text.ptr[at + 1] : '\0');
    size_t len = text.ptr[at] == '\\' ? (next == 'k' ? 4 : next == 'h' ? 6 : 0) : text.ptr[at] != '&' ? 3 : 0;

    return len > 0 && at + len < text.len && text.ptr[at + len] == text.ptr[at] && are_digits(text, at + len - 2, 2);
}

/* Whether units in ROT13 that begin at `at` may have the letter that they need. *letter is the first one that is not before where
 * it was asked about last, or how far none is. */
static bool may_have_letter(struct span text, size_t at, size_t *letter)
{
    enum { REACH = LETTER_LOOK * (3 + GAP_MAX) };

    *letter = *letter > at ? *letter : at;
    while (*letter < text.len && *letter - at < REACH && !is_rotated_letter(text.ptr[*letter])) {
        (*letter)++;
    }
    return *letter < text.len && *letter - at < REACH;
}

bool turned_units_find(struct span text, size_t at, size_t end, struct turned_units *out)
{
    size_t letter = 0;

    for (; (at = find_sign(text, at, end)) < end; at++) {
        size_t before = begin_before_sign(text, at);
        bool is_rotated = begins_with_sign(text, at) && (text.ptr[at] == '\\' || may_have_letter(text, at, &letter));
        if ((before != SIZE_MAX && read_longest(text, before, false, out) && out->to > at) ||
            (is_rotated && read_longest(text, at, false, out))) {
            return true;
        }
    }
    return false;
}

/* Whether the word [at, end) is a number with another behind it. */
static bool may_begin_list(struct span text, size_t at, size_t end)
{
    size_t next = end;

    if (end - at < 2 || end - at > LIST_DIGITS_MAX || !are_digits(text, at, end - at)) {
        return false;
    }
    while (next < text.len && next - end < GAP_MAX && !ascii_is(text.ptr[next], ASCII_ALNUM)) {
        next++;
    }
    return next > end && are_digits(text, next, 2);
}

bool turned_units_find_list(struct span text, size_t at, size_t end, struct turned_units *out)
{
    at += at > 0 && at < end && !stands_free(text, at) ? ascii_run_end(text, at, ASCII_ALNUM) - at : 0;
    while (at < end) {
        size_t word_end = ascii_run_end(text, at, ASCII_ALNUM);
        if (word_end > at && may_begin_list(text, at, word_end) && read_longest(text, at, true, out)) {
            return true;
        }
        at = word_end > at ? word_end : at + 1;
    }
    return false;
}

/* --- what may go on -------------------------------------------------------------- */

/* Whether the number [from, to) may be one of a list that goes on at `next`: more digits may come to the one at the end. */
static bool may_be_item(const struct form *f, struct span text, size_t from, size_t to, size_t next)
{
    bool is_last = to == text.len;

    return stands_free(text, from) && (is_last || (to < next && is_byte_of_text(item_value(f, text, from, to))));
}

/* Where units begin of which the last ends at `end`, or before a gap there. */
static size_t units_before(const struct form *f, struct span text, size_t first, size_t end)
{
    size_t found = end;

    for (size_t at = end;;) {
        for (size_t n = 0; n < GAP_MAX && at > first && is_gap(f, text, at - 1) &&
                           unit_begin(f, text, first, at) == SIZE_MAX;
             n++) {
            at--;
        }
        size_t begin = unit_begin(f, text, first, at);
        bool is_item = begin != SIZE_MAX && (f->gap != GAP_LIST || may_be_item(f, text, begin, at, found));
        if (!is_item) {
            return found;
        }
        found = at = begin;
    }
}

/* Each unit has a digit or one of the signs. */
static bool may_end_in_units(struct span text, size_t first)
{
    for (size_t at = text.len; at > first && text.len - at < TAIL; at--) {
        char c = text.ptr[at - 1];
        if (ascii_is(c, ASCII_DIGIT) || c == '%' || c == '=' || c == '\\' || c == '&' || c == ';') {
            return true;
        }
    }
    return false;
}

struct pending turned_units_pending(struct span text, size_t first)
{
    size_t found = text.len;

    if (!may_end_in_units(text, first)) {
        return pending_apart(found);
    }
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct form *f = &forms[i];
        for (size_t cut = 0; cut < LOOK && first + cut <= text.len; cut++) {
            const char *rest = f->pattern;
            size_t end = text.len - cut;
            if (cut > 0 && (unit_end(f, text, end, &rest) != 0 || rest == f->pattern)) {
                continue;
            }
            size_t begin = units_before(f, text, first, end);
            begin = cut > 0 && begin == end && f->pattern[0] != ';' ? text.len : begin;
            found = begin < found ? begin : found;
        }
    }
    return pending_apart(found);
}
