/* live_table.c - which patterns may begin where, from the patterns' own text.
 *
 * A stream asks at each place of its held text which patterns may begin there. Asking PCRE2 hundreds of times is too slow, so
 * the table answers first. It may say yes too often and never no wrongly: a pattern that it leaves out would be released
 * from under a match. So whatever cannot be known of a pattern is all bytes: a core that first_bytes cannot follow, a
 * look-behind that is not a set of bytes, a pattern with more than WAYS_MAX first letters.
 *
 * Invariants: every pattern that a byte can begin has an entry; entries are sorted by their first byte, so that those that begin alike
 * share words of a row; bit i of a row is entry i of those wanted. */
#include "scan/live_table.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "scan/scanner_parts.h"

enum {
    CORE_MAX = 64 * 1024, /* of a pattern without its groups and flags; rules are far shorter */
    MANY_BYTES = 8,       /* with more first bytes an entry is not sorted by one of them */
    WAYS_MAX = 64,        /* as many entries for a pattern as a word has bits; one for all past it */
};

/* A pattern's bit while the table is made. */
struct live_entry {
    uint32_t pattern;
    unsigned first_byte; /* the lowest that it begins with; LIVE_BYTES when there are many */
    struct byte_set at[LIVE_PLACES];
};

struct live_entries {
    struct live_entry *rows;
    size_t n, capacity;
};

/* --- the ways in which a pattern may begin ----------------------------------- */

static unsigned count(const struct byte_set *set)
{
    unsigned n = 0;

    for (unsigned i = 0; i < COUNT(set->bits); i++) {
        n += (unsigned)__builtin_popcountll(set->bits[i]);
    }
    return n;
}

/* The same bytes behind the first one: one way with more first bytes. */
static size_t add_way(struct first_bytes *ways, size_t n, const struct first_bytes *way)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&ways[i].at[1], &way->at[1], sizeof(way->at) - sizeof(way->at[0])) == 0) {
            byte_set_add_all(&ways[i].at[0], &way->at[0]);
            return n;
        }
    }
    ways[n] = *way;
    return n + 1;
}

/* One way for each first byte, when they are few; those beyond ASCII go together. */
static size_t ways_of(struct span core, struct first_bytes ways[WAYS_MAX])
{
    struct byte_set wide = {{0, 0, UINT64_MAX, UINT64_MAX}};
    struct first_bytes all, way;
    size_t n = 0;

    first_bytes_of(core, &all);
    struct byte_set ascii = {{all.at[0].bits[0], all.at[0].bits[1], 0, 0}};
    if (count(&ascii) >= WAYS_MAX) {
        ways[0] = all;
        return 1;
    }
    for (unsigned byte = 0; byte < 128; byte++) {
        if (byte_set_has(&ascii, (unsigned char)byte)) {
            struct byte_set only = {0};
            byte_set_add(&only, byte);
            first_bytes_from(core, &only, &way);
            n = add_way(ways, n, &way);
        }
    }
    if (count(&all.at[0]) > count(&ascii)) {
        first_bytes_from(core, &wide, &way);
        n = add_way(ways, n, &way);
    }
    return n;
}

static bool add_entry(struct live_entries *entries, const struct live_entry *entry, struct error *err)
{
    if (entries->n == entries->capacity) {
        size_t capacity = 2 * entries->capacity + LIVE_WORD_BITS;
        struct live_entry *rows = reallocarray(entries->rows, capacity, sizeof(*rows));
        if (rows == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "scan: no memory");
        }
        entries->rows = rows;
        entries->capacity = capacity;
    }
    entries->rows[entries->n++] = *entry;
    return true;
}

/* Each way with each of what may be in front. */
static bool add_pattern(struct live_entries *entries, const struct scanner *s, uint32_t pattern, struct span core,
                        struct error *err)
{
    struct before_bytes befores[BEFORE_MAX];
    struct first_bytes ways[WAYS_MAX];
    size_t n_befores = look_behind_bytes(s->entries[pattern].pattern, befores);
    size_t n_ways = ways_of(core, ways);

    assert(n_befores > 0 && n_befores <= BEFORE_MAX && n_ways <= WAYS_MAX);
    for (size_t i = 0; i < n_ways * n_befores; i++) {
        const struct first_bytes *way = &ways[i / n_befores];
        struct live_entry entry = {.pattern = pattern, .first_byte = LIVE_BYTES};
        memcpy(entry.at, way->at, sizeof(way->at));
        memcpy(entry.at + FIRST_BYTES, befores[i % n_befores].at, sizeof(befores[0].at));
        for (unsigned byte = LIVE_BYTES; byte-- > 0 && count(&entry.at[0]) <= MANY_BYTES;) {
            entry.first_byte = byte_set_has(&entry.at[0], (unsigned char)byte) ? byte : entry.first_byte;
        }
        for (unsigned byte = 0; byte < 128 && s->entries[pattern].starts_free; byte++) {
            if (isalnum((int)byte)) {
                entry.at[FIRST_BYTES].bits[byte / 64] &= ~((uint64_t)1 << byte % 64);
            }
        }
        if (!add_entry(entries, &entry, err)) {
            return false;
        }
    }
    return true;
}

/* --- the table ----------------------------------------------------------------- */

static int by_first_bytes(const void *a, const void *b)
{
    const struct live_entry *x = a, *y = b;

    if (x->first_byte != y->first_byte) {
        return x->first_byte < y->first_byte ? -1 : 1;
    }
    int by_bytes = memcmp(&x->at[0], &y->at[0], sizeof(x->at[0])); /* any order: what is alike shares words of a row */
    if (by_bytes != 0) {
        return by_bytes;
    }
    return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

static bool list_entries(const struct scanner *s, struct live_entries *entries, struct error *err)
{
    struct buf core CLEANUP(buf_deinit);

    buf_init(&core, CORE_MAX);
    for (uint32_t i = 0; i < s->n; i++) {
        buf_clear(&core);
        if (!trigger_core(s->entries[i].pattern, &core, err) ||
            !add_pattern(entries, s, i, buf_span(&core), err)) {
            return false;
        }
    }
    if (entries->n > 0) {
        qsort(entries->rows, entries->n, sizeof(*entries->rows), by_first_bytes);
    }
    return true;
}

static void set_bit(struct live_table *t, uint32_t bit, const struct live_entry *entry)
{
    t->patterns[bit] = entry->pattern;
    for (size_t row = 0; row < (size_t)LIVE_PLACES * LIVE_BYTES; row++) {
        if (byte_set_has(&entry->at[row / LIVE_BYTES], (unsigned char)(row % LIVE_BYTES))) {
            t->rows[row * t->n_words + bit / LIVE_WORD_BITS] |= (uint64_t)1 << bit % LIVE_WORD_BITS;
            t->words[row] |= (uint64_t)1 << bit / LIVE_WORD_BITS % LIVE_WORD_BITS;
        }
    }
}

static struct live_table *table_sized(size_t n_bits)
{
    struct live_table *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        return NULL;
    }
    t->n_words = (uint32_t)(n_bits / LIVE_WORD_BITS) + 1;
    t->patterns = calloc(n_bits + 1, sizeof(*t->patterns));
    t->rows = calloc((size_t)LIVE_PLACES * LIVE_BYTES * t->n_words, sizeof(*t->rows));
    t->words = calloc((size_t)LIVE_PLACES * LIVE_BYTES, sizeof(*t->words));
    if (t->patterns == NULL || t->rows == NULL || t->words == NULL) {
        live_table_free(t);
        return NULL;
    }
    return t;
}

static bool is_wanted(const uint64_t *wanted, uint32_t pattern)
{
    return wanted == NULL || (wanted[pattern / LIVE_WORD_BITS] >> pattern % LIVE_WORD_BITS & 1) != 0;
}

struct live_table *live_table_new(const struct live_entries *entries, const uint64_t *wanted, struct error *err)
{
    size_t n_bits = 0;
    uint32_t bit = 0;

    for (size_t i = 0; i < entries->n; i++) {
        n_bits += is_wanted(wanted, entries->rows[i].pattern);
    }
    struct live_table *t = table_sized(n_bits);
    if (t == NULL) {
        error_set(err, ERROR_NO_MEMORY, "scan: no memory");
        return NULL;
    }
    for (size_t i = 0; i < entries->n; i++) {
        if (is_wanted(wanted, entries->rows[i].pattern)) {
            set_bit(t, bit++, &entries->rows[i]);
        }
    }
    return t;
}

struct live_entries *live_entries_new(const struct scanner *s, struct error *err)
{
    struct live_entries *entries = calloc(1, sizeof(*entries));

    if (entries == NULL) {
        error_set(err, ERROR_NO_MEMORY, "scan: no memory");
        return NULL;
    }
    if (!list_entries(s, entries, err)) {
        live_entries_free(entries);
        return NULL;
    }
    return entries;
}

void live_entries_free(struct live_entries *entries)
{
    if (entries != NULL) {
        free(entries->rows);
        free(entries);
    }
}

void live_table_free(struct live_table *t)
{
    if (t != NULL) {
        free(t->patterns);
        free(t->rows);
        free(t->words);
        free(t);
    }
}
