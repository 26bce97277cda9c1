/* stretches.c - places by the bits of 64 bytes: rows, and bytes apart by their last few offsets.
 *
 * Invariants:
 *   - A place begins at the first of its bytes, or before, and ends at the last, or behind: what is found of one step is one place.
 *   - Bits behind the text's end are dropped.
 *   - The stretch at hand goes on while the next place touches it; it is told when the next one does not, or the text ends. */
#include "regex/stretches.h"

_Static_assert((int)BYTE_LOOKUP_STEP == (int)BYTE_CLASS_STEP, "either finds the bits of one step");
_Static_assert((REQUIREMENT_BYTES_MAX & (REQUIREMENT_BYTES_MAX - 1)) == 0, "a place in the ring is a mask");

bool stretches_add(struct stretches *s, const struct requirement *required, uint32_t reach)
{
    struct stretch_gate gate = {.n = required->n, .within = required->within, .reach = reach};

    if (s->n == STRETCH_GATES_MAX || required->n == 0 || required->n > REQUIREMENT_BYTES_MAX ||
        required->within > BYTE_CLASS_STEP || !byte_class_make(&required->class, &gate.class)) {
        return false;
    }
    gate.shares_bits = s->n > 0 && byte_set_equal(&gate.class.set, &s->gates[s->n - 1].class.set);
    gate.lookup = byte_lookup_of(&required->class);
    gate.row = byte_row_of(required->n);
    s->gates[s->n++] = gate;
    return true;
}

/* Of one gate. */
struct progress {
    size_t from, to; /* the stretch at hand; to 0: none */
    uint64_t before; /* the bits of the step before */
};

struct search {
    const struct stretches *stretches;
    struct span text;
    stretch_found_fn *found;
    void *context;
    struct progress gates[STRETCH_GATES_MAX];
};

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static bool tell(const struct search *s, size_t gate)
{
    size_t from = s->gates[gate].from, to = s->gates[gate].to < s->text.len ? s->gates[gate].to : s->text.len;

    while (from > 0 && is_continuation(s->text.ptr[from])) {
        from--;
    }
    while (to < s->text.len && is_continuation(s->text.ptr[to])) {
        to++;
    }
    return s->found(s->context, gate, from, to);
}

static bool add_place(struct search *s, size_t gate, size_t first, size_t last)
{
    const size_t reach = (size_t)s->stretches->gates[gate].reach + 1; /* what an anchor looks at */
    struct progress *p = &s->gates[gate];
    size_t from = first > reach ? first - reach : 0;

    if (p->to > 0 && from > p->to) {
        if (!tell(s, gate)) {
            return false;
        }
        p->to = 0;
    }
    p->from = p->to > 0 ? p->from : from;
    p->to = last + 1 + reach;
    return true;
}

static bool add_rows(struct search *s, size_t gate, uint64_t ends, size_t at)
{
    size_t first = at + (size_t)__builtin_ctzll(ends) + 1 - s->stretches->gates[gate].n;

    return add_place(s, gate, first, at + BYTE_CLASS_STEP - 1 - (size_t)__builtin_clzll(ends));
}

/* Bytes apart lie in one step, or in two: `within` is no more. */
static bool add_apart(struct search *s, size_t gate, uint64_t before, uint64_t bits, size_t at)
{
    const struct stretch_gate *g = &s->stretches->gates[gate];
    size_t last[REQUIREMENT_BYTES_MAX] = {0}; /* offsets of bytes of the class, in a ring */
    size_t n = 0;

    for (; before != 0; before &= before - 1) {
        last[n++ % REQUIREMENT_BYTES_MAX] = at - BYTE_CLASS_STEP + (size_t)__builtin_ctzll(before);
    }
    for (; bits != 0; bits &= bits - 1) {
        size_t here = at + (size_t)__builtin_ctzll(bits);
        last[n++ % REQUIREMENT_BYTES_MAX] = here;
        size_t first = last[(n - g->n) % REQUIREMENT_BYTES_MAX]; /* of the last n */
        if (n >= g->n && here - first < g->within && !add_place(s, gate, first, here)) {
            return false;
        }
    }
    return true;
}

static inline unsigned bits_set(uint64_t bits)
{
    return (unsigned)__builtin_popcountll(bits);
}

__attribute__((always_inline)) static inline bool search_step(struct search *s, size_t gate, uint64_t bits, size_t at)
{
    const struct stretch_gate *g = &s->stretches->gates[gate];
    uint64_t before = s->gates[gate].before;

    s->gates[gate].before = bits;
    if (g->n < g->within) {
        return bits == 0 || bits_set(before) + bits_set(bits) < g->n || add_apart(s, gate, before, bits, at);
    }
    uint64_t ends = byte_rows(bits, before, &g->row);
    return ends == 0 || add_rows(s, gate, ends, at);
}

typedef uint64_t gate_bits_fn(const struct stretch_gate *gate, const char bytes[BYTE_CLASS_STEP]);

/* Inlined into its callers, to be compiled for their processors. */
__attribute__((always_inline)) static inline bool search_all(struct search *s, gate_bits_fn *bits_of)
{
    const struct stretches *wanted = s->stretches;
    char end[BYTE_CLASS_STEP] = {0};

    for (size_t at = 0; at < s->text.len; at += BYTE_CLASS_STEP) {
        const char *bytes = s->text.ptr + at;
        size_t n = s->text.len - at < BYTE_CLASS_STEP ? s->text.len - at : BYTE_CLASS_STEP;
        uint64_t bits = 0;
        if (n < BYTE_CLASS_STEP) {
            memcpy(end, bytes, n);
            bytes = end;
        }
        for (size_t k = 0; k < wanted->n; k++) {
            if (!wanted->gates[k].shares_bits) {
                bits = bits_of(&wanted->gates[k], bytes) & UINT64_MAX >> (BYTE_CLASS_STEP - n);
            }
            if (!search_step(s, k, bits, at)) {
                return false;
            }
        }
    }
    for (size_t k = 0; k < wanted->n; k++) {
        if (s->gates[k].to > 0 && !tell(s, k)) {
            return false;
        }
    }
    return true;
}

static inline uint64_t bits_of_class(const struct stretch_gate *gate, const char bytes[BYTE_CLASS_STEP])
{
    return byte_class_bits(&gate->class, bytes);
}

static bool search_plainly(struct search *s)
{
    return search_all(s, bits_of_class);
}

#ifdef __x86_64__
BYTE_LOOKUP_WIDE static inline uint64_t bits_of_lookup(const struct stretch_gate *gate, const char bytes[BYTE_CLASS_STEP])
{
    return byte_lookup_bits(&gate->lookup, bytes);
}

BYTE_LOOKUP_WIDE static bool search_widely(struct search *s)
{
    return search_all(s, bits_of_lookup);
}
#endif

bool stretches_each(const struct stretches *stretches, struct span text, stretch_found_fn *found, void *context)
{
    struct search s = {.stretches = stretches, .text = text, .found = found, .context = context};

#ifdef __x86_64__
    if (byte_lookup_is_possible()) {
        return search_widely(&s);
    }
#endif
    return search_plainly(&s);
}
