/* test_shown_path.c - what of a path may leave filterd. */
#include "testing.h"

#include "decision_log/path_words.h"
#include "decision_log/shown_path.h"
#include "decision_log/value_token.h"

static const struct decision_keys keys = {.token = {1, 2, 3}, .key_id = "k1"};

static struct shown_path shown;
static struct error err;

static const char *show(const char *path, enum shown_names names, const struct decision_keys *with, size_t max)
{
    static char text[SHOWN_PATH_MAX + 1];

    assert_true(shown_path_make(&shown, span_str(path), names, with, max, &err));
    memcpy(text, shown.text, shown.len);
    text[shown.len] = '\0';
    return text;
}

static void ordinary_paths_stay_readable(void **state)
{
    static const char *const paths[] = {
        "",
        "/",
        "/choices/0/message/content",
        "/choices/0/delta/reasoning_content",
        "/arguments/to",
        "/arguments/customer_email",
        "/arguments/customerEmail",
        "/arguments/items/1048575/unit_price",
        "/candidates/0/content/parts/1/executableCode/code",
        "/response.output_text.delta/0/1/delta",
        "/content_block_delta/0/delta/partial_json",
        "/messages/12/tool_calls/0/function/arguments",
        "/X-Request-Id/URL",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        assert_string_equal(show(paths[i], NAMES_OF_WORDS, NULL, SHOWN_PATH_MAX), paths[i]);
    }
}

/* Halves of secrets, persons, letters that spell something, one by one. */
static void no_other_name_is_shown(void **state)
{
    static const char *const names[] = {
        "E2EKEY-4kq9Zt7X",
        "w2Lm8Rv5Bn3Jc6Hd",
        "ghp_R7tY",
        "wJalrXUtnFEMI",
        "hunter",
        "anna_mueller",
        "user@example.com",
        "k",
        "E",
        "~24111",
        "2026",
        "content4111",
        "content 4111",
        "content__text",
        "content_",
        "_text",
        "text_text_text_text_text_text_text",
        "cOnTent",
        "conTent",
        "caf\xc3\xa9",
        "a~1b",
        "content\nfile",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[128], expected[128];
        struct value_token token;
        bool is_digits = names[i][0] == '~' && names[i][1] == '2';

        (void)snprintf(path, sizeof(path), "/items/7/%s/text", names[i]);
        if (strcmp(names[i], "2026") != 0) { /* that is an index here */
            assert_string_equal(show(path, NAMES_OF_WORDS, NULL, SHOWN_PATH_MAX), "/items/7/[name]/text");
            assert_true(value_token_mark(&keys, span_str(names[i] + (is_digits ? 2 : 0)), &token, &err));
            (void)snprintf(expected, sizeof(expected), "/items/7/%s/text", token.text);
            assert_string_equal(show(path, NAMES_OF_WORDS, &keys, SHOWN_PATH_MAX), expected);
        }
        assert_string_equal(show(names[i], NAMES_OF_WORDS, NULL, SHOWN_PATH_MAX), "[name]");
    }
}

static void hidden_names_leave_the_indexes(void **state)
{
    (void)state;
    assert_string_equal(show("/content/1234567/12345678", NAMES_HIDDEN, NULL, SHOWN_PATH_MAX), "/[name]/1234567/[name]");
    assert_string_equal(show("/content/4111111111111111", NAMES_OF_WORDS, NULL, SHOWN_PATH_MAX), "/content/[name]");
    assert_string_equal(show("/content/3/~25/text", NAMES_HIDDEN, NULL, SHOWN_PATH_MAX), "/[name]/3/[name]/[name]");
}

static void delivered_names_come_out_as_a_json_pointer(void **state)
{
    (void)state;
    assert_string_equal(show("/anna~1b/~217/0", NAMES_DELIVERED, NULL, SHOWN_PATH_MAX), "/anna~1b/17/0");
}

static void a_path_without_room_is_one_token(void **state)
{
    struct value_token token;

    (void)state;
    assert_string_equal(show("/content/text", NAMES_OF_WORDS, NULL, 12), "[path]");
    assert_string_equal(show("/content/text", NAMES_OF_WORDS, NULL, 13), "/content/text");
    assert_true(value_token_mark(&keys, span_str("/content/text"), &token, &err));
    assert_string_equal(show("/content/text", NAMES_OF_WORDS, &keys, 12), token.text);
}

/* An exchange of a name, with its member's value. */
static struct exchange exchange_of(struct channel channels[2], struct finding *finding)
{
    channels[0] = (struct channel){.path = span_str("/to"), .text = span_str("to"), .judged = 2, .is_member_name = true};
    channels[1] = (struct channel){.path = span_str("/to"), .text = span_str("me"), .judged = 2};
    *finding = (struct finding){.channel = 1};
    return (struct exchange){.action = ACTION_REDACT,
                             .channels = channels,
                             .n_channels = 2,
                             .findings = finding,
                             .n_findings = 1,
                             .bytes = 4,
                             .judged = 4};
}

static void a_finding_in_any_name_hides_all(void **state)
{
    struct channel channels[2];
    struct finding finding;
    struct exchange x = exchange_of(channels, &finding);

    (void)state;
    assert_int_equal(shown_names_on_record(&x), NAMES_OF_WORDS);
    x.has_findings_in_names = true;
    assert_int_equal(shown_names_on_record(&x), NAMES_HIDDEN);
    assert_int_equal(shown_names_to_caller(&x), NAMES_HIDDEN);
    x.has_findings_in_names = false;
    finding.channel = 0;
    assert_int_equal(shown_names_on_record(&x), NAMES_HIDDEN);
    assert_int_equal(shown_names_to_caller(&x), NAMES_HIDDEN);
}

static void names_that_were_not_judged_are_hidden(void **state)
{
    struct channel channels[2];
    struct finding finding;
    struct exchange x = exchange_of(channels, &finding);

    (void)state;
    channels[0].judged = 1;
    assert_int_equal(shown_names_on_record(&x), NAMES_HIDDEN);
    channels[0].judged = 2;
    x.unjudged_reason = "limit reached";
    assert_int_equal(shown_names_on_record(&x), NAMES_HIDDEN);
    assert_int_equal(shown_names_to_caller(&x), NAMES_HIDDEN);
}

static void callers_see_the_names_that_they_are_given(void **state)
{
    struct channel channels[2];
    struct finding finding;
    struct exchange x = exchange_of(channels, &finding);

    (void)state;
    assert_int_equal(shown_names_to_caller(&x), NAMES_DELIVERED);
    x.judged = 3;
    assert_int_equal(shown_names_to_caller(&x), NAMES_OF_WORDS);
    x.judged = 4;
    x.action = ACTION_BLOCK;
    assert_int_equal(shown_names_to_caller(&x), NAMES_OF_WORDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_paths_stay_readable),
        cmocka_unit_test(no_other_name_is_shown),
        cmocka_unit_test(hidden_names_leave_the_indexes),
        cmocka_unit_test(delivered_names_come_out_as_a_json_pointer),
        cmocka_unit_test(a_path_without_room_is_one_token),
        cmocka_unit_test(a_finding_in_any_name_hides_all),
        cmocka_unit_test(names_that_were_not_judged_are_hidden),
        cmocka_unit_test(callers_see_the_names_that_they_are_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
