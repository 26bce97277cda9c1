/* test_scanner_narrow.c - of the windows of a group only starts are left that one of its patterns may begin at. */
#include "testing.h"

#include <string.h>

#include "scan/scanner_parts.h"

enum { NONE = UINT32_MAX, MAX = 8 };

static const struct start_pattern patterns[] = {{{"key=[0-9]", 9}, false}, {{"pin [a-z]", 9}, false}};

static struct view_piece pieces[] = {{.from = 0, .to = 21, .transform = "raw"}, {.from = 22, .to = 56, .transform = "raw"}};
static const struct view view = {
    .text = {"a key=7 and key=a pin\n b pin 7 key=1 and then the pin x.", 56}, .pieces = pieces, .n_pieces = COUNT(pieces)};

/* Two windows with a gap between, in the first two places. */
static void set_windows(struct scanner_window items[MAX])
{
    items[0] = (struct scanner_window){.from = 0, .to = 19, .next = 1};
    items[1] = (struct scanner_window){.from = 20, .to = 56, .next = NONE};
}

static void assert_starts(const struct scanner_window *items, uint32_t list, const uint32_t *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_int_not_equal(list, NONE);
        assert_int_equal(items[list].from, expected[i]);
        assert_int_equal(items[list].to, expected[i] + 1);
        list = items[list].next;
    }
    assert_int_equal(list, NONE);
}

/* "key=a" and "pin\n" begin nothing; what is before a window and between two is not asked about, and no match goes on over a piece's end. */
static void starts_of_any_pattern_are_left(void **state)
{
    static const uint32_t expected[] = {2, 31, 50};
    struct scanner_window items[MAX];
    struct scanner_windows w = {.items = items, .used = 2, .max = MAX};
    struct start_filter *f = start_filter_of_all(patterns, COUNT(patterns));

    (void)state;
    set_windows(items);
    assert_non_null(f);
    assert_starts(items, scanner_windows_narrow(&w, f, &view, 0), expected, COUNT(expected));
    assert_int_equal(items[0].to, 19); /* the list itself stays */
    start_filter_free(f);
}

/* Where nothing is free the list is as it was, and the last one that is grows over what is behind it. */
static void without_room_more_is_asked_about(void **state)
{
    struct scanner_window items[MAX];
    struct scanner_windows w = {.items = items, .used = 2, .max = 2};
    struct start_filter *f = start_filter_of_all(patterns, COUNT(patterns));

    (void)state;
    set_windows(items);
    assert_non_null(f);
    assert_int_equal(scanner_windows_narrow(&w, f, &view, 0), 0);
    w.max = 4;
    uint32_t list = scanner_windows_narrow(&w, f, &view, 0);
    assert_int_equal(items[list].from, 2);
    list = items[list].next;
    assert_int_equal(items[list].from, 31);
    assert_int_equal(items[list].to, 51);
    assert_int_equal(items[list].next, NONE);
    start_filter_free(f);
}

static void a_list_without_starts_is_empty(void **state)
{
    struct scanner_window items[MAX] = {{.from = 3, .to = 20, .next = NONE}};
    struct scanner_windows w = {.items = items, .used = 1, .max = MAX};
    struct start_filter *f = start_filter_of_all(patterns, COUNT(patterns));

    (void)state;
    assert_non_null(f);
    assert_int_equal(scanner_windows_narrow(&w, f, &view, 0), NONE);
    start_filter_free(f);
}

/* Each start of a text that is nothing else is admitted: the rest is left to the patterns. */
static void a_text_full_of_starts_is_left_to_the_patterns(void **state)
{
    enum { N = 1000, LEN = 6 };
    static char bytes[N * LEN + 1];
    struct view_piece piece = {.from = 0, .to = N * LEN, .transform = "raw"};
    const struct view full = {.text = {bytes, N * LEN}, .pieces = &piece, .n_pieces = 1};
    struct scanner_window items[2 * N] = {{.from = 0, .to = N * LEN, .next = NONE}};
    struct scanner_windows w = {.items = items, .used = 1, .max = 2 * N};
    struct start_filter *f = start_filter_of_all(patterns, COUNT(patterns));
    uint32_t n = 0, to = 0;

    (void)state;
    assert_non_null(f);
    for (size_t i = 0; i < N; i++) {
        memcpy(bytes + i * LEN, "key=7 ", LEN);
    }
    for (uint32_t list = scanner_windows_narrow(&w, f, &full, 0); list != NONE; list = items[list].next, n++) {
        assert_true(items[list].from >= to);
        to = items[list].to;
    }
    assert_true(n < N / 10);
    assert_int_equal(to, N * LEN);
    start_filter_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_of_any_pattern_are_left),
        cmocka_unit_test(without_room_more_is_asked_about),
        cmocka_unit_test(a_text_full_of_starts_is_left_to_the_patterns),
        cmocka_unit_test(a_list_without_starts_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
