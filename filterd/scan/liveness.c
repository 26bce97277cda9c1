#include "scan/liveness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "scan/first_bytes.h"
#include "scan/scanner_parts.h"

enum { CORE_MAX = 64 * 1024, WORD_BITS = 64, BYTES = 256, MANY_BYTES = 8 };

/* rows[(place * BYTES + byte) * n_words]: the patterns that can have the byte there. A pattern's bit is not its index:
 * patterns that begin with the same byte stand side by side, so that most words of a row are zero. */
struct live_table {
    uint32_t n_words;
    uint32_t *patterns;    /* of each bit */
    uint64_t *starts_free; /* patterns that cannot begin behind a letter or digit */
    uint64_t *rows;
    uint64_t *words; /* [place * BYTES + byte]: bit w: one of the words w, w + 64, ... of the row is not zero */
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
        free(t->words);
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
                size_t row = (size_t)place * BYTES + byte;
                t->rows[row * t->n_words + bit / WORD_BITS] |= (uint64_t)1 << bit % WORD_BITS;
                t->words[row] |= (uint64_t)1 << bit / WORD_BITS % WORD_BITS;
            }
        }
    }
}

/* A pattern while the table is made. */
struct live_entry {
    uint32_t pattern;
    unsigned first_byte; /* the lowest that it begins with; BYTES when there are many */
    struct first_bytes first;
};

static unsigned first_byte_of(const struct first_bytes *first)
{
    unsigned n = 0, lowest = BYTES;

    for (unsigned byte = BYTES; byte-- > 0;) {
        bool is_there = byte_set_has(&first->at[0], (unsigned char)byte);
        n += is_there;
        lowest = is_there ? byte : lowest;
    }
    return n > MANY_BYTES ? BYTES : lowest;
}

static int by_first_byte(const void *a, const void *b)
{
    const struct live_entry *x = a, *y = b;

    if (x->first_byte != y->first_byte) {
        return x->first_byte < y->first_byte ? -1 : 1;
    }
    return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

static struct live_entry *entries_new(const struct scanner *s, struct error *err)
{
    struct buf core CLEANUP(buf_deinit);
    struct live_entry *entries = calloc((size_t)s->n + 1, sizeof(*entries));

    if (entries == NULL) {
        error_set(err, ERROR_NO_MEMORY, "scan: no memory");
        return NULL;
    }
    buf_init(&core, CORE_MAX);
    for (uint32_t i = 0; i < s->n; i++) {
        buf_clear(&core);
        if (!trigger_core(s->entries[i].pattern, &core, err)) {
            free(entries);
            return NULL;
        }
        entries[i].pattern = i;
        first_bytes_of(buf_span(&core), &entries[i].first);
        entries[i].first_byte = first_byte_of(&entries[i].first);
    }
    qsort(entries, s->n, sizeof(*entries), by_first_byte);
    return entries;
}

static struct live_table *table_new(const struct scanner *s, struct error *err)
{
    struct live_entry *entries CLEANUP(cleanup_free) = entries_new(s, err);
    struct live_table *t = entries != NULL ? calloc(1, sizeof(*t)) : NULL;

    if (entries == NULL) {
        return NULL;
    }
    if (t != NULL) {
        t->n_words = s->n / WORD_BITS + 1;
        t->patterns = calloc((size_t)s->n + 1, sizeof(*t->patterns));
        t->starts_free = calloc(t->n_words, sizeof(*t->starts_free));
        t->rows = calloc((size_t)FIRST_BYTES * BYTES * t->n_words, sizeof(*t->rows));
        t->words = calloc((size_t)FIRST_BYTES * BYTES, sizeof(*t->words));
    }
    if (t == NULL || t->patterns == NULL || t->starts_free == NULL || t->rows == NULL || t->words == NULL) {
        error_set(err, ERROR_NO_MEMORY, "scan: no memory");
        table_free(t);
        return NULL;
    }
    for (uint32_t bit = 0; bit < s->n; bit++) {
        t->patterns[bit] = entries[bit].pattern;
        add_pattern(t, bit, &entries[bit].first);
        t->starts_free[bit / WORD_BITS] |= (uint64_t)s->entries[entries[bit].pattern].starts_free << bit % WORD_BITS;
    }
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

/* The rows of the bytes at one start. */
struct live_start {
    const uint64_t *rows[FIRST_BYTES];
    unsigned n;
    uint64_t words; /* as in the table: those that all rows have */
    bool is_inside; /* behind a letter or digit */
};

static struct live_start start_at(const struct live_table *t, struct span text, size_t at)
{
    struct live_start start = {.words = UINT64_MAX};

    start.n = (unsigned)(text.len - at < FIRST_BYTES ? text.len - at : FIRST_BYTES);
    start.is_inside = at > 0 && is_letter_or_digit(text.ptr[at - 1]);
    for (unsigned i = 0; i < start.n; i++) {
        unsigned char byte = (unsigned char)text.ptr[at + i];
        start.rows[i] = row(t, i, byte);
        start.words &= t->words[i * BYTES + byte];
    }
    return start;
}

/* The bits of one word of the table that may be live at the start. */
static uint64_t candidates(const struct live_table *t, const struct live_start *start, uint32_t word)
{
    uint64_t found = start->is_inside ? ~t->starts_free[word] : UINT64_MAX;

    for (unsigned i = 0; i < start->n && found != 0; i++) {
        found &= start->rows[i][word];
    }
    return found;
}

static bool is_wanted(const struct live_query *q, uint32_t pattern)
{
    return q->wanted == NULL || (q->wanted[pattern / WORD_BITS] >> pattern % WORD_BITS & 1) != 0;
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

/* What each start of a query needs. */
struct live_search {
    const struct scanner *scanner;
    const struct live_table *table;
    struct scanner_scratch *scratch;
    const struct live_query *query;
    live_found_fn *found;
    void *context;
};

/* False when found() wants no more. */
static bool search_word(const struct live_search *l, size_t at, uint32_t word, uint64_t left)
{
    for (; left != 0; left &= left - 1) {
        uint32_t pattern = l->table->patterns[word * WORD_BITS + (uint32_t)__builtin_ctzll(left)];
        if (is_wanted(l->query, pattern) && scanner_is_live_at(l->scanner, l->scratch, pattern, l->query->text, at) &&
            !l->found(l->context, pattern, at)) {
            return false;
        }
    }
    return true;
}

static bool search_start(const struct live_search *l, size_t at)
{
    const struct live_table *t = l->table;
    const struct live_start start = start_at(t, l->query->text, at);

    for (uint32_t first = 0; first < t->n_words; first += WORD_BITS) {
        for (uint64_t words = start.words; words != 0; words &= words - 1) {
            uint32_t word = first + (uint32_t)__builtin_ctzll(words);
            if (word >= t->n_words) {
                break;
            }
            if (!search_word(l, at, word, candidates(t, &start, word))) {
                return false;
            }
        }
    }
    return true;
}

bool scanner_each_live(const struct scanner *s, struct scanner_scratch *scratch,
                       const struct live_query *query, live_found_fn *found, void *context,
                       struct error *err)
{
    const struct live_search search = {.scanner = s,
                                       .table = table_of(s, err),
                                       .scratch = scratch,
                                       .query = query,
                                       .found = found,
                                       .context = context};

    if (search.table == NULL) {
        return false;
    }
    for (size_t at = query->from; at < query->to && at < query->text.len; at++) {
        if (!is_continuation(query->text.ptr[at]) && !search_start(&search, at)) {
            return true;
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
