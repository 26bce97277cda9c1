/* class_runs.c - which bytes are in a class as bits, and rows of bits by doubling.
 *
 * Invariants:
 *   - Bit i of a row of n says that bits i - n + 1 to i are set, those of the 64 bytes before included; n is at most 64, so no
 *     more of the text is needed. Bits behind the text's end are dropped.
 *   - `any_long` holds every byte of the classes of long rows, so where it has no row of LONG none of them has one. */
#include "regex/class_runs.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "regex/pattern.h"

enum { STEP = 64, LONG = 12, LITERAL_MAX = 1 };

/* --- reading an expression -------------------------------------------------------- */

/* {n}, or nothing: 1. False when it is another repeat. */
static bool read_count(struct span repeat, unsigned *n)
{
    *n = repeat.len == 0;
    if (repeat.len == 0) {
        return true;
    }
    if (repeat.len < 3 || repeat.ptr[0] != '{' || repeat.ptr[repeat.len - 1] != '}') {
        return false;
    }
    for (size_t i = 1; i + 1 < repeat.len; i++) {
        if (repeat.ptr[i] < '0' || repeat.ptr[i] > '9' || *n > CLASS_RUN_MAX) {
            return false;
        }
        *n = *n * 10 + (unsigned)(repeat.ptr[i] - '0');
    }
    return *n > 0 && *n <= CLASS_RUN_MAX;
}

/* The part at *at; *at is behind it afterwards. */
static bool read_part(struct span expression, size_t *at, struct class_part *part)
{
    struct token atom = pattern_token(expression, *at);
    size_t end = atom.to;

    if (end < expression.len && pattern_token(expression, end).kind == TOKEN_REPEAT) {
        end = pattern_token(expression, end).to;
    }
    if (atom.kind != TOKEN_ATOM || (end < expression.len && pattern_token(expression, end).kind == TOKEN_REPEAT)) {
        return false;
    }
    *at = end;
    struct element element = element_of(span_slice(expression, atom.from, atom.to), false);
    part->set = element.ascii;
    return !element.is_wide && !element.is_loose && read_count(span_slice(expression, atom.to, end), &part->n);
}

static bool is_single(const struct byte_set *set)
{
    return __builtin_popcountll(set->bits[0]) + __builtin_popcountll(set->bits[1]) == 1;
}

/* Literal characters one behind another are found by Hyperscan as fast. */
static bool read_parts(struct span expression, struct class_run *run)
{
    unsigned n_literal = 0;

    for (size_t at = 0; at < expression.len; run->n_parts++) {
        struct class_part *part = &run->parts[run->n_parts];
        if (run->n_parts == CLASS_PARTS_MAX || !read_part(expression, &at, part)) {
            return false;
        }
        n_literal = is_single(&part->set) ? n_literal + part->n : 0;
        if (n_literal > LITERAL_MAX) {
            return false;
        }
        if (part->n > run->n) {
            run->n = part->n;
            run->before = run->width;
            run->class.set = part->set;
        }
        run->width += part->n;
    }
    return run->n >= CLASS_RUN_MIN;
}

static bool make_ranges(struct byte_class *class)
{
    class->n_ranges = 0;
    for (unsigned from = 0, to; from < 0x80; from = to + 1) {
        for (to = from; to < 0x80 && byte_set_has(&class->set, (unsigned char)to); to++) {
        }
        if (to == from) {
            continue;
        }
        if (class->n_ranges == CLASS_RANGES_MAX) {
            return false;
        }
        class->ranges[class->n_ranges++] =
            (struct class_range){.from = vector_of((uint8_t)from), .width = vector_of((uint8_t)(to - 1 - from))};
    }
    return class->n_ranges > 0;
}

static bool same_set(const struct byte_set *a, const struct byte_set *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Beside those of the same class. */
static void insert(struct class_runs *runs, const struct class_run *run)
{
    size_t at = runs->n;

    for (size_t i = 0; i < runs->n; i++) {
        at = same_set(&runs->items[i].class.set, &run->class.set) ? i + 1 : at;
    }
    memmove(&runs->items[at + 1], &runs->items[at], (runs->n - at) * sizeof(*run));
    runs->items[at] = *run;
    runs->n++;
}

bool class_runs_take(struct class_runs *runs, struct span expression, uint32_t id)
{
    struct class_run run = {.id = id};
    struct byte_class any_long = runs->any_long;

    if (runs->n == CLASS_RUNS_MAX || !read_parts(expression, &run) || !make_ranges(&run.class)) {
        return false;
    }
    if (run.n >= LONG) {
        byte_set_add_all(&any_long.set, &run.class.set);
        if (!make_ranges(&any_long)) {
            return false;
        }
    }
    runs->any_long = any_long;
    insert(runs, &run);
    return true;
}

/* --- searching -------------------------------------------------------------------- */

static uint64_t class_bits(const struct byte_class *class, const char bytes[STEP])
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < STEP; i += VECTOR_SIZE) {
        vector_bytes v = vector_load(bytes + i);
        vector_bytes in = {0};
        for (unsigned k = 0; k < class->n_ranges; k++) {
            in |= (vector_bytes)(v - class->ranges[k].from <= class->ranges[k].width);
        }
        bits |= (uint64_t)vector_top_bits(in) << i;
    }
    return bits;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static __m256i lanes_in(const struct byte_class *class, const char *bytes)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    __m256i in = _mm256_setzero_si256();

    for (unsigned k = 0; k < class->n_ranges; k++) {
        __m256i above = _mm256_sub_epi8(v, _mm256_broadcastsi128_si256((__m128i)class->ranges[k].from));
        __m256i width = _mm256_broadcastsi128_si256((__m128i)class->ranges[k].width);
        in = _mm256_or_si256(in, _mm256_cmpeq_epi8(_mm256_min_epu8(above, width), above));
    }
    return in;
}

__attribute__((target("avx2"))) static uint64_t class_bits_wide(const struct byte_class *class, const char bytes[STEP])
{
    uint64_t low = (uint32_t)_mm256_movemask_epi8(lanes_in(class, bytes));
    uint64_t high = (uint32_t)_mm256_movemask_epi8(lanes_in(class, bytes + STEP / 2));

    return low | high << 32;
}
#endif

typedef uint64_t class_bits_fn(const struct byte_class *class, const char bytes[STEP]);

static class_bits_fn *best_class_bits(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") ? class_bits_wide : class_bits;
#else
    return class_bits;
#endif
}

static uint64_t rows_of(uint64_t bits, uint64_t before, unsigned n)
{
    unsigned len = 1;

    while (len < n && bits != 0) {
        unsigned more = n - len < len ? n - len : len;
        bits &= bits << more | before >> (64 - more);
        before &= before << more;
        len += more;
    }
    return bits;
}

struct search {
    const struct class_runs *runs;
    class_bits_fn *class_bits;
    struct span text;
    class_run_found_fn *found;
    void *context;
};

/* Whether the parts stand around the row that ends at `row_end`; *end is where they end. */
static bool is_whole(const struct search *s, const struct class_run *run, size_t row_end, size_t *end)
{
    if (row_end < run->before + run->n || s->text.len - (row_end - run->before - run->n) < run->width) {
        return false;
    }
    size_t at = row_end - run->before - run->n;
    *end = at + run->width;
    for (unsigned i = 0; i < run->n_parts && run->n_parts > 1; i++) {
        for (unsigned k = 0; k < run->parts[i].n; k++, at++) {
            if (!byte_set_has(&run->parts[i].set, (unsigned char)s->text.ptr[at])) {
                return false;
            }
        }
    }
    return true;
}

/* Matches whose rows end in the 64 bytes at `at`; `last` are the 64 before. */
static bool search_step(const struct search *s, const char *last, const char *bytes, size_t at, bool has_long)
{
    const struct class_run *items = s->runs->items;
    uint64_t bits = 0, before = 0;
    const struct byte_class *of = NULL;

    for (size_t i = 0; i < s->runs->n; i++) {
        const struct class_run *run = &items[i];
        if (run->n >= LONG && !has_long) {
            continue;
        }
        if (of == NULL || !same_set(&of->set, &run->class.set)) {
            of = &run->class;
            bits = s->class_bits(of, bytes);
            before = (bits & 1) != 0 ? s->class_bits(of, last) : 0; /* else no row goes on from there */
        }
        for (uint64_t ends = rows_of(bits, before, run->n); ends != 0; ends &= ends - 1) {
            size_t row_end = at + (size_t)__builtin_ctzll(ends) + 1, end;
            if (row_end <= s->text.len && is_whole(s, run, row_end, &end) && !s->found(s->context, run->id, (uint32_t)end)) {
                return false;
            }
        }
    }
    return true;
}

bool class_runs_scan(const struct class_runs *runs, struct span text, class_run_found_fn *found, void *context)
{
    const struct search s = {.runs = runs, .class_bits = best_class_bits(), .text = text, .found = found, .context = context};
    const char rest[STEP] = {0};
    char end[STEP] = {0};
    const char *last = rest;
    uint64_t before = 0;

    for (size_t at = 0; at < text.len && runs->n > 0; at += STEP) {
        const char *bytes = text.ptr + at;
        if (text.len - at < STEP) {
            memcpy(end, bytes, text.len - at);
            bytes = end;
        }
        uint64_t bits = s.class_bits(&runs->any_long, bytes);
        if (!search_step(&s, last, bytes, at, rows_of(bits, before, LONG) != 0)) {
            return false;
        }
        before = bits;
        last = bytes;
    }
    return true;
}
