#include "scan/liveness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "scan/first_bytes.h"
#include "scan/scanner_parts.h"

enum { CORE_MAX = 64 * 1024, WORD_BITS = 64, BYTES = 256 };

/* rows[(place * BYTES + byte) * n_words]: the patterns that can have the byte there. Most words of most rows are empty
 * in one place or another: a bit of `filled` for every 64th word says which are not, so that a thousand patterns
 * cost about what a hundred do. */
struct live_table {
    uint32_t n_words;
    uint64_t filled[FIRST_BYTES][BYTES];
    uint32_t *patterns; /* by their bit: the choosy ones first, so that the others fill few words */
    uint64_t *starts_free; /* patterns that cannot begin behind a letter or digit */
    uint64_t *rows;
};

struct scanner_live {
    pthread_mutex_t making;
    _Atomic(struct live_table *) table;
};

struct scanner_live *scanner_live_new(void)
{
    struct scanner_live *live = calloc(1, sizeof(*live));

    if (live != NULL) {
        (void)pthread_mutex_init(&live->making, NULL);
    }
    return live;
}

static void table_free(struct live_table *t)
{
    if (t != NULL) {
        free(t->patterns);
        free(t->starts_free);
        free(t->rows);
        free(t);
    }
}

void scanner_live_free(struct scanner_live *live)
{
    if (live != NULL) {
        table_free(atomic_load(&live->table));
        (void)pthread_mutex_destroy(&live->making);
        free(live);
    }
}

static const uint64_t *row(const struct live_table *t, unsigned place, unsigned char byte)
{
    return t->rows + ((size_t)place * BYTES + byte) * t->n_words;
}

static void add_pattern(struct live_table *t, uint32_t bit, const struct first_bytes *first)
{
    for (unsigned place = 0; place < FIRST_BYTES; place++) {
        for (unsigned byte = 0; byte < BYTES; byte++) {
            if (byte_set_has(&first->at[place], (unsigned char)byte)) {
                t->rows[((size_t)place * BYTES + byte) * t->n_words + bit / WORD_BITS] |=
                    (uint64_t)1 << bit % WORD_BITS;
                t->filled[place][byte] |= (uint64_t)1 << bit / WORD_BITS % WORD_BITS;
            }
        }
    }
}

/* A pattern and how many bytes it can have at its first places. */
struct candidate {
    uint32_t pattern, width;
    struct first_bytes first;
};

static int compare_widths(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = (x->width > y->width) - (x->width < y->width);

    return order != 0 ? order : (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

static bool measure(const struct scanner *s, uint32_t pattern, struct buf *core, struct candidate *out,
                    struct error *err)
{
    buf_clear(core);
    if (!trigger_core(s->entries[pattern].pattern, core, err)) {
        return false;
    }
    first_bytes_of(buf_span(core), &out->first);
    out->pattern = pattern;
    out->width = 0;
    for (unsigned place = 0; place < FIRST_BYTES; place++) {
        for (unsigned k = 0; k < COUNT(out->first.at[place].bits); k++) {
            out->width += (uint32_t)__builtin_popcountll(out->first.at[place].bits[k]);
        }
    }
    return true;
}

static bool fill(struct live_table *t, const struct scanner *s, struct candidate *candidates, struct error *err)
{
    struct buf core CLEANUP(buf_deinit);

    buf_init(&core, CORE_MAX);
    for (uint32_t i = 0; i < s->n; i++) {
        if (!measure(s, i, &core, &candidates[i], err)) {
            return false;
        }
    }
    qsort(candidates, s->n, sizeof(*candidates), compare_widths);
    for (uint32_t bit = 0; bit < s->n; bit++) {
        uint32_t pattern = candidates[bit].pattern;
        t->patterns[bit] = pattern;
        t->starts_free[bit / WORD_BITS] |= (uint64_t)s->entries[pattern].starts_free << bit % WORD_BITS;
        add_pattern(t, bit, &candidates[bit].first);
    }
    return true;
}

static struct live_table *table_new(const struct scanner *s, struct error *err)
{
    struct live_table *t = calloc(1, sizeof(*t));
    struct candidate *candidates = calloc((size_t)s->n + 1, sizeof(*candidates));

    if (t != NULL) {
        t->n_words = s->n / WORD_BITS + 1;
        t->patterns = calloc((size_t)s->n + 1, sizeof(*t->patterns));
        t->starts_free = calloc(t->n_words, sizeof(*t->starts_free));
        t->rows = calloc((size_t)FIRST_BYTES * BYTES * t->n_words, sizeof(*t->rows));
    }
    bool has_memory = t != NULL && candidates != NULL && t->patterns != NULL && t->starts_free != NULL && t->rows != NULL;
    if (!has_memory) {
        error_set(err, ERROR_NO_MEMORY, "scan: no memory");
    }
    if (!has_memory || !fill(t, s, candidates, err)) {
        table_free(t);
        t = NULL;
    }
    free(candidates);
    return t;
}

static const struct live_table *table_of(const struct scanner *s, struct error *err)
{
    struct scanner_live *live = s->live;
    struct live_table *t = atomic_load_explicit(&live->table, memory_order_acquire);

    if (t == NULL) {
        (void)pthread_mutex_lock(&live->making);
        t = atomic_load_explicit(&live->table, memory_order_relaxed);
        if (t == NULL) {
            t = table_new(s, err);
            atomic_store_explicit(&live->table, t, memory_order_release);
        }
        (void)pthread_mutex_unlock(&live->making);
    }
    return t;
}

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The bits of one word of the table whose patterns may be live at `at`. */
static uint64_t candidates(const struct live_table *t, const struct live_query *q, uint32_t word,
                           size_t at)
{
    uint64_t found = UINT64_MAX;
    size_t n = q->text.len - at < FIRST_BYTES ? q->text.len - at : FIRST_BYTES;

    if (at > 0 && is_letter_or_digit(q->text.ptr[at - 1])) {
        found &= ~t->starts_free[word];
    }
    for (unsigned i = 0; i < n && found != 0; i++) {
        found &= row(t, i, (unsigned char)q->text.ptr[at + i])[word];
    }
    return found;
}

/* The words of the table in which some pattern may be live at `at`. */
static uint64_t candidate_words(const struct live_table *t, const struct live_query *q, size_t at)
{
    uint64_t words = UINT64_MAX;
    size_t n = q->text.len - at < FIRST_BYTES ? q->text.len - at : FIRST_BYTES;

    for (unsigned i = 0; i < n && words != 0; i++) {
        words &= t->filled[i][(unsigned char)q->text.ptr[at + i]];
    }
    return words;
}

bool scanner_is_live_at(const struct scanner *s, struct scanner_scratch *scratch, uint32_t pattern,
                        struct span text, size_t start)
{
    return regex_is_live(s->entries[pattern].regex, scanner_scratch_regex(scratch), text, start);
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

struct live_search {
    const struct scanner *scanner;
    struct scanner_scratch *scratch;
    const struct live_query *query;
    live_found_fn *found;
    void *context;
};

/* False when the search is to stop. */
static bool ask_patterns(const struct live_search *search, const uint32_t *patterns, uint64_t bits, size_t at)
{
    const uint64_t *wanted = search->query->wanted;

    for (; bits != 0; bits &= bits - 1) {
        uint32_t pattern = patterns[__builtin_ctzll(bits)];
        bool is_wanted = wanted == NULL || (wanted[pattern / WORD_BITS] >> pattern % WORD_BITS & 1) != 0;
        if (is_wanted && scanner_is_live_at(search->scanner, search->scratch, pattern, search->query->text, at) &&
            !search->found(search->context, pattern, at)) {
            return false;
        }
    }
    return true;
}

bool scanner_each_live(const struct scanner *s, struct scanner_scratch *scratch,
                       const struct live_query *query, live_found_fn *found, void *context,
                       struct error *err)
{
    const struct live_table *t = table_of(s, err);

    if (t == NULL) {
        return false;
    }
    struct live_search search = {.scanner = s, .scratch = scratch, .query = query, .found = found, .context = context};
    for (size_t at = query->from; at < query->to && at < query->text.len; at++) {
        if (is_continuation(query->text.ptr[at])) {
            continue;
        }
        uint64_t words = candidate_words(t, query, at);
        for (uint32_t word = 0; words != 0 && word < t->n_words; word++) {
            bool is_filled = (words >> word % WORD_BITS & 1) != 0;
            if (is_filled && !ask_patterns(&search, &t->patterns[word * WORD_BITS], candidates(t, query, word, at), at)) {
                return true;
            }
        }
    }
    return true;
}

size_t scanner_literal_at(const struct scanner *s, uint32_t pattern, struct span text, size_t start)
{
    struct buf core CLEANUP(buf_deinit);
    struct trigger_literals literals;
    struct error err;
    size_t longest = 0;

    buf_init(&core, CORE_MAX);
    if (s->entries[pattern].has_secret || !trigger_core(s->entries[pattern].pattern, &core, &err)) {
        return 0;
    }
    trigger_literals(buf_span(&core), &literals);
    for (size_t i = 0; i < literals.n; i++) {
        size_t len = literals.len[i];
        bool fits = len <= text.len - start;
        bool is_equal = fits && (literals.is_caseless ? strncasecmp(text.ptr + start, literals.text[i], len) == 0
                                                      : memcmp(text.ptr + start, literals.text[i], len) == 0);
        longest = is_equal && len > longest ? len : longest;
    }
    return longest;
}

uint32_t scanner_pattern_count(const struct scanner *s)
{
    return s->n;
}
