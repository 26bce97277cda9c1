#include "testing.h"

#include <string.h>

#include "regex/class_runs.h"

enum { N_TEXTS = 4000, TEXT_MAX = 400, SEED = 5 };

static const struct {
    const char *expression, *class;
    size_t n;
    char before, behind; /* one character beside the row; 0: any */
} cases[] = {
    {"[a-c]{6}", "abc", 6, 0, 0},
    {"[a-c]{16}", "abc", 16, 0, 0},
    {"[ab0-9+/]{24}", "ab0123456789+/", 24, 0, 0},
    {"[a0]{63}", "a0", 63, 0, 0},
    {"[a0]{64}", "a0", 64, 0, 0},
    {"[\\-_]{7}", "-_", 7, 0, 0},
    {"\\.[abc]{12}", "abc", 12, '.', 0},
    {"x[a-c]{48}", "abc", 48, 'x', 0},
    {"[ab09]{14}[-]", "ab09", 14, 0, '-'},
    {"[x][a-c]{7}\\.", "abc", 7, 'x', '.'},
    {"[G0]{9}", "G0", 9, 0, 0},
    {"[GZ0]{13}x", "GZ0", 13, 0, 'x'},
    {"[ab]{8}", "ab", 8, 0, 0},
};

struct found {
    uint32_t ends[COUNT(cases)][TEXT_MAX];
    size_t n[COUNT(cases)];
    size_t all, calls, stop_at;
};

static bool note(void *context, uint32_t id, uint32_t first, uint32_t last)
{
    struct found *f = context;

    assert_true(id < COUNT(cases) && first <= last);
    for (uint32_t end = first; end <= last; end++) {
        f->ends[id][f->n[id]++] = end;
        f->all++;
    }
    return ++f->calls != f->stop_at;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Runs of one class, of every length, some over the steps of the search. */
static size_t make_text(uint32_t *random, char *text)
{
    static const char *const kinds[] = {"abc", "ab09+/", "a0", "G0", "GZ0", "-_", ".x", "\xc3\xa4", "x", "."};
    size_t len = 0, wanted = next_random(random) % TEXT_MAX;

    while (len < wanted) {
        const char *kind = kinds[next_random(random) % COUNT(kinds)];
        bool is_sign = strlen(kind) == 1;
        for (size_t n = is_sign ? 1 : next_random(random) % 90; n > 0 && len < TEXT_MAX; n--) {
            text[len++] = kind[next_random(random) % strlen(kind)];
        }
    }
    return len;
}

static struct class_runs all_runs(void)
{
    struct class_runs runs = {.n = 0};

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        assert_true(class_runs_take(&runs, span_str(cases[i].expression), i));
    }
    return runs;
}

static void assert_finds_all(const struct found *f, size_t i, struct span text)
{
    size_t run = 0, n = 0;

    for (size_t at = 0; at < text.len; at++) {
        run = memchr(cases[i].class, text.ptr[at], strlen(cases[i].class)) != NULL ? run + 1 : 0;
        size_t row = cases[i].n, to = at + 1;
        bool is_before = cases[i].before == 0 || (to > row && run >= row && text.ptr[at - row] == cases[i].before);
        bool is_behind = cases[i].behind == 0 || (to < text.len && text.ptr[to] == cases[i].behind);
        if (run >= row && is_before && is_behind) {
            assert_true(n < f->n[i]);
            assert_int_equal(f->ends[i][n++], to + (cases[i].behind != 0));
        }
    }
    assert_int_equal(f->n[i], n);
}

static void every_row_is_found_where_it_ends(void **state)
{
    struct class_runs runs = all_runs();
    uint32_t random = SEED;
    size_t n_found = 0;

    (void)state;
    for (size_t i = 0; i < N_TEXTS; i++) {
        static struct found f;
        char bytes[TEXT_MAX];
        struct span text = span_of(bytes, make_text(&random, bytes));
        f = (struct found){.all = 0};
        assert_true(class_runs_scan(&runs, text, note, &f));
        for (size_t k = 0; k < COUNT(cases); k++) {
            assert_finds_all(&f, k, text);
        }
        n_found += f.all;
    }
    assert_true(n_found > N_TEXTS);
}

static void the_search_stops_when_it_is_asked_to(void **state)
{
    struct class_runs runs = all_runs();
    static struct found f;

    (void)state;
    f.stop_at = 3;
    assert_false(class_runs_scan(&runs, span_str("abcabcabcabcabcabc-abcabcabcabcabcabc-abcabcabcabcabcabc-abcabcabcabcabcabc"), note, &f));
    assert_int_equal(f.calls, 3);
}

static void what_is_no_run_of_a_class_is_not_taken(void **state)
{
    static const char *const others[] = {"",          "[a-z]",        "[a-z]{5}",      "[a-z]{65}",      "[a-z]{6,}",  "[a-z]{6,9}",
                                         "[a-z]{6}xy", "[a-z]{6}?",    "a{6}",           "[^a]{6}",        "[a-z]{6}.",  "(?i)[a-z]{6}",
                                         "[a-z]+",    "[a-z]{6}|abc", "[a\\x{E9}]{6}", "\\b[0-9]{6}",    "[a-z][0-9]", "[acegikmoqsuwy]{6}",
                                         "\\$[89]\\$[a-z]{6}", "[a-z]{6}[ab]{2}[xyz]"};
    struct class_runs runs = {.n = 0};

    (void)state;
    for (size_t i = 0; i < COUNT(others); i++) {
        if (class_runs_take(&runs, span_str(others[i]), 0)) {
            fail_msg("taken: %s", others[i]);
        }
    }
    for (size_t i = 0; i < CLASS_RUNS_MAX; i++) {
        assert_true(class_runs_take(&runs, span_str("[0-9]{6}"), 0));
    }
    assert_false(class_runs_take(&runs, span_str("[0-9]{6}"), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_found_where_it_ends),
        cmocka_unit_test(the_search_stops_when_it_is_asked_to),
        cmocka_unit_test(what_is_no_run_of_a_class_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
