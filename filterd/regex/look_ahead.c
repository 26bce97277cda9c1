#include "regex/look_ahead.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "regex/pattern.h"
#include "regex/trigger.h"

enum {
    CHARACTER_MAX = 4, /* bytes */
    WITHIN_MAX = 8192,
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

/* False at the end, and at what is no atom. */
static bool read_repeated(struct span p, size_t at, bool is_caseless, struct repeated *out)
{
    if (at == p.len || pattern_token(p, at).kind != TOKEN_ATOM) {
        return false;
    }
    const struct token t = pattern_token(p, at);
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
    bool is_caseless; /* a part of it is, at least */
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

/* The first telling element that a look-ahead asks for. */
static void read_look_ahead(struct reader *r, struct span body)
{
    struct ahead found = {.between = {{0}}, .within = r->width};
    struct repeated element;

    if (pattern_branch_end(body, 0) != body.len) {
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

/* The most bytes that a group has, or WITHIN_MAX. */
static uint32_t group_width(struct span group)
{
    struct buf core CLEANUP(buf_deinit);
    struct error err;

    buf_init(&core, CORE_MAX);
    uint32_t width = trigger_core(group, &core, &err) ? trigger_max_width(buf_span(&core)) : WITHIN_MAX;
    return width < WITHIN_MAX / CHARACTER_MAX ? width * CHARACTER_MAX : WITHIN_MAX; /* flags around it are not known here */
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
    const uint64_t width = (uint64_t)group_width(group) * max;
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

/* Whether spaces and comments may be none of it. */
static bool is_extended(struct span p)
{
    for (size_t at = 0; at + 2 < p.len; at++) {
        size_t end = at + 2;
        while (p.ptr[at] == '(' && p.ptr[at + 1] == '?' && end < p.len && ascii_is(p.ptr[end], ASCII_LETTER)) {
            if (p.ptr[end++] == 'x') {
                return true;
            }
        }
    }
    return false;
}

size_t look_ahead_bytes(struct span pattern, struct ahead out[AHEAD_MAX])
{
    struct reader r = {.pattern = pattern, .is_caseless = memmem(pattern.ptr, pattern.len, "(?i", 3) != NULL, .out = out};

    if (pattern_branch_end(pattern, 0) != pattern.len || is_extended(pattern)) {
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
