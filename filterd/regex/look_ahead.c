#include "regex/look_ahead.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "regex/pattern.h"
#include "regex/trigger.h"

enum {
    CHARACTER_MAX = 4, /* bytes */
    WITHIN_MAX = 1 << 16,
    NEAR_MAX = 64, /* bytes: nearer ones are the automaton's, but for those of look-aheads */
    CORE_MAX = 64 * 1024,
};

/* One element of a pattern and how often it may stand. */
struct repeated {
    struct element element;
    uint32_t min, max; /* WITHIN_MAX: as often as it goes on */
    size_t to;         /* behind it */
};

static uint32_t read_number(struct span text, size_t *at)
{
    uint32_t n = 0;

    for (; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; (*at)++) {
        n = n < WITHIN_MAX ? n * 10 + (uint32_t)(text.ptr[*at] - '0') : WITHIN_MAX;
    }
    return n < WITHIN_MAX ? n : WITHIN_MAX;
}

/* The repeats behind an atom or a group that ends at `at`; the second one of "+?" says only how greedy it is. */
static size_t read_repeat(struct span p, size_t at, uint32_t *min, uint32_t *max)
{
    *min = *max = 1;
    if (at == p.len || pattern_token(p, at).kind != TOKEN_REPEAT) {
        return at;
    }
    const struct token t = pattern_token(p, at);
    const struct span repeat = span_slice(p, t.from, t.to);
    if (repeat.ptr[0] == '{') {
        size_t i = 1;
        *min = read_number(repeat, &i);
        bool is_exact = repeat.ptr[i] == '}';
        i++;
        *max = is_exact ? *min : i + 1 < repeat.len ? read_number(repeat, &i) : WITHIN_MAX;
    } else {
        *min = repeat.ptr[0] == '+';
        *max = repeat.ptr[0] == '?' ? 1 : WITHIN_MAX;
    }
    for (at = t.to; at < p.len && pattern_token(p, at).kind == TOKEN_REPEAT;) {
        at = pattern_token(p, at).to;
    }
    return at;
}

/* It has as many characters as a group. */
static bool is_back_reference(struct span atom)
{
    return atom.len > 1 && atom.ptr[0] == '\\' && (atom.ptr[1] == 'k' || atom.ptr[1] == 'g' || ascii_is_digit(atom.ptr[1]));
}

/* False at the end, and at what is no character. */
static bool read_repeated(struct span p, size_t at, bool is_caseless, struct repeated *out)
{
    if (at == p.len || pattern_token(p, at).kind != TOKEN_ATOM) {
        return false;
    }
    const struct token t = pattern_token(p, at);
    if (is_back_reference(span_slice(p, t.from, t.to))) {
        return false;
    }
    out->element = element_of(span_slice(p, t.from, t.to), is_caseless);
    out->to = read_repeat(p, t.to, &out->min, &out->max);
    return true;
}

/* Small letters and spaces are nearly everywhere. */
static bool is_telling(const struct element *e)
{
    bool is_rare = !e->is_wide && !byte_set_has(&e->ascii, ' ');

    for (char c = 'a'; c <= 'z'; c++) {
        is_rare = is_rare && !byte_set_has(&e->ascii, (unsigned char)c);
    }
    return is_rare;
}

static uint32_t bytes_of(const struct repeated *r)
{
    return r->max * (r->element.is_wide ? CHARACTER_MAX : 1U);
}

struct reader {
    struct span pattern;
    bool is_caseless; /* from some place on, at least; in a group alone does not count, as no atom of one is read */
    struct ahead *out;
    size_t at, n;
    uint32_t width; /* the most bytes before `at` */
};

static const struct byte_set any = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

static void add(struct reader *r, const struct ahead *found)
{
    if (r->n < AHEAD_MAX && found->within < WITHIN_MAX) {
        r->out[r->n++] = *found;
    }
}

/* One of several characters, or the end of a line. */
static void read_alternatives(struct reader *r, struct span body)
{
    struct ahead found = {.between = any, .within = r->width};
    struct repeated one;

    for (size_t from = 0, to; from <= body.len; from = to + 1) {
        to = pattern_branch_end(body, from);
        const struct span alternative = span_slice(body, from, to);
        if (span_is(alternative, "$")) {
            found.or_end = true;
            byte_set_add(&found.wanted, '\n');
        } else if (read_repeated(alternative, 0, r->is_caseless, &one) && one.min > 0) {
            byte_set_add_all(&found.wanted, &one.element.ascii);
            byte_set_add_range(&found.wanted, one.element.is_wide ? 0x80 : UINT8_MAX + 1, UINT8_MAX);
        } else {
            return;
        }
    }
    if (r->width > NEAR_MAX) {
        add(r, &found);
    }
}

/* The first telling element that a look-ahead asks for. */
static void read_look_ahead(struct reader *r, struct span body)
{
    struct ahead found = {.between = {{0}}, .within = r->width};
    struct repeated element;

    if (pattern_branch_end(body, 0) != body.len) {
        read_alternatives(r, body);
        return;
    }
    for (size_t at = 0; found.within < WITHIN_MAX && read_repeated(body, at, r->is_caseless, &element); at = element.to) {
        if (element.min > 0 && is_telling(&element.element)) {
            found.wanted = element.element.ascii;
            found.between = r->width == 0 ? found.between : any;
            add(r, &found);
            return;
        }
        byte_set_add_all(&found.between, element.element.is_wide ? &any : &element.element.ascii);
        found.within += bytes_of(&element);
    }
}

/* Whether a flag is set for what is behind it, or in front of a colon for a group; `end` NUL: either. */
static bool has_flag(struct span p, char flag, char end)
{
    for (size_t at = 0; at + 2 < p.len; at++) {
        size_t to = at + 2;
        bool is_set = false;
        while (p.ptr[at] == '(' && p.ptr[at + 1] == '?' && to < p.len && (ascii_is(p.ptr[to], ASCII_LETTER) || p.ptr[to] == '-')) {
            is_set = is_set || p.ptr[to] == flag;
            to++;
        }
        if (is_set && to < p.len && (end == '\0' || p.ptr[to] == end)) {
            return true;
        }
    }
    return false;
}

/* The most bytes that a group has, or WITHIN_MAX. */
static uint32_t group_width(const struct reader *r, struct span group)
{
    struct buf core CLEANUP(buf_deinit);
    struct error err;

    buf_init(&core, CORE_MAX);
    uint32_t width = trigger_core(group, &core, &err) ? trigger_max_width(buf_span(&core)) : WITHIN_MAX;
    /* Flags set in front of the group are not seen in it. */
    return width < WITHIN_MAX / CHARACTER_MAX ? width * (r->is_caseless ? CHARACTER_MAX : 1U) : WITHIN_MAX;
}

/* What is in a group that is (?: or (?<name>; nothing of another. */
static struct span plain_body(struct span group)
{
    const char *name_end = memchr(group.ptr, '>', group.len);
    const bool is_named = span_starts_with(group, span_str("(?<")) && ascii_is(group.ptr[3], ASCII_LETTER) && name_end != NULL;

    if (is_named) {
        return span_slice(group, (size_t)(name_end + 1 - group.ptr), group.len - 1);
    }
    return span_starts_with(group, span_str("(?:")) ? span_slice(group, 3, group.len - 1) : (struct span){0};
}

/* The look-aheads that a group begins with, if it has no alternatives, ask the same of what it begins with. */
static void read_first_look_aheads(struct reader *r, struct span group)
{
    const struct span body = plain_body(group);

    for (size_t at = 0, end; pattern_branch_end(body, 0) == body.len && at < body.len && body.ptr[at] == '('; at = end) {
        end = pattern_group_end(body, at);
        const struct span look_around = span_slice(body, at, end);
        if (span_starts_with(look_around, span_str("(?="))) {
            read_look_ahead(r, span_slice(look_around, 3, look_around.len - 1));
        } else if (!span_starts_with(look_around, span_str("(?!"))) {
            return;
        }
    }
}

static void read_group(struct reader *r)
{
    const size_t end = pattern_group_end(r->pattern, r->at);
    const struct span group = span_slice(r->pattern, r->at, end);
    uint32_t min, max;

    r->at = read_repeat(r->pattern, end, &min, &max);
    if (span_starts_with(group, span_str("(?="))) {
        if (min > 0) {
            read_look_ahead(r, span_slice(group, 3, group.len - 1));
        }
        return;
    }
    if (min > 0) {
        read_first_look_aheads(r, group);
    }
    const bool is_reference = span_starts_with(group, span_str("(?P="));
    const uint64_t width = is_reference ? WITHIN_MAX : (uint64_t)group_width(r, group) * max;
    r->width = width < WITHIN_MAX - r->width ? r->width + (uint32_t)width : WITHIN_MAX;
}

static void read_atom(struct reader *r)
{
    struct repeated atom;

    if (!read_repeated(r->pattern, r->at, r->is_caseless, &atom)) {
        r->width = WITHIN_MAX;
        return;
    }
    if (atom.min > 0 && r->width > NEAR_MAX && is_telling(&atom.element)) {
        add(r, &(struct ahead){.wanted = atom.element.ascii, .between = any, .within = r->width});
    }
    const uint32_t width = bytes_of(&atom);
    r->at = atom.to;
    r->width = width < WITHIN_MAX - r->width ? r->width + width : WITHIN_MAX;
}

size_t look_ahead_bytes(struct span pattern, struct ahead out[AHEAD_MAX])
{
    struct reader r = {.pattern = pattern, .is_caseless = has_flag(pattern, 'i', ')'), .out = out};

    if (pattern_branch_end(pattern, 0) != pattern.len || has_flag(pattern, 'x', '\0')) { /* spaces and comments are none of it */
        return 0;
    }
    while (r.at < pattern.len && r.width < WITHIN_MAX && r.n < AHEAD_MAX) {
        const struct token t = pattern_token(pattern, r.at);
        if (t.kind == TOKEN_OPEN) {
            read_group(&r);
        } else if (t.kind == TOKEN_ATOM) {
            read_atom(&r);
        } else {
            r.at = t.to;
        }
    }
    return r.n;
}
