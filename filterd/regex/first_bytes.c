#include "regex/first_bytes.h"

#include <stdlib.h>

#include "regex/pattern.h"

/* Places are a mask: bit i says that a match may be at its i-th byte, bit n that it is past the n that are looked at. */
enum { DEPTH_MAX = 32 };

struct walk {
    struct span core;
    const struct byte_set *only; /* at the first place */
    unsigned n;
    struct first_bytes *out;
};

static unsigned past(const struct walk *w)
{
    return 1U << w->n;
}

/* A character beyond ASCII at place i: two to four bytes. Returns the places after it. */
static unsigned consume_wide(const struct walk *w, unsigned i)
{
    unsigned next = 0;

    byte_set_add_range(&w->out->at[i], 0xc2, 0xf4);
    for (unsigned k = i + 1; k < i + 4; k++) {
        if (k < w->n) {
            byte_set_add_range(&w->out->at[k], 0x80, 0xbf);
        }
        next |= k + 1 < w->n ? 1U << (k + 1) : past(w);
    }
    return next;
}

/* What may be at the first place has to be one of those asked for. */
static struct element first_of(const struct walk *w, struct element e)
{
    for (unsigned k = 0; k < 2; k++) {
        e.ascii.bits[k] &= w->only->bits[k];
    }
    e.is_wide = e.is_wide && (w->only->bits[2] | w->only->bits[3]) != 0;
    return e;
}

static unsigned consume(const struct walk *w, unsigned places, const struct element *e)
{
    unsigned next = places & past(w);

    for (unsigned i = 0; i < w->n; i++) {
        if ((places >> i & 1) == 0) {
            continue;
        }
        struct element here = i == 0 ? first_of(w, *e) : *e;
        byte_set_add_all(&w->out->at[i], &here.ascii);
        next |= (here.ascii.bits[0] | here.ascii.bits[1]) != 0 ? 1U << (i + 1) : 0U;
        next |= here.is_wide ? consume_wide(w, i) : 0U;
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

/* `state` is the depth, and whether case counts. */
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

    for (unsigned i = 1; i <= repeat.max && (places & (past(w) - 1)) != 0; i++) {
        places = walk_unit(w, unit, places, state);
        ends |= i >= repeat.min ? places : places & past(w);
    }
    return ends | (places & past(w));
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
        byte_set_add_range(&w->out->at[i], 0, 255);
    }
}

/* Options after "-" are switched off, which would exclude more: ignored. */
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

/* The repeats after a unit; the second of "+?" only affects greediness. */
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
        return places | (2 * past(w) - 1);
    }
    if (group.len > 2 && group.ptr[1] == '?') {
        const char *colon = memchr(group.ptr, ':', group.len);
        state = with_settings(w, state, group);
        body = colon != NULL ? (size_t)(colon - group.ptr) + 1 : group.len - 1;
    }
    return walk_alternatives(w, from + body, to - 1, places, state + 1);
}

static void walk_core(const struct walk *w)
{
    memset(w->out, 0, sizeof(*w->out));
    unsigned ends = walk_alternatives(w, 0, w->core.len, 1, 0);
    for (unsigned i = 0; i < w->n; i++) {
        for (unsigned k = i; (ends >> i & 1) != 0 && k < w->n; k++) {
            byte_set_add_range(&w->out->at[k], 0, 255);
        }
    }
    for (unsigned k = 0; k < COUNT(w->only->bits); k++) {
        w->out->at[0].bits[k] &= w->only->bits[k];
    }
}

static const struct byte_set any = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

void first_bytes_from(struct span core, const struct byte_set *only, struct first_bytes *out)
{
    walk_core(&(const struct walk){.core = core, .only = only, .n = FIRST_BYTES, .out = out});
}

void first_bytes_of(struct span core, struct first_bytes *out)
{
    first_bytes_from(core, &any, out);
}

void first_bytes_some(struct span core, unsigned n, struct first_bytes *out)
{
    walk_core(&(const struct walk){.core = core, .only = &any, .n = n, .out = out});
    for (unsigned i = n; i < FIRST_BYTES; i++) {
        out->at[i] = any;
    }
}
