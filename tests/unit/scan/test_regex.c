#include "testing.h"

#include <pthread.h>

#include "scan/regex.h"

enum { THREADS = 4, PATTERNS = 64 };

struct searcher {
    struct regex **patterns;
    pthread_barrier_t *start;
    unsigned n_right;
};

/* Pattern i is "key-<i>-[0-9]{4}". */
static void *search_all(void *context)
{
    struct searcher *s = context;
    struct error err;
    struct regex_scratch *scratch = regex_scratch_new(&err);

    (void)pthread_barrier_wait(s->start);
    for (unsigned i = 0; scratch != NULL && i < PATTERNS; i++) {
        char text[64];
        size_t from = 0, to = 0;
        int len = snprintf(text, sizeof(text), "a key-%u-1234 b", i);
        bool is_found = regex_search(s->patterns[i], scratch, span_of(text, (size_t)len), 0,
                                     (size_t)len) == REGEX_MATCH;
        if (is_found) {
            regex_match_range(scratch, &from, &to);
        }
        s->n_right += is_found && from == 2 && to == (size_t)len - 2;
    }
    regex_scratch_free(scratch);
    return NULL;
}

/* The first search of a pattern makes its machine code: here by several threads at once. */
static void threads_may_search_first_together(void **state)
{
    struct regex *patterns[PATTERNS];
    struct searcher searchers[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    struct error err;

    (void)state;
    for (unsigned i = 0; i < PATTERNS; i++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "key-%u-[0-9]{4}", i);
        patterns[i] = regex_new(span_str(text), &err);
        assert_non_null(patterns[i]);
    }
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        searchers[i] = (struct searcher){.patterns = patterns, .start = &start};
        assert_int_equal(pthread_create(&threads[i], NULL, search_all, &searchers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(searchers[i].n_right, PATTERNS);
    }
    assert_int_equal(pthread_barrier_destroy(&start), 0);
    for (unsigned i = 0; i < PATTERNS; i++) {
        regex_free(patterns[i]);
    }
}

static void a_fault_shows_before_the_first_search(void **state)
{
    struct error err = {0};

    (void)state;
    assert_null(regex_new(span_str("a(b"), &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_string_equal(err.text, "pattern: missing closing parenthesis, at character 3");
}

static void what_a_pattern_is_does_not_wait_for_a_search(void **state)
{
    struct error err;
    struct regex *re = regex_new(span_str("(?<secret>a{2,5})b?"), &err);

    (void)state;
    assert_non_null(re);
    assert_true(regex_has_group(re, span_str("secret")));
    assert_false(regex_has_group(re, span_str("other")));
    assert_int_equal(regex_min_length(re), 2);
    regex_free(re);
}

static struct regex_work work_of(const char *pattern, struct span text)
{
    struct error err;
    struct regex *re = regex_new_counting(span_str(pattern), &err);
    struct regex_scratch *scratch = regex_scratch_new(&err);

    assert_non_null(re);
    assert_int_equal(regex_search(re, scratch, text, 0, text.len), REGEX_NO_MATCH);
    struct regex_work work = regex_work_of(scratch);
    regex_scratch_free(scratch);
    regex_free(re);
    return work;
}

static void work_is_counted_alike_each_time_and_grows_with_backtracking(void **state)
{
    char letters[200];

    (void)state;
    memset(letters, 'a', sizeof(letters));
    memcpy(letters + sizeof(letters) - 2, "-9", 2);
    struct regex_work plain = work_of("b[a-z]{1,50}9", span_of(letters, sizeof(letters)));
    struct regex_work linear = work_of("[a-z]{1,9}9", span_of(letters, sizeof(letters)));
    struct regex_work dear = work_of("[a-z]{1,90}[a-z ]{1,90}9", span_of(letters, sizeof(letters)));
    struct regex_work again = work_of("[a-z]{1,90}[a-z ]{1,90}9", span_of(letters, sizeof(letters)));

    assert_int_equal(plain.searches, 1);
    assert_int_equal(plain.steps, 0); /* there is no 'b' to begin with */
    assert_true(linear.steps > sizeof(letters));
    assert_true(dear.steps > 10 * linear.steps);
    assert_memory_equal(&dear, &again, sizeof(dear));
}

static void a_pattern_without_room_for_callouts_is_counted_by_its_limit(void **state)
{
    char letters[200];

    (void)state;
    memset(letters, 'a', sizeof(letters));
    memcpy(letters + sizeof(letters) - 2, "-c", 2);
    struct regex_work work = work_of("(?:a|b1){2,1800}c", span_of(letters, sizeof(letters)));
    assert_int_equal(work.searches, 1);
    assert_true(work.steps > sizeof(letters) / 2);
    assert_int_equal(work.bytes, sizeof(letters));
}

static void counting_changes_no_answer(void **state)
{
    struct error err;
    struct span text = span_str("a key-1234 and key-99 and key-4321");
    struct regex *counting = regex_new_counting(span_str("key-(?<secret>[0-9]{4})"), &err);
    struct regex_scratch *scratch = regex_scratch_new(&err);
    size_t from, to;

    (void)state;
    assert_int_equal(regex_search(counting, scratch, text, 3, text.len), REGEX_MATCH);
    regex_match_range(scratch, &from, &to);
    assert_int_equal(from, 26);
    assert_int_equal(to, 34);
    regex_scratch_free(scratch);
    regex_free(counting);
}

static void all_of_a_text_is_matched_by_any_way_through_the_pattern(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool all;
    } cases[] = {
        {"a|ab", "ab", true},      {"a|ab", "abc", false},    {"(?:a|ab)(?:c|bcd)", "abcd", true}, {"b", "ab", false},
        {"a*?", "aaa", true},      {"", "", true},            {"", "a", false},                    {"a*", "", true},
        {"^b$", "a\nb", false},    {"a\nb$", "a\nb", true}, {"(?=ab)a", "ab", false},            {".*", "a\nb", false},
        {"\\p{L}+", "\xc3\xa4\xc3\xb6", true},
    };
    struct error err;
    struct regex_scratch *scratch = regex_scratch_new(&err);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct regex *re = regex_new(span_str(cases[i].pattern), &err);
        assert_non_null(re);
        for (int again = 0; again < 2; again++) {
            if (regex_matches_all(re, scratch, span_str(cases[i].text)) != cases[i].all) {
                fail_msg("%s: %s", cases[i].pattern, cases[i].text);
            }
            assert_int_equal(regex_search(re, scratch, span_str("xab"), 0, 3) != REGEX_OVER_LIMIT, true); /* no limit stays */
        }
        regex_free(re);
    }
    regex_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_search_first_together),
        cmocka_unit_test(a_fault_shows_before_the_first_search),
        cmocka_unit_test(what_a_pattern_is_does_not_wait_for_a_search),
        cmocka_unit_test(work_is_counted_alike_each_time_and_grows_with_backtracking),
        cmocka_unit_test(a_pattern_without_room_for_callouts_is_counted_by_its_limit),
        cmocka_unit_test(counting_changes_no_answer),
        cmocka_unit_test(all_of_a_text_is_matched_by_any_way_through_the_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
