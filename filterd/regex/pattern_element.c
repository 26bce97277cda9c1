#include "regex/pattern_element.h"

#include <ctype.h>
#include <stdlib.h>

#include "regex/pattern.h"

static void add_where(struct byte_set *set, int (*holds)(int), bool wanted)
{
    for (int c = 0; c < 128; c++) {
        if ((holds(c) != 0) == wanted) {
            byte_set_add(set, (unsigned)c);
        }
    }
}

static int is_word(int c)
{
    return isalnum(c) || c == '_';
}

/* --- elements --------------------------------------------------------------- */

static void add_anything(struct element *e)
{
    byte_set_add_range(&e->ascii, 0, 127);
    e->is_wide = true;
    e->is_loose = true;
}

static void add_code_point(struct element *e, unsigned long code_point)
{
    if (code_point < 128) {
        byte_set_add(&e->ascii, (unsigned)code_point);
    } else {
        e->is_wide = true;
    }
}

/* The digits that a text begins with. */
static unsigned long hex_value(struct span text)
{
    char digits[9] = "";

    for (size_t i = 0; i < text.len && i + 1 < sizeof(digits) && isxdigit((unsigned char)text.ptr[i]) != 0; i++) {
        digits[i] = text.ptr[i];
    }
    return strtoul(digits, NULL, 16);
}

/* An escape from its backslash to its end; of the code point that it names, if it names one. */
static bool add_escape(struct element *e, struct span text, unsigned long *code_point)
{
    static const struct {
        int (*holds)(int);
        char escape;
        bool wanted;
    } classes[] = {
        {isdigit, 'd', true},  {isdigit, 'D', false}, {isspace, 's', true}, {isspace, 'S', false},
        {is_word, 'w', true},  {is_word, 'W', false}, {isblank, 'h', true},
    };
    static const char controls[] = "n\nt\tr\rf\fv\ve\033a\a";
    char c = text.ptr[1];

    for (size_t i = 0; i < COUNT(classes); i++) {
        if (classes[i].escape == c) {
            add_where(&e->ascii, classes[i].holds, classes[i].wanted);
            e->is_wide = e->is_wide || !classes[i].wanted || c == 'h';
            return false;
        }
    }
    const char *control = isalpha((unsigned char)c) ? strchr(controls, c) : NULL;
    if (control != NULL && (control - controls) % 2 == 0) {
        *code_point = (unsigned char)control[1];
    } else if (c == 'x') {
        *code_point = hex_value(span_slice(text, text.ptr[2] == '{' ? 3 : 2, text.len));
    } else if (ispunct((unsigned char)c) || c == ' ') {
        *code_point = (unsigned char)c;
    } else {
        add_anything(e);
        return false;
    }
    add_code_point(e, *code_point);
    return true;
}

static bool is_posix_class(struct span class, size_t at)
{
    return class.ptr[at] == '[' && at + 1 < class.len && strchr(":.=", class.ptr[at + 1]) != NULL;
}

/* One item of a class at *at, moving past it; false when it is not a single code point. */
static bool add_item(struct element *e, struct span class, size_t *at, unsigned long *code_point)
{
    unsigned char c = (unsigned char)class.ptr[*at];

    if (is_posix_class(class, *at)) {
        add_anything(e);
        *at = class.len - 1;
        return false;
    }
    if (c == '\\') {
        struct token t = pattern_token(class, *at);
        *at = t.to;
        return add_escape(e, span_slice(class, t.from, t.to), code_point);
    }
    *at += 1;
    *code_point = c;
    add_code_point(e, c);
    return true;
}

/* The items from `at` to `end` of a class, after its negation. */
static void add_items(struct element *e, struct span class, size_t at, size_t end)
{
    while (at < end) {
        unsigned long from = 0, to = 0;
        bool is_single = add_item(e, class, &at, &from);
        bool is_range = is_single && at + 1 < end && class.ptr[at] == '-';
        at += is_range;
        if (is_range && add_item(e, class, &at, &to)) {
            byte_set_add_range(&e->ascii, (unsigned)(from < 128 ? from : 128), (unsigned)(to < 127 ? to : 127));
        }
    }
}

static void add_class(struct element *e, struct span class)
{
    bool is_negated = class.len > 2 && class.ptr[1] == '^';

    add_items(e, class, is_negated ? 2 : 1, class.len - 1);
    if (is_negated && e->is_loose) {
        add_anything(e);
    } else if (is_negated) {
        e->ascii = (struct byte_set){{~e->ascii.bits[0], ~e->ascii.bits[1], 0, 0}};
        e->is_wide = true;
    }
}

/* Without regard to case "k" and "s" have partners outside ASCII, both ways. */
static void add_other_case(struct element *e)
{
    struct byte_set as_written = e->ascii;

    if (e->is_wide) {
        byte_set_add(&as_written, 'k');
        byte_set_add(&as_written, 's');
        e->is_loose = true;
    }

    for (int c = 'a'; c <= 'z'; c++) {
        int upper = toupper(c);
        if (byte_set_has(&as_written, (unsigned char)c) ||
            byte_set_has(&as_written, (unsigned char)upper)) {
            byte_set_add(&e->ascii, (unsigned)c);
            byte_set_add(&e->ascii, (unsigned)upper);
            e->is_wide = e->is_wide || c == 'k' || c == 's';
        }
    }
}

struct element element_of(struct span text, bool is_caseless)
{
    struct element e = {0};
    unsigned long ignored;

    if (text.ptr[0] == '[') {
        add_class(&e, text);
    } else if (text.ptr[0] == '\\') {
        (void)add_escape(&e, text, &ignored);
    } else if (text.ptr[0] == '.') {
        add_anything(&e);
    } else {
        add_code_point(&e, (unsigned char)text.ptr[0]); /* of one beyond ASCII, the first byte */
    }
    if (is_caseless) {
        add_other_case(&e);
    }
    return e;
}
