/* numbers.c - lists of character codes: 67 68 70, 0x67, 0x68, 103, 104, 112, U+0067 U+0068.
 *
 * A list is read as many numbers as have a form in common: each number narrows the set of forms, and the list ends where the
 * set would be empty. Two digits each may be hex or decimal; both are written, each as pieces of its own.
 *
 * Invariants: a list begins and ends at the end of a word, so that no part of a longer number counts; read_list, decode and
 * write_numbers step over the same numbers, as all go by read_number and skip_gap; list_pending accepts whatever these
 * do and more. */
#include "base/ascii.h"
#include "view/decoded_text.h"
#include "view/escape.h"
#include "text/utf8.h"

enum {
    ITEMS_MIN = 8,  /* fewer are often dates or versions */
    DIGITS_MAX = 6, /* U+10FFFF */
    NUMBER_MAX = DIGITS_MAX + 2, /* with its prefix, 0x or U+ */
    GAP_MAX = 40,   /* a sign, a line's end and an indentation */
    LOOK_BACK = 2 * SURVEY_BLOCK, /* of a list with wide gaps that begins in blocks with too little of it to be marked (survey.c) */
};

enum number_form {
    FORM_HEX = 1 << 0,     /* two hex digits */
    FORM_DECIMAL = 1 << 1, /* two or three digits */
    FORM_0X = 1 << 2,
    FORM_CODE_POINT = 1 << 3,
};

struct number {
    unsigned forms; /* all that fit */
    uint32_t as_hex, as_decimal;
    size_t to;
};

static bool is_inside_word(struct span text, size_t at)
{
    return at < text.len && (ascii_is(text.ptr[at], ASCII_ALNUM) || text.ptr[at] == '_');
}

static unsigned plain_forms(struct span digits, struct number *out)
{
    unsigned forms = digits.len == 2 ? FORM_HEX : 0;
    uint32_t value = 0;

    if (digits.len < 2 || digits.len > 3) {
        return 0;
    }
    for (size_t i = 0; i < digits.len; i++) {
        if (!ascii_is(digits.ptr[i], ASCII_DIGIT)) {
            return forms;
        }
        value = value * 10 + (uint32_t)(digits.ptr[i] - '0');
    }
    out->as_decimal = value;
    return value < 256 ? forms | FORM_DECIMAL : forms;
}

/* The form that 0x or U+ at `at` announces; 0 when neither is there. */
static unsigned prefix_form(struct span text, size_t at)
{
    if (text.len - at <= 2) {
        return 0;
    }
    if (text.ptr[at] == '0' && (text.ptr[at + 1] | 0x20) == 'x') {
        return FORM_0X;
    }
    return (text.ptr[at] | 0x20) == 'u' && text.ptr[at + 1] == '+' ? FORM_CODE_POINT : 0;
}

static bool read_number(struct span text, size_t at, struct number *out)
{
    unsigned prefix = prefix_form(text, at);
    size_t from = prefix != 0 ? at + 2 : at;
    size_t to = from;

    *out = (struct number){0};
    if (!escape_hex_number(text, &to, 2, DIGITS_MAX, &out->as_hex)) {
        return false;
    }
    out->to = to;
    if (prefix == FORM_CODE_POINT) {
        out->forms = to - from >= 4 && escape_is_text(out->as_hex) ? FORM_CODE_POINT : 0;
        return out->forms != 0;
    }
    if (is_inside_word(text, to)) {
        return false;
    }
    if (prefix == FORM_0X) {
        out->forms = to - from == 2 ? FORM_0X : 0;
    } else {
        out->forms = plain_forms(span_slice(text, from, to), out);
    }
    return out->forms != 0;
}

/* Behind a number at `at`: one sign at most, and white space. Nothing, behind U+0067 alone. */
static size_t skip_gap(struct span text, size_t at)
{
    size_t limit = text.len - at < GAP_MAX ? text.len : at + GAP_MAX;
    bool has_sign = false;

    for (; at < limit; at++) {
        char c = text.ptr[at];
        bool is_sign = c == ',' || c == ';' || c == ':' || c == '-';
        if (!ascii_is(c, ASCII_SPACE) && (!is_sign || has_sign)) {
            break;
        }
        has_sign = has_sign || is_sign;
    }
    return at;
}

/* Reads as many numbers as have a form in common. *end is behind the last. */
static unsigned read_list(struct span text, size_t at, size_t *n, size_t *end)
{
    unsigned forms = FORM_HEX | FORM_DECIMAL | FORM_0X | FORM_CODE_POINT;
    struct number number;

    *n = 0;
    *end = at;
    while (at < text.len && read_number(text, at, &number) && (forms & number.forms) != 0) {
        forms &= number.forms;
        *end = number.to;
        *n += 1;
        at = skip_gap(text, number.to);
        if (at == number.to && forms != FORM_CODE_POINT) {
            break;
        }
    }
    return forms;
}

static bool may_start(struct span text, size_t at)
{
    char c = text.ptr[at];
    return (ascii_is(c, ASCII_HEX) || c == 'U' || c == 'u') && at + 2 < text.len &&
           (ascii_is(text.ptr[at + 1], ASCII_HEX) || text.ptr[at + 1] == '+' ||
            (text.ptr[at + 1] | 0x20) == 'x') &&
           (at == 0 || !is_inside_word(text, at - 1));
}

/* The first list that starts in [*at, end); else *at is at `end` or behind. */
static bool find_list(struct span text, size_t *at, size_t end, struct region *out)
{
    while (*at < end) {
        size_t n = 0;
        size_t list_end = *at;
        if (may_start(text, *at)) {
            (void)read_list(text, *at, &n, &list_end);
        }
        if (n >= ITEMS_MIN) {
            *out = (struct region){.from = *at, .to = list_end};
            return true;
        }
        *at = list_end > *at ? list_end : *at + 1;
        if (is_inside_word(text, *at - 1)) {
            *at = ascii_run_end(text, *at, ASCII_ALNUM);
        }
    }
    return false;
}

/* Where what a list is made of begins in front of `at`. */
static size_t list_begin(struct span text, size_t first, size_t at)
{
    const size_t limit = at - first > LOOK_BACK ? at - LOOK_BACK : first;

    while (at > limit && (ascii_is(text.ptr[at - 1], ASCII_HEX | ASCII_SPACE) || strchr("xXuU+,-:;", text.ptr[at - 1]) != NULL)) {
        at--;
    }
    return at;
}

static bool next_list(const struct source_piece *r, size_t at, struct region *out)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_LIST)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        at = at % SURVEY_BLOCK == 0 ? list_begin(r->text, first, at) : at;
        if (find_list(r->text, &at, block_end < r->text.len ? block_end : r->text.len, out)) {
            return true;
        }
        first = at;
    }
    return false;
}

/* A place in the list: the number at `at` is the i-th. */
struct cursor {
    size_t i, at;
};

/* The same numbers again, now written: those whose bytes are in the stretch, one unit each. */
static void write_numbers(struct span text, struct cursor *cursor, const struct stretch *s,
                          unsigned form, struct builder *b)
{
    builder_begin(b, numbers_transform.name, numbers_transform.kind);
    for (; cursor->i < s->to && !builder_has_failed(b); cursor->i++) {
        struct number number;
        size_t from = cursor->at;
        if (!read_number(text, from, &number)) {
            break;
        }
        cursor->at = skip_gap(text, number.to);
        size_t len = (cursor->i + 1 < s->to ? cursor->at : number.to) - from;
        char byte = (char)(form == FORM_DECIMAL ? number.as_decimal : number.as_hex);
        struct origin origin = {
            .from = from, .len = len, .view_unit = 1, .parent_unit = (uint8_t)len};
        if (cursor->i >= s->from && form == FORM_CODE_POINT) {
            builder_put_code_point(b, number.as_hex, from, len);
        } else if (cursor->i >= s->from) {
            builder_put(b, span_of(&byte, 1), &origin);
        }
    }
    builder_end(b);
}

static size_t decode(struct span text, size_t at, unsigned form, char *out)
{
    size_t n = 0;
    struct number number;

    while (at < text.len && read_number(text, at, &number)) {
        out[n++] = (char)(form == FORM_DECIMAL ? number.as_decimal : number.as_hex);
        at = skip_gap(text, number.to);
    }
    return n;
}

static void write_bytes(const struct source_piece *r, const struct region *region, unsigned form,
                        struct builder *b)
{
    char *decoded = builder_scratch(b, region->to - region->from);
    struct span text = span_of(r->text.ptr, region->to);
    struct cursor cursor = {.at = region->from};
    struct stretch stretch = {0};

    if (decoded == NULL) {
        return;
    }
    struct span bytes = span_of(decoded, decode(text, region->from, form, decoded));
    while (!builder_has_failed(b) && stretch_next(bytes, stretch.to, &stretch)) {
        if (stretch.stride == 1) {
            write_numbers(text, &cursor, &stretch, form, b);
        }
    }
}

/* Two digits each may be meant either way. */
static void rewrite_list(const struct source_piece *r, const struct region *region, struct builder *b)
{
    size_t n;
    size_t end;

    if (source_is_copy(r, region)) {
        return;
    }
    unsigned forms = read_list(span_of(r->text.ptr, region->to), region->from, &n, &end);
    if (forms == FORM_CODE_POINT) {
        struct stretch all = {.to = n, .stride = 1};
        struct cursor cursor = {.at = region->from};
        write_numbers(r->text, &cursor, &all, forms, b);
        return;
    }
    for (unsigned form = FORM_HEX; form <= FORM_0X; form <<= 1) {
        if ((forms & form) != 0) {
            write_bytes(r, region, form, b);
        }
    }
}

/* --- what may go on --- */

/* A plus belongs to U+ alone: what is before a list may end in one. */
static bool is_number_character(struct span text, size_t first, size_t at)
{
    char c = text.ptr[at];
    bool is_prefix = c == 'x' || c == 'X' || c == 'u' || c == 'U';

    return ascii_is(c, ASCII_HEX) || is_prefix || (c == '+' && at > first && (text.ptr[at - 1] | 0x20) == 'u');
}

/* Two hex digits, up to three decimal ones, or more behind a prefix; less at the text's end. */
static bool may_be_number(struct span number, bool is_at_end)
{
    bool has_prefix = number.len > 1 && ((number.ptr[0] | 0x20) == 'u' || number.ptr[0] == '0') &&
                      (number.ptr[1] == '+' || (number.ptr[1] | 0x20) == 'x');
    bool is_decimal = ascii_run_end(number, 0, ASCII_DIGIT) == number.len;

    return has_prefix || is_at_end || number.len == 2 || (number.len == 3 && is_decimal);
}

/* Also '=': a soft break of quoted-printable is none in the view where the list is read. */
static bool is_gap_character(char c)
{
    return ascii_is(c, ASCII_SPACE) || c == ',' || c == ';' || c == ':' || c == '-' || c == '=';
}

/* A list of short numbers, with what is between them. */
static struct pending list_pending(struct span text, size_t first)
{
    size_t begin = text.len;
    size_t at = text.len;

    for (;;) {
        size_t gap = at;
        while (gap > first && at - gap < GAP_MAX && is_gap_character(text.ptr[gap - 1])) {
            gap--;
        }
        size_t number = gap;
        while (number > first && gap - number <= NUMBER_MAX &&
               is_number_character(text, first, number - 1)) {
            number--;
        }
        bool has_length = gap > number && gap - number <= NUMBER_MAX;
        bool stands_free = number == first || !is_inside_word(text, number - 1);
        if (!has_length || !stands_free || (gap == at && at != text.len) ||
            !may_be_number(span_slice(text, number, gap), gap == text.len)) {
            return pending_apart(begin);
        }
        begin = at = number;
    }
}

TRANSFORM_DEFINE(numbers, "numbers", VIEW_DECODED, SURVEY_LIST,
                 next_list, rewrite_list, list_pending);
