#include "ctl/source/changed.h"

#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>

#include "ctl/source/same.h"
#include "text/vector.h"

/* A line of the old version behind the one in front of it. */
struct pair {
    uint64_t hash; /* 0: free */
    size_t at;     /* where the second line begins */
};

/* Those of the old version. */
struct pairs {
    struct span old;
    const uint64_t *key;
    struct pair *slots; /* a power of two of them */
    size_t n_slots;
};

static uint64_t load_word(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

/* All bits of both take part in each bit: the product's halves. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_line(const struct pairs *p, struct span line)
{
    enum { WORD = sizeof(uint64_t) };
    char rest[WORD] = {0};
    uint64_t hash = p->key[0] ^ line.len;

    for (; line.len >= WORD; line = span_slice(line, WORD, line.len)) {
        hash = mix(hash ^ load_word(line.ptr), p->key[1]);
    }
    if (line.len > 0) {
        memcpy(rest, line.ptr, line.len);
    }
    return mix(hash ^ load_word(rest), p->key[1]);
}

static uint64_t hash_pair(const struct pairs *p, uint64_t before, uint64_t line)
{
    uint64_t hash = mix(before ^ p->key[0], line ^ p->key[1]);

    return hash != 0 ? hash : 1;
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

/* What is in front of the line at `at`. */
static struct span front_line(struct span text, size_t at)
{
    return at > 0 ? next_line(text, line_before(text, at)) : span_of("", 0);
}

/* The slot of this pair, or the free one for it. */
static struct pair *find_pair(const struct pairs *p, uint64_t hash, struct span before, struct span line)
{
    size_t i = hash & (p->n_slots - 1);

    for (; p->slots[i].hash != 0; i = (i + 1) & (p->n_slots - 1)) {
        const struct pair *pair = &p->slots[i];
        if (pair->hash == hash && span_equal(next_line(p->old, pair->at), line) &&
            span_equal(front_line(p->old, pair->at), before)) {
            break;
        }
    }
    return &p->slots[i];
}

/* The pairs whose second line is in old[from, to). */
static bool pairs_read(struct pairs *p, size_t from, size_t to, struct error *err)
{
    size_t lines = 1 + (from < to ? count_lines(span_slice(p->old, from, to)) : 0);

    for (p->n_slots = 16; p->n_slots < 2 * lines;) {
        p->n_slots *= 2;
    }
    p->slots = calloc(p->n_slots, sizeof(*p->slots));
    if (p->slots == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "lines: no memory");
    }
    struct span before = front_line(p->old, from);
    uint64_t before_hash = hash_line(p, before);
    for (size_t at = from; at < to;) {
        struct span line = next_line(p->old, at);
        uint64_t line_hash = hash_line(p, line), hash = hash_pair(p, before_hash, line_hash);
        *find_pair(p, hash, before, line) = (struct pair){.hash = hash, .at = at};
        before = line;
        before_hash = line_hash;
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

bool changed_near(struct changed *near, struct span text, size_t from, size_t to, struct error *err)
{
    return add(near, text, from, to, &near_context, err);
}

/* --- what is changed -------------------------------------------------------- */

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

/* How much of text[at, to) is what the old version has from `old_at` to `old_to`: whole lines. */
static size_t same_lines(struct span old, size_t old_at, size_t old_to, struct span text, size_t at, size_t to)
{
    size_t least = old_to - old_at < to - at ? old_to - old_at : to - at;
    size_t n = same_front(old.ptr + old_at, text.ptr + at, least);
    const char *newline = n > 0 ? memrchr(text.ptr + at, '\n', n) : NULL;

    return newline != NULL ? (size_t)(newline - (text.ptr + at)) + 1 : 0;
}

/* Adds what is changed in text[front, tail), given the pairs of the old version up to `old_tail`. Behind a pair that is in the old
 * version, both go on together for a while. */
static bool find_parts(struct changed *c, const struct pairs *pairs, size_t old_tail, struct span text, size_t front, size_t tail,
                       struct error *err)
{
    size_t from = tail, to = tail;
    bool is_in_change = false;
    struct span before = front_line(text, front);
    uint64_t before_hash = hash_line(pairs, before);

    for (size_t at = front; at < tail;) {
        struct span line = next_line(text, at);
        uint64_t line_hash = hash_line(pairs, line), hash = hash_pair(pairs, before_hash, line_hash);
        const struct pair *pair = find_pair(pairs, hash, before, line);
        if (pair->hash == 0) {
            from = is_in_change ? from : at;
            to = at;
            is_in_change = true;
            at += line.len;
            before = line;
            before_hash = line_hash;
            continue;
        }
        if (is_in_change && !add(c, text, from, to, &near_context, err)) {
            return false;
        }
        is_in_change = false;
        at += line.len;
        at += same_lines(pairs->old, pair->at + line.len, old_tail, text, at, tail);
        before = front_line(text, at);
        before_hash = hash_line(pairs, before);
    }
    /* The line at the tail may have another one in front of it than before. */
    return add(c, text, is_in_change ? from : tail, tail, &near_context, err);
}

struct changed_key changed_key_new(void)
{
    struct changed_key key;

    randombytes_buf(&key, sizeof(key));
    return key;
}

bool changed_find(struct changed *c, const struct changed_key *key, struct span old, struct span text, struct error *err)
{
    struct pairs pairs = {.old = old, .key = key->words};
    size_t front, end;

    *c = (struct changed){0};
    trim(old, text, &front, &end);
    if (front == text.len && front == old.len) {
        return true;
    }
    bool is_ok = pairs_read(&pairs, front, old.len - end, err) &&
                 find_parts(c, &pairs, old.len - end, text, front, text.len - end, err);
    free(pairs.slots);
    return is_ok;
}

void changed_deinit(struct changed *c)
{
    free(c->parts);
    *c = (struct changed){0};
}
