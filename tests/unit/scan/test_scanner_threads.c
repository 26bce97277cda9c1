/* The first search of a pattern makes its machine code and its filter of starts: here by several threads at once. */
#include "testing.h"

#include <pthread.h>

#include "scan/scanner.h"

enum { THREADS = 4, PATTERNS = 64, ROUNDS = 3, PATTERN_MAX = 32, WORD_BYTES = 12, TEXT_BYTES = PATTERNS * WORD_BYTES };

struct reader {
    const struct scanner *scanner;
    struct span text;
    pthread_barrier_t *start;
    unsigned n_found, n_right;
    bool has_scanned;
};

/* Pattern i is "k<i>-[0-9]{4}"; the text has one match of each, in words of WORD_BYTES. */
static bool count(void *context, const struct scanner_match *m, struct error *err)
{
    struct reader *r = context;

    (void)err;
    r->n_found++;
    r->n_right += m->from == m->pattern * WORD_BYTES + 2 && m->to == (m->pattern + 1) * WORD_BYTES - 2;
    return true;
}

static void *scan_all(void *context)
{
    struct reader *r = context;
    struct view_piece whole;
    struct view view;
    struct error err;
    struct scanner_scratch *scratch = scanner_scratch_new(&err);

    r->has_scanned = scratch != NULL;
    view_raw(r->text, &whole, &view);
    (void)pthread_barrier_wait(r->start);
    for (unsigned i = 0; r->has_scanned && i < ROUNDS; i++) {
        r->has_scanned = scanner_mark(r->scanner, scratch, &view, NULL, &err) &&
                         scanner_confirm(r->scanner, scratch, &view, count, r, &err);
    }
    scanner_scratch_free(scratch);
    return NULL;
}

static struct scanner *new_scanner(char texts[PATTERNS][PATTERN_MAX])
{
    struct scanner_pattern patterns[PATTERNS] = {0};
    uint32_t bad;
    struct error err = {0};

    for (unsigned i = 0; i < PATTERNS; i++) {
        (void)snprintf(texts[i], PATTERN_MAX, "k%02u-[0-9]{4}", i);
        patterns[i] = (struct scanner_pattern){.pattern = span_str(texts[i]), .views = 7};
    }
    struct scanner *s = scanner_new(patterns, PATTERNS, NULL, false, &bad, &err);
    if (s == NULL) {
        fail_msg("%s", err.text);
    }
    return s;
}

static void threads_may_search_a_pattern_first_together(void **state)
{
    char patterns[PATTERNS][PATTERN_MAX], text[TEXT_BYTES + 1];
    struct reader readers[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;

    (void)state;
    for (unsigned i = 0; i < PATTERNS; i++) {
        (void)snprintf(text + i * WORD_BYTES, WORD_BYTES + 1, ", k%02u-1234  ", i);
    }
    struct scanner *scanner = new_scanner(patterns);
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){.scanner = scanner, .text = span_of(text, TEXT_BYTES), .start = &start};
        assert_int_equal(pthread_create(&threads[i], NULL, scan_all, &readers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(readers[i].has_scanned);
        assert_int_equal(readers[i].n_found, ROUNDS * PATTERNS);
        assert_int_equal(readers[i].n_right, ROUNDS * PATTERNS);
    }
    assert_int_equal(pthread_barrier_destroy(&start), 0);
    scanner_free(scanner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_search_a_pattern_first_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
