/* liveness.c - which patterns PCRE2 is asked about at a start, and its answer.
 *
 * Invariants:
 *   - The table and the automaton only save questions. A bit is missing from a row when no match of its pattern can have that byte at that
 *     place; places behind the end of the text and before its beginning rule out nothing. scanner_is_live_at decides.
 *   - A scanner is immutable but for `live`. Its tables are made under `making`, on demand, and are freed with the scanner:
 *     a table that was handed out stays as it is. `all` is published by a release store and read without the lock; `sets`
 *     only grows, under the lock.
 *   - After a failure for want of memory nothing is kept that is half made, and the next question tries again.
 *   - A start is the first byte of a character; starts are asked in order, and a pattern once for each.
 *   - Threads: any number may ask, each with a scratch of its own. */
#include "scan/liveness.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "scan/live_table.h"
#include "scan/scanner_parts.h"
#include "scan/start_filter.h"

enum { CORE_MAX = 64 * 1024, WORD_BITS = LIVE_WORD_BITS, LIVE_SETS_MAX = 8 };

/* Of one set of wanted patterns. */
struct live_set {
    uint64_t *wanted;
    struct live_table *table;
};

struct scanner_live {
    pthread_mutex_t making;
    struct live_entries *entries;
    _Atomic(struct live_table *) all;
    struct live_set sets[LIVE_SETS_MAX];
    size_t n_sets;
};

struct scanner_live *scanner_live_new(void)
{
    struct scanner_live *live = calloc(1, sizeof(*live));

    if (live != NULL) {
        (void)pthread_mutex_init(&live->making, NULL);
    }
    return live;
}

void scanner_live_free(struct scanner_live *live)
{
    if (live == NULL) {
        return;
    }
    for (size_t i = 0; i < live->n_sets; i++) {
        free(live->sets[i].wanted);
        live_table_free(live->sets[i].table);
    }
    live_table_free(atomic_load(&live->all));
    live_entries_free(live->entries);
    (void)pthread_mutex_destroy(&live->making);
    free(live);
}

/* With the lock held. */
static struct live_table *make_table(const struct scanner *s, const uint64_t *wanted, struct error *err)
{
    struct scanner_live *live = s->live;

    live->entries = live->entries != NULL ? live->entries : live_entries_new(s, err);
    return live->entries != NULL ? live_table_new(live->entries, wanted, err) : NULL;
}

static const struct live_table *table_of_all(const struct scanner *s, struct error *err)
{
    struct scanner_live *live = s->live;
    struct live_table *t = atomic_load_explicit(&live->all, memory_order_acquire);

    if (t == NULL) {
        (void)pthread_mutex_lock(&live->making);
        t = atomic_load_explicit(&live->all, memory_order_relaxed);
        if (t == NULL) {
            t = make_table(s, NULL, err);
            atomic_store_explicit(&live->all, t, memory_order_release);
        }
        (void)pthread_mutex_unlock(&live->making);
    }
    return t;
}

/* With the lock held. */
static bool find_set(const struct scanner *s, const uint64_t *wanted, const struct live_table **out, struct error *err)
{
    const size_t size = (s->n / WORD_BITS + 1) * sizeof(*wanted);
    struct scanner_live *live = s->live;

    *out = NULL;
    for (size_t i = 0; i < live->n_sets; i++) {
        if (memcmp(live->sets[i].wanted, wanted, size) == 0) {
            *out = live->sets[i].table;
            return true;
        }
    }
    if (live->n_sets == LIVE_SETS_MAX) {
        return true;
    }
    struct live_set set = {.wanted = malloc(size), .table = make_table(s, wanted, err)};
    if (set.wanted == NULL || set.table == NULL) {
        free(set.wanted);
        live_table_free(set.table);
        return error_set(err, ERROR_NO_MEMORY, "scan: no memory");
    }
    memcpy(set.wanted, wanted, size);
    live->sets[live->n_sets++] = set;
    *out = set.table;
    return true;
}

bool scanner_live_table(const struct scanner *s, const uint64_t *wanted, const struct live_table **out,
                        struct error *err)
{
    (void)pthread_mutex_lock(&s->live->making);
    bool is_found = find_set(s, wanted, out, err);
    (void)pthread_mutex_unlock(&s->live->making);
    return is_found;
}

bool scanner_live_prepare(const struct scanner *s, struct error *err)
{
    return table_of_all(s, err) != NULL;
}

/* The rows of the bytes at one start and in front of it. */
struct live_start {
    const uint64_t *rows[LIVE_PLACES];
    unsigned n;
    uint64_t words; /* as in the table: those that all rows have */
};

static void add_row(const struct live_table *t, unsigned place, char byte, struct live_start *start)
{
    size_t row = (size_t)place * LIVE_BYTES + (unsigned char)byte;

    start->rows[start->n++] = t->rows + row * t->n_words;
    start->words &= t->words[row];
}

static struct live_start start_at(const struct live_table *t, const struct live_query *q, size_t at)
{
    struct live_start start = {.words = UINT64_MAX};

    for (unsigned i = 0; i < FIRST_BYTES && at + i < q->text.len && start.words != 0; i++) {
        add_row(t, i, q->text.ptr[at + i], &start);
    }
    for (unsigned i = 0; i < BEFORE_BYTES && i < at && start.words != 0; i++) {
        add_row(t, FIRST_BYTES + i, q->text.ptr[at - 1 - i], &start);
    }
    return start;
}

/* The bits of one word of the table that may be live at the start. */
static uint64_t candidates(const struct live_start *start, uint32_t word)
{
    uint64_t found = UINT64_MAX;

    for (unsigned i = 0; i < start->n && found != 0; i++) {
        found &= start->rows[i][word];
    }
    return found;
}

static bool is_wanted(const struct live_query *q, uint32_t pattern)
{
    return q->table != NULL || q->wanted == NULL || (q->wanted[pattern / WORD_BITS] >> pattern % WORD_BITS & 1) != 0;
}

bool scanner_is_live_at(const struct scanner *s, struct scanner_scratch *scratch, uint32_t pattern,
                        struct span text, size_t start)
{
    assert(pattern < s->n && start <= text.len);
    struct scanner_entry *entry = &s->entries[pattern];
    const struct start_filter *starts = scanner_entry_starts(entry);
    bool may_go_on = starts == NULL || starts->dfa == NULL || lazy_dfa_may_go_on(starts->dfa, text, start);

    return may_go_on && regex_is_live(entry->regex, scanner_scratch_regex(scratch), text, start);
}

bool scanner_search(const struct scanner *s, struct scanner_scratch *scratch, uint32_t pattern, struct span text,
                    size_t from, size_t last, struct scanner_place *out)
{
    struct regex_scratch *regex = scanner_scratch_regex(scratch);
    assert(pattern < s->n);
    enum regex_result result = regex_search(s->entries[pattern].regex, regex, text, from, last);

    *out = (struct scanner_place){from, from};
    if (result == REGEX_MATCH) {
        regex_match_range(regex, &out->from, &out->to);
    }
    return result != REGEX_NO_MATCH;
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

/* False when found() wants no more. The bits of one pattern that begin with the same byte stand side by side. */
static bool search_word(const struct live_search *l, size_t at, uint32_t word, uint64_t left, uint32_t *asked)
{
    for (; left != 0; left &= left - 1) {
        uint32_t pattern = l->table->patterns[word * WORD_BITS + (uint32_t)__builtin_ctzll(left)];
        bool is_asked = pattern == *asked;
        *asked = pattern;
        if (!is_asked && is_wanted(l->query, pattern) && scanner_is_live_at(l->scanner, l->scratch, pattern, l->query->text, at) &&
            !l->found(l->context, pattern, at)) {
            return false;
        }
    }
    return true;
}

static bool search_start(const struct live_search *l, size_t at)
{
    const struct live_table *t = l->table;
    const struct live_start start = start_at(t, l->query, at);
    uint32_t asked = UINT32_MAX;

    for (uint32_t first = 0; first < t->n_words; first += WORD_BITS) {
        for (uint64_t words = start.words; words != 0; words &= words - 1) {
            uint32_t word = first + (uint32_t)__builtin_ctzll(words);
            if (word >= t->n_words) {
                break;
            }
            if (!search_word(l, at, word, candidates(&start, word), &asked)) {
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
                                       .table = query->table != NULL ? query->table : table_of_all(s, err),
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

    assert(pattern < s->n && start <= text.len);
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
