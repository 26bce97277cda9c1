#include "scan/first_bytes.h"

#include <ctype.h>
#include <stdlib.h>

#include "scan/pattern.h"

/* Places are a mask: bit i says that a match may be at its i-th byte, bit FIRST_BYTES that it is
 * past those looked at. */
enum { DEPTH_MAX = 32, PAST = 1U << FIRST_BYTES };

/* What one element of the expression may match: ASCII characters, and whether others as well. */
struct element {
    struct byte_set ascii;
    bool is_wide;
};

struct walk {
    struct span core;
    struct first_bytes *out;
};

static void add(struct byte_set *set, unsigned byte)
{
    set->bits[byte / 64] |= (uint64_t)1 << byte % 64;
}

static void add_range(struct byte_set *set, unsigned from, unsigned to)
{
    for (unsigned byte = from; byte <= to; byte++) {
        add(set, byte);
    }
}

static void add_where(struct byte_set *set, int (*holds)(int), bool wanted)
{
    for (int c = 0; c < 128; c++) {
        if ((holds(c) != 0) == wanted) {
            add(set, (unsigned)c);
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
    add_range(&e->ascii, 0, 127);
    e->is_wide = true;
}

static void add_code_point(struct element *e, unsigned long code_point)
{
    if (code_point < 128) {
        add(&e->ascii, (unsigned)code_point);
    } else {
        e->is_wide = true;
    }
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
        *code_point = strtoul(text.ptr + (text.ptr[2] == '{' ? 3 : 2), NULL, 16);
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

/* One item of a class at *at, moving behind it; false when it names no single code point. */
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

/* What stands from `at` to `end` of a class, which is not its negation. */
static void add_items(struct element *e, struct span class, size_t at, size_t end)
{
    while (at < end) {
        unsigned long from = 0, to = 0;
        bool is_single = add_item(e, class, &at, &from);
        bool is_range = is_single && at + 1 < end && class.ptr[at] == '-';
        at += is_range;
        if (is_range && add_item(e, class, &at, &to)) {
            add_range(&e->ascii, (unsigned)(from < 128 ? from : 128), (unsigned)(to < 127 ? to : 127));
        }
    }
}

static void add_class(struct element *e, struct span class)
{
    bool is_negated = class.len > 2 && class.ptr[1] == '^';

    add_items(e, class, is_negated ? 2 : 1, class.len - 1);
    if (is_negated) {
        e->ascii = (struct byte_set){{~e->ascii.bits[0], ~e->ascii.bits[1], 0, 0}};
        e->is_wide = true;
    }
}

/* Without regard to case "k" and "s" have partners outside ASCII, both ways. */
static void add_other_case(struct element *e)
{
    struct byte_set as_written = e->ascii;

    if (e->is_wide) {
        add(&as_written, 'k');
        add(&as_written, 's');
    }

    for (int c = 'a'; c <= 'z'; c++) {
        int upper = toupper(c);
        if (byte_set_has(&as_written, (unsigned char)c) ||
            byte_set_has(&as_written, (unsigned char)upper)) {
            add(&e->ascii, (unsigned)c);
            add(&e->ascii, (unsigned)upper);
            e->is_wide = e->is_wide || c == 'k' || c == 's';
        }
    }
}

static struct element element_of(struct span text, bool is_caseless)
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

/* --- the walk --------------------------------------------------------------- */

/* A character beyond ASCII at place i: two to four bytes. Returns the places behind it. */
static unsigned consume_wide(struct first_bytes *out, unsigned i)
{
    unsigned next = 0;

    add_range(&out->at[i], 0xc2, 0xf4);
    for (unsigned k = i + 1; k < i + 4; k++) {
        if (k < FIRST_BYTES) {
            add_range(&out->at[k], 0x80, 0xbf);
        }
        next |= k + 1 < FIRST_BYTES ? 1U << (k + 1) : PAST;
    }
    return next;
}

static unsigned consume(const struct walk *w, unsigned places, const struct element *e)
{
    unsigned next = places & PAST;

    for (unsigned i = 0; i < FIRST_BYTES; i++) {
        if ((places >> i & 1) == 0) {
            continue;
        }
        struct byte_set *set = &w->out->at[i];
        for (unsigned k = 0; k < COUNT(set->bits); k++) {
            set->bits[k] |= e->ascii.bits[k];
        }
        next |= 1U << (i + 1);
        next |= e->is_wide ? consume_wide(w->out, i) : 0U;
    }
    return next;
}

struct repeat {
    unsigned min, max; /* max: no more than can matter */
};

static struct repeat repeat_of(struct span text)
{
    const unsigned many = FIRST_BYTES + 1;
    unsigned long min = strtoul(text.ptr + 1, NULL, 10);
    const char *comma = memchr(text.ptr, ',', text.len);
    unsigned long max = comma == NULL ? min : comma[1] == '}' ? many : strtoul(comma + 1, NULL, 10);

    if (text.ptr[0] != '{') {
        return (struct repeat){.min = text.ptr[0] == '+', .max = text.ptr[0] == '?' ? 1 : many};
    }
    return (struct repeat){.min = (unsigned)(min < many ? min : many),
                           .max = (unsigned)(max < many ? max : many)};
}

/* `state` is the depth, and whether case is told apart. */
static const unsigned caseless = 1U << 31;

static unsigned walk_group(const struct walk *w, size_t from, size_t to, unsigned places,
                           unsigned state);

/* The unit [from, to): an atom or a group. NOLINTNEXTLINE(misc-no-recursion) */
static unsigned walk_unit(const struct walk *w, const struct token *unit, unsigned places,
                          unsigned state)
{
    if (unit->kind == TOKEN_OPEN) {
        return walk_group(w, unit->from, unit->to, places, state);
    }
    if (unit->kind == TOKEN_ANCHOR) {
        return places;
    }
    struct element e =
        element_of(span_slice(w->core, unit->from, unit->to), (state & caseless) != 0);
    return consume(w, places, &e);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static unsigned walk_repeated(const struct walk *w, const struct token *unit, struct repeat repeat,
                              unsigned places, unsigned state)
{
    unsigned ends = repeat.min == 0 ? places : 0;

    for (unsigned i = 1; i <= repeat.max && (places & (PAST - 1)) != 0; i++) {
        places = walk_unit(w, unit, places, state);
        ends |= i >= repeat.min ? places : places & PAST;
    }
    return ends | (places & PAST);
}

/* "(?i)" and the like: settings for what follows in the group. */
static bool is_setting(struct span core, const struct token *unit)
{
    return unit->kind == TOKEN_OPEN && core.ptr[unit->from + 1] == '?' &&
           memchr(core.ptr + unit->from, ':', unit->to - unit->from) == NULL;
}

static void allow_anything(const struct walk *w)
{
    for (unsigned i = 0; i < FIRST_BYTES; i++) {
        add_range(&w->out->at[i], 0, 255);
    }
}

/* What stands behind "-" is switched off, which would exclude more: not looked at. */
static unsigned with_settings(const struct walk *w, unsigned state, struct span group)
{
    size_t end = 2;

    while (end < group.len && group.ptr[end] != ':' && group.ptr[end] != ')' && group.ptr[end] != '-') {
        end++;
    }
    if (memchr(group.ptr + 2, 'x', end - 2) != NULL) {
        allow_anything(w); /* white space and comments that are not there */
    }
    return memchr(group.ptr + 2, 'i', end - 2) != NULL ? state | caseless : state;
}

/* One character, class or group with its parentheses. */
static struct token unit_at(struct span core, size_t at)
{
    struct token unit = pattern_token(core, at);

    if (unit.kind == TOKEN_OPEN) {
        unit.to = pattern_group_end(core, at);
    }
    if (unit.kind == TOKEN_ATOM && (unsigned char)core.ptr[at] >= 0xc0) {
        while (unit.to < core.len && ((unsigned char)core.ptr[unit.to] & 0xc0) == 0x80) {
            unit.to++;
        }
    }
    return unit;
}

/* The repeats behind a unit; the second of "+?" only says how greedy. */
static struct repeat repeats_at(struct span core, size_t to, size_t *at)
{
    struct repeat repeat = {1, 1};

    for (bool is_first = true; *at < to; is_first = false) {
        struct token next = pattern_token(core, *at);
        if (next.kind != TOKEN_REPEAT) {
            break;
        }
        if (is_first) {
            repeat = repeat_of(span_slice(core, next.from, next.to));
        }
        *at = next.to;
    }
    return repeat;
}

/* The alternatives in [from, to). NOLINTNEXTLINE(misc-no-recursion) */
static unsigned walk_alternatives(const struct walk *w, size_t from, size_t to, unsigned places,
                                  unsigned state)
{
    unsigned ends = 0;
    unsigned now = places;

    for (size_t at = from; at < to;) {
        struct token unit = unit_at(w->core, at);
        at = unit.to;
        if (unit.kind == TOKEN_BAR) {
            ends |= now;
            now = places;
        } else if (is_setting(w->core, &unit)) {
            state = with_settings(w, state, span_slice(w->core, unit.from, unit.to));
        } else {
            struct repeat repeat = repeats_at(w->core, to, &at);
            now = walk_repeated(w, &unit, repeat, now, state);
        }
    }
    return ends | now;
}

/* Past DEPTH_MAX everything is possible, so the recursion ends. NOLINTNEXTLINE(misc-no-recursion) */
static unsigned walk_group(const struct walk *w, size_t from, size_t to, unsigned places,
                           unsigned state)
{
    struct span group = span_slice(w->core, from, to);
    size_t body = 1;

    if ((state & ~caseless) == DEPTH_MAX) {
        allow_anything(w);
        return places | (2 * PAST - 1);
    }
    if (group.len > 2 && group.ptr[1] == '?') {
        const char *colon = memchr(group.ptr, ':', group.len);
        state = with_settings(w, state, group);
        body = colon != NULL ? (size_t)(colon - group.ptr) + 1 : group.len - 1;
    }
    return walk_alternatives(w, from + body, to - 1, places, state + 1);
}

void first_bytes_of(struct span core, struct first_bytes *out)
{
    const struct walk w = {.core = core, .out = out};

    memset(out, 0, sizeof(*out));
    unsigned ends = walk_alternatives(&w, 0, core.len, 1, 0);
    for (unsigned i = 0; i < FIRST_BYTES; i++) {
        for (unsigned k = i; (ends >> i & 1) != 0 && k < FIRST_BYTES; k++) {
            add_range(&out->at[k], 0, 255);
        }
    }
}
