/* class_runs.c - which bytes are in a class as bits, and rows of bits.
 *
 * Invariants:
 *   - Bit i of a row of n says that bits i - n + 1 to i are set, those of the 64 bytes before included; n is at most 64, so no
 *     more of the text is needed. Bits behind the text's end are dropped.
 *   - The items are sorted by gate, then by class. */
#include "regex/class_runs.h"

#include <limits.h>

#include "regex/pattern.h"

enum {
    LITERAL_MAX = 1, /* in a row */
    CHOICE_MAX = 4,  /* characters of a class that is nearly a literal */
    CHOICES_MAX = 2, /* of those in a row */
};

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

static int characters_of(const struct byte_set *set)
{
    return __builtin_popcountll(set->bits[0]) + __builtin_popcountll(set->bits[1]);
}

/* Literal characters one behind another are found by Hyperscan as fast, and so are those of small classes: \$[89]\$ are two texts. */
static bool read_parts(struct span expression, struct class_run *run)
{
    unsigned n_literal = 0, n_choices = 0;

    for (size_t at = 0; at < expression.len; run->n_parts++) {
        struct class_part *part = &run->parts[run->n_parts];
        if (run->n_parts == CLASS_PARTS_MAX || !read_part(expression, &at, part)) {
            return false;
        }
        n_literal = characters_of(&part->set) == 1 ? n_literal + part->n : 0;
        n_choices = characters_of(&part->set) <= CHOICE_MAX && part->n < CLASS_RUN_MIN ? n_choices + part->n : 0;
        if (n_literal > LITERAL_MAX || n_choices > CHOICES_MAX) {
            return false;
        }
        if (part->n > run->n) {
            run->n = part->n;
            run->before = run->width;
            run->row_part = run->n_parts;
            run->class.set = part->set;
        }
        run->width += part->n;
    }
    return run->n >= CLASS_RUN_MIN;
}

/* What else than the row is asked for first: in a long text of the row's characters alone that is what is missing. */
static void find_rare_part(struct class_run *run)
{
    int fewest = INT_MAX;
    unsigned before = 0;

    run->rare_part = run->row_part;
    run->before_rare = run->before;
    for (unsigned i = 0; i < run->n_parts; i++) {
        if (i != run->row_part && characters_of(&run->parts[i].set) < fewest) {
            fewest = characters_of(&run->parts[i].set);
            run->rare_part = i;
            run->before_rare = before;
        }
        before += run->parts[i].n;
    }
}

/* Characters that few words of prose are made of first. */
static unsigned gate_of(const struct byte_set *set)
{
    struct byte_set few = {{0}}, both = *set;

    byte_set_add_range(&few, '0', '9');
    byte_set_add_range(&few, 'A', 'Z');
    byte_set_add_range(&few, 'a', 'f');
    byte_set_add_all(&both, &few);
    return byte_set_equal(&both, &few) ? 0 : 1;
}

/* Beside those of the same class. */
static void insert(struct class_runs *runs, const struct class_run *run, unsigned gate)
{
    struct class_gate *g = &runs->gates[gate];
    size_t at = g->to;

    for (size_t i = g->from; i < g->to; i++) {
        at = byte_set_equal(&runs->items[i].class.set, &run->class.set) ? i + 1 : at;
    }
    memmove(&runs->items[at + 1], &runs->items[at], (runs->n - at) * sizeof(*run));
    runs->items[at] = *run;
    runs->n++;
    g->to++;
    g->n = g->n == 0 || run->n < g->n ? run->n : g->n;
    g->row = byte_row_of(g->n);
    for (unsigned i = gate + 1; i < CLASS_GATES; i++) {
        runs->gates[i].from++;
        runs->gates[i].to++;
    }
}

bool class_runs_take(struct class_runs *runs, struct span expression, uint32_t id)
{
    struct class_run run = {.id = id};

    if (runs->n == CLASS_RUNS_MAX || !read_parts(expression, &run) || !byte_class_make(&run.class.set, &run.class)) {
        return false;
    }
    unsigned gate = gate_of(&run.class.set);
    struct byte_set all = runs->gates[gate].class.set;
    byte_set_add_all(&all, &run.class.set);
    if (!byte_class_make(&all, &runs->gates[gate].class)) {
        return false;
    }
    find_rare_part(&run);
    run.lookup = byte_lookup_of(&run.class.set);
    run.row = byte_row_of(run.n);
    runs->gates[gate].lookup = byte_lookup_of(&all);
    insert(runs, &run, gate);
    return true;
}

/* --- searching -------------------------------------------------------------------- */

typedef uint64_t bits_fn(const struct byte_class *class, const struct byte_lookup *lookup, const char bytes[BYTE_CLASS_STEP]);

struct search {
    const struct class_runs *runs;
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
    if (!byte_set_has(&run->parts[run->rare_part].set, (unsigned char)s->text.ptr[at + run->before_rare])) {
        return false;
    }
    for (unsigned i = 0; i < run->n_parts; i++) {
        for (unsigned k = 0; k < run->parts[i].n; k++, at++) {
            if (!byte_set_has(&run->parts[i].set, (unsigned char)s->text.ptr[at])) {
                return false;
            }
        }
    }
    return true;
}

/* Matches of a row with parts around it: each by itself. */
static bool search_parts(const struct search *s, const struct class_run *run, size_t at, uint64_t ends)
{
    for (; ends != 0; ends &= ends - 1) {
        size_t row_end = at + (size_t)__builtin_ctzll(ends) + 1, end;
        if (is_whole(s, run, row_end, &end) && !s->found(s->context, run->id, (uint32_t)end, (uint32_t)end)) {
            return false;
        }
    }
    return true;
}

/* Matches of a row alone: in a long one each byte ends one, and they are found together. */
static bool search_row(const struct search *s, const struct class_run *run, size_t at, uint64_t ends)
{
    while (ends != 0) {
        unsigned first = (unsigned)__builtin_ctzll(ends);
        uint64_t behind = ~ends & UINT64_MAX << first; /* what is no end, behind the first */
        unsigned next = behind == 0 ? BYTE_CLASS_STEP : (unsigned)__builtin_ctzll(behind);
        if (!s->found(s->context, run->id, (uint32_t)(at + first + 1), (uint32_t)(at + next))) {
            return false;
        }
        ends = behind == 0 ? 0 : ends & UINT64_MAX << next;
    }
    return true;
}

/* Matches of the gate's items whose rows end in the 64 bytes at `at`; `last` are the 64 before. */
__attribute__((always_inline)) static inline bool search_gate(const struct search *s, const struct class_gate *gate,
                                                              const char *last, const char *bytes, size_t at,
                                                              bits_fn *bits_of)
{
    uint64_t bits = 0, before = 0;
    const struct byte_set *of = NULL;

    for (size_t i = gate->from; i < gate->to; i++) {
        const struct class_run *run = &s->runs->items[i];
        if (of == NULL || !byte_set_equal(of, &run->class.set)) {
            of = &run->class.set;
            bits = bits_of(&run->class, &run->lookup, bytes);
            before = (bits & 1) != 0 ? bits_of(&run->class, &run->lookup, last) : 0; /* else no row goes on from there */
        }
        uint64_t ends = byte_rows(bits, before, &run->row);
        ends &= s->text.len - at < BYTE_CLASS_STEP ? ((uint64_t)1 << (s->text.len - at)) - 1 : UINT64_MAX;
        if (ends != 0 && !(run->n_parts == 1 ? search_row(s, run, at, ends) : search_parts(s, run, at, ends))) {
            return false;
        }
    }
    return true;
}

/* Inlined into its callers, to be compiled for their processors. */
__attribute__((always_inline)) static inline bool search_all(const struct search *s, bits_fn *bits_of)
{
    const struct class_gate *gates = s->runs->gates;
    const char rest[BYTE_CLASS_STEP] = {0};
    char end[BYTE_CLASS_STEP] = {0};
    const char *last = rest;
    uint64_t before[CLASS_GATES] = {0};

    for (size_t at = 0; at < s->text.len; at += BYTE_CLASS_STEP) {
        const char *bytes = s->text.ptr + at;
        if (s->text.len - at < BYTE_CLASS_STEP) {
            memcpy(end, bytes, s->text.len - at);
            bytes = end;
        }
        for (unsigned i = 0; i < CLASS_GATES; i++) {
            uint64_t bits = bits_of(&gates[i].class, &gates[i].lookup, bytes);
            bool has_row = byte_rows(bits, before[i], &gates[i].row) != 0;
            before[i] = bits;
            if (has_row && !search_gate(s, &gates[i], last, bytes, at, bits_of)) {
                return false;
            }
        }
        last = bytes;
    }
    return true;
}

static inline uint64_t bits_of_class(const struct byte_class *class, const struct byte_lookup *lookup, const char bytes[BYTE_CLASS_STEP])
{
    (void)lookup;
    return byte_class_bits(class, bytes);
}

static bool search_plainly(const struct search *s)
{
    return search_all(s, bits_of_class);
}

#ifdef __x86_64__
BYTE_LOOKUP_WIDE static inline uint64_t bits_of_lookup(const struct byte_class *class, const struct byte_lookup *lookup,
                                                       const char bytes[BYTE_CLASS_STEP])
{
    (void)class;
    return byte_lookup_ascii_bits(lookup, bytes);
}

BYTE_LOOKUP_WIDE static bool search_widely(const struct search *s)
{
    return search_all(s, bits_of_lookup);
}
#endif

bool class_runs_scan(const struct class_runs *runs, struct span text, class_run_found_fn *found, void *context)
{
    const struct search s = {.runs = runs, .text = text, .found = found, .context = context};

    if (runs->n == 0) {
        return true;
    }
#ifdef __x86_64__
    if (byte_lookup_is_possible()) {
        return search_widely(&s);
    }
#endif
    return search_plainly(&s);
}
