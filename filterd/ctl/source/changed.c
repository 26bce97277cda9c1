#include "ctl/source/changed.h"

#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>

#include "text/vector.h"

enum { STEP = 64 }; /* bytes compared at once */

/* Pairs of lines of the old version, by keyed hashes: the author of a text cannot make a line that is taken for another. */
struct pairs {
    uint8_t key[crypto_shorthash_KEYBYTES];
    uint64_t *slots; /* 0: free */
    size_t n_slots;
};

static uint64_t hash_line(const struct pairs *p, struct span line)
{
    uint64_t hash;

    (void)crypto_shorthash((unsigned char *)&hash, (const unsigned char *)line.ptr, line.len, p->key);
    return hash;
}

static uint64_t pair_of(uint64_t before, uint64_t line)
{
    uint64_t pair = (before << 1 | before >> 63) + line;

    return pair != 0 ? pair : 1;
}

/* With its newline. */
static struct span next_line(struct span text, size_t at)
{
    const char *end = memchr(text.ptr + at, '\n', text.len - at);

    return span_slice(text, at, end != NULL ? (size_t)(end - text.ptr) + 1 : text.len);
}

/* The last one may have no newline. */
static size_t count_lines(struct span text)
{
    size_t n = text.len > 0 && text.ptr[text.len - 1] != '\n' ? 1 : 0, at = 0;

    for (; text.len - at >= VECTOR_SIZE; at += VECTOR_SIZE) {
        n += (size_t)__builtin_popcount(vector_top_bits(vector_is(vector_load(text.ptr + at), '\n')));
    }
    for (; at < text.len; at++) {
        n += text.ptr[at] == '\n';
    }
    return n;
}

/* The beginning of the line that `at` is in, or of the one before when it is a beginning. */
static size_t line_before(struct span text, size_t at)
{
    const char *newline = at > 1 ? memrchr(text.ptr, '\n', at - 1) : NULL;

    return newline != NULL ? (size_t)(newline - text.ptr) + 1 : 0;
}

static size_t find_slot(const struct pairs *p, uint64_t pair)
{
    size_t at = pair & (p->n_slots - 1);

    while (p->slots[at] != 0 && p->slots[at] != pair) {
        at = (at + 1) & (p->n_slots - 1);
    }
    return at;
}

/* The pairs of old[from, to), the first of them with the line in front. */
static bool pairs_read(struct pairs *p, struct span old, size_t from, size_t to, struct error *err)
{
    size_t lines = 1 + (from < to ? count_lines(span_slice(old, from, to)) : 0);

    randombytes_buf(p->key, sizeof(p->key));
    for (p->n_slots = 16; p->n_slots < 2 * lines;) {
        p->n_slots *= 2;
    }
    p->slots = calloc(p->n_slots, sizeof(*p->slots));
    if (p->slots == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "lines: no memory");
    }
    uint64_t before = from > 0 ? hash_line(p, next_line(old, line_before(old, from))) : 0;
    for (size_t at = from; at < to;) {
        struct span line = next_line(old, at);
        uint64_t hash = hash_line(p, line);
        uint64_t pair = pair_of(before, hash);
        p->slots[find_slot(p, pair)] = pair;
        before = hash;
        at += line.len;
    }
    return true;
}

/* --- parts ------------------------------------------------------------------ */

struct context {
    size_t judged, reported;
};

static const struct context near_context = {CHANGED_NEAR, CHANGED_NEAR}, wide_context = {CHANGED_CONTEXT, CHANGED_REPORTED};

static size_t back(struct span text, size_t at, size_t by)
{
    return at <= by ? 0 : line_before(text, at - by + 1);
}

static size_t forth(struct span text, size_t at, size_t by)
{
    size_t to = at + by;

    return to >= text.len ? text.len : to + next_line(text, to).len;
}

/* A run of base64 or hexadecimal that is no word, or mostly digits as dumps have them. */
static bool is_data_line(struct span line)
{
    enum { RUN_MIN = 24 };
    size_t run = 0, digits = 0, others = 0;

    for (size_t i = 0; i < line.len; i++) {
        unsigned c = (unsigned char)line.ptr[i], lower = c | 0x20;
        bool is_digit = c - '0' < 10U, is_letter = lower - 'a' < 26U;
        run = is_digit || is_letter || c == '+' || c == '/' || c == '=' ? run + 1 : 0;
        if (run == RUN_MIN) {
            return true;
        }
        digits += is_digit || lower - 'a' < 6U;
        others += is_letter && lower - 'a' >= 6U;
    }
    return digits > 2 * others + 8;
}

/* Over lines of encoded data, and the line in front of them, which says what they are. */
static size_t back_over_data(struct span text, size_t at)
{
    size_t least = at > CHANGED_DATA ? at - CHANGED_DATA : 0, start = at;

    while (at > least) {
        size_t from = line_before(text, at);
        if (!is_data_line(span_slice(text, from, at))) {
            return at < start ? from : at;
        }
        at = from;
    }
    return at;
}

/* Likewise, with the line behind them. */
static size_t forth_over_data(struct span text, size_t at)
{
    size_t most = text.len - at > CHANGED_DATA ? at + CHANGED_DATA : text.len, start = at;

    while (at < most) {
        struct span line = next_line(text, at);
        if (!is_data_line(line)) {
            return at > start ? at + line.len : at;
        }
        at += line.len;
    }
    return at;
}

/* [from, to) is changed, or lines went between the two; it grows the last part where they overlap. */
static bool add(struct changed *c, struct span text, size_t from, size_t to, const struct context *context, struct error *err)
{
    struct changed_part part = {.changed_from = from, .changed_to = to,
                                .from = back_over_data(text, back(text, from, context->judged)),
                                .to = forth_over_data(text, forth(text, to, context->judged)),
                                .reported_from = back(text, from, context->reported),
                                .reported_to = forth(text, to, context->reported)};

    if (c->n > 0 && part.from <= c->parts[c->n - 1].to) {
        struct changed_part *last = &c->parts[c->n - 1];
        last->changed_to = to;
        last->to = part.to > last->to ? part.to : last->to;
        last->reported_to = part.reported_to;
        return true;
    }
    if (c->n == c->max) {
        size_t max = c->max == 0 ? 8 : c->max * 2;
        struct changed_part *parts = reallocarray(c->parts, max, sizeof(*parts));
        if (parts == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "lines: no memory");
        }
        c->parts = parts;
        c->max = max;
    }
    c->parts[c->n++] = part;
    return true;
}

void changed_number(struct changed *c, struct span text)
{
    size_t at = 0, line = 1;

    for (size_t i = 0; i < c->n; i++) {
        line += count_lines(span_slice(text, at, c->parts[i].from));
        c->parts[i].first_line = line;
        at = c->parts[i].from;
    }
}

bool changed_widen(struct changed *wide, struct span text, const struct changed_part *near, struct error *err)
{
    return add(wide, text, line_before(text, near->changed_from), forth(text, near->changed_to, 0), &wide_context, err);
}

/* --- what is changed -------------------------------------------------------- */

static size_t same_front(const char *a, const char *b, size_t len)
{
    size_t n = 0;

    while (len - n >= STEP && memcmp(a + n, b + n, STEP) == 0) {
        n += STEP;
    }
    while (n < len && a[n] == b[n]) {
        n++;
    }
    return n;
}

/* Of what ends at a and b. */
static size_t same_end(const char *a, const char *b, size_t len)
{
    size_t n = 0;

    while (len - n >= STEP && memcmp(a - n - STEP, b - n - STEP, STEP) == 0) {
        n += STEP;
    }
    while (n < len && a[-(ptrdiff_t)n - 1] == b[-(ptrdiff_t)n - 1]) {
        n++;
    }
    return n;
}

/* How much of both is the same at the front, and from there on at the end: whole lines. */
static void trim(struct span old, struct span text, size_t *front, size_t *end)
{
    size_t least = old.len < text.len ? old.len : text.len;
    size_t n = same_front(old.ptr, text.ptr, least);

    while (n > 0 && text.ptr[n - 1] != '\n') {
        n--;
    }
    *front = n;
    n = same_end(old.ptr + old.len, text.ptr + text.len, least - n);
    const char *newline = n > 0 ? memchr(text.ptr + text.len - n, '\n', n) : NULL;
    *end = newline != NULL ? n - (size_t)(newline + 1 - (text.ptr + text.len - n)) : 0;
}

bool changed_find(struct changed *c, struct span old, struct span text, struct error *err)
{
    struct pairs pairs = {0};
    size_t front, end;

    *c = (struct changed){0};
    trim(old, text, &front, &end);
    if (front == text.len && front == old.len) {
        return true;
    }
    if (!pairs_read(&pairs, old, front, old.len - end, err)) {
        return false;
    }
    uint64_t before = front > 0 ? hash_line(&pairs, next_line(text, line_before(text, front))) : 0;
    size_t tail = text.len - end, from = tail, to = tail;
    bool is_ok = true, is_in_change = false;
    for (size_t at = front; is_ok && at < tail;) {
        struct span line = next_line(text, at);
        uint64_t hash = hash_line(&pairs, line);
        bool is_new_pair = pairs.slots[find_slot(&pairs, pair_of(before, hash))] == 0;
        if (is_new_pair) {
            from = is_in_change ? from : at;
            to = at;
        } else if (is_in_change) {
            is_ok = add(c, text, from, to, &near_context, err);
        }
        is_in_change = is_new_pair;
        before = hash;
        at += line.len;
    }
    /* The line at the tail may have another one in front of it than before. */
    is_ok = is_ok && add(c, text, is_in_change ? from : tail, tail, &near_context, err);
    free(pairs.slots);
    return is_ok;
}

void changed_deinit(struct changed *c)
{
    free(c->parts);
    *c = (struct changed){0};
}
