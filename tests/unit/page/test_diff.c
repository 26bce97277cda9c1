#include "testing.h"

#include "page/diff.h"

static struct error err;
static char shown[4096];
static size_t changed;

static void take(void *context, enum diff_kind kind, struct span line)
{
    static const char signs[] = {[DIFF_SAME] = ' ', [DIFF_REMOVED] = '-', [DIFF_ADDED] = '+', [DIFF_GAP] = '~'};
    size_t at = strlen(shown);

    (void)context;
    (void)snprintf(shown + at, sizeof(shown) - at, "%c" SPAN_FMT "|", signs[kind], SPAN_ARG(line));
}

static const char *diff(const char *before, const char *after)
{
    struct arena memory;

    arena_init(&memory, 0, 4UL * 1024 * 1024);
    shown[0] = '\0';
    assert_true(diff_texts(&memory, span_str(before), span_str(after), take, NULL, &changed, &err));
    arena_deinit(&memory);
    return shown;
}

static void changes_are_the_fewest_with_lines_around(void **state)
{
    (void)state;
    assert_string_equal(diff("a\nb\nc\n", "a\nx\nc\n"), " a|-b|+x| c|");
    assert_int_equal(changed, 2);
    assert_string_equal(diff("a\nb\nc\nd\n", "b\nc\ne\nd\n"), "-a| b| c|+e| d|");
    assert_string_equal(diff("", "a\n"), "+a|");
    assert_string_equal(diff("a", ""), "-a|");
    assert_string_equal(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"), "~| 6| 7| 8|-9|+nine|");
}

static void equal_texts_have_no_change(void **state)
{
    (void)state;
    assert_string_equal(diff("a\nb\n", "a\nb\n"), "~|");
    assert_int_equal(changed, 0);
    assert_string_equal(diff("a\nb\n", "a\nb"), "~|"); /* the end of the last line is none */
}

/* Whatever the texts: without '+' it is the first, without '-' the second. */
static void a_difference_leads_from_one_to_the_other(void **state)
{
    (void)state;
    unsigned seed = 7;

    for (unsigned round = 0; round < 300; round++) {
        char texts[2][64] = {"", ""}, rebuilt[2][64] = {"", ""};
        for (size_t t = 0; t < 2; t++) {
            for (size_t i = 0; i < 6; i++) {
                seed = seed * 1103515245U + 12345U;
                (void)snprintf(texts[t] + strlen(texts[t]), 3, "%c\n", (char)('a' + (seed >> 16) % 3));
            }
        }
        (void)diff(texts[0], texts[1]);
        for (const char *at = shown; *at != '\0'; at = strchr(at, '|') + 1) {
            for (size_t t = 0; t < 2; t++) {
                if (at[0] == ' ' || at[0] == "-+"[t]) {
                    (void)snprintf(rebuilt[t] + strlen(rebuilt[t]), 3, "%c\n", at[1]);
                }
            }
        }
        if (strcmp(texts[0], texts[1]) != 0 && strchr(shown, '~') == NULL) {
            assert_string_equal(rebuilt[0], texts[0]);
            assert_string_equal(rebuilt[1], texts[1]);
        }
    }
}

static void a_long_text_has_a_limit(void **state)
{
    (void)state;
    static char text[2 * (DIFF_LINES_MAX + 1) + 1];
    struct arena memory;

    for (size_t i = 0; i <= DIFF_LINES_MAX; i++) {
        memcpy(text + 2 * i, "x\n", 2);
    }
    arena_init(&memory, 0, 4UL * 1024 * 1024);
    assert_false(diff_texts(&memory, span_str(text), span_str(""), take, NULL, &changed, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    arena_deinit(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_the_fewest_with_lines_around),
        cmocka_unit_test(equal_texts_have_no_change),
        cmocka_unit_test(a_difference_leads_from_one_to_the_other),
        cmocka_unit_test(a_long_text_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
