#include "testing.h"

#include <stdio.h>

#include "ctl/command.h"

static const struct command some = {
    .name = "some command",
    .operands = "FILE…",
    .summary = "Do something",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_JOBS) | OPTION_BIT(OPTION_MIN_CONFIDENCE) |
               OPTION_BIT(OPTION_INPUT),
    .formats = "text|json",
    .min_operands = 1,
    .max_operands = 2,
};

enum { WORDS_MAX = 16, LINE_BYTES = 256 };

/* A command line: its words, and the storage they stand in. */
struct words {
    char line[LINE_BYTES];
    char *items[WORDS_MAX];
};

static bool parse(const char *line, struct words *words, struct arguments *out)
{
    int n = 0;

    (void)snprintf(words->line, sizeof(words->line), "x %s", line);
    for (char *at = words->line; at != NULL && *at != '\0';) {
        words->items[n++] = strsep(&at, " ");
    }
    words->items[n] = NULL;
    return options_parse(&some, n, words->items, out);
}

static void options_and_operands_may_stand_in_any_order(void **state)
{
    struct words words;
    struct arguments args;

    (void)state;
    assert_true(parse("a --jobs=3 --rules dir b --min-confidence 0.5", &words, &args));
    assert_int_equal(args.n_operands, 2);
    assert_string_equal(args.operands[1], "b");
    assert_int_equal(args.jobs, 3);
    assert_string_equal(args.rules, "dir");
    assert_true(args.min_confidence > 0.49 && args.min_confidence < 0.51);
}

static void nothing_given_is_known_to_be_so(void **state)
{
    struct words words;
    struct arguments args;

    (void)state;
    assert_true(parse("a", &words, &args));
    assert_true(args.min_confidence < 0);
    assert_int_equal(args.jobs, 0);
    assert_null(args.format);
}

static void mistakes_are_refused(void **state)
{
    static const char *const lines[] = {"",
                                        "a b c",
                                        "a --jobs=0",
                                        "a --jobs=x",
                                        "a --min-confidence=1.1",
                                        "a --min-confidence=nan",
                                        "a --input=xml",
                                        "a --format=sarif",
                                        "a --pipe"};
    struct words words;
    struct arguments args;

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_false(parse(lines[i], &words, &args));
    }
}

static void help_lists_the_options_of_the_command(void **state)
{
    struct buf out;
    struct error err;

    (void)state;
    buf_init(&out, 65536);
    assert_true(options_help(&some, &out, &err));
    assert_true(buf_append_char(&out, '\0', &err));
    assert_non_null(strstr(out.data, "--jobs"));
    assert_non_null(strstr(out.data, "text|json"));
    assert_null(strstr(out.data, "--pipe"));
    buf_deinit(&out);
}

static void a_word_is_found_whole_in_a_list(void **state)
{
    (void)state;
    assert_true(options_is_one_of("text|json", "json"));
    assert_true(options_is_one_of("text|json", "text"));
    assert_false(options_is_one_of("text|ndjson", "json"));
    assert_false(options_is_one_of("text|json", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_and_operands_may_stand_in_any_order),
        cmocka_unit_test(nothing_given_is_known_to_be_so),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(help_lists_the_options_of_the_command),
        cmocka_unit_test(a_word_is_found_whole_in_a_list),
    };

    if (freopen("/dev/null", "w", stderr) == NULL) { /* what is refused is said there */
        return 2;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
