#include "testing.h"

#include "base/similar.h"

static const char *hint(const char *word, const char *const *known, char text[SIMILAR_HINT_MAX])
{
    struct similar s;

    similar_init(&s, span_str(word));
    for (; *known != NULL; known++) {
        similar_offer(&s, span_str(*known));
    }
    return similar_hint(&s, "", text);
}

static void a_slip_of_the_hand_is_seen_through(void **state)
{
    static const char *const known[] = {"check", "redact", "rules list", "agents list", "iban", NULL};
    static const char *const slips[][2] = {
        {"chekc", "check"}, {"chck", "check"},          {"cheeck", "check"},           {"chick", "check"},
        {"redcat", "redact"}, {"rule list", "rules list"}, {"agnets list", "agents list"}, {"ibna", "iban"},
    };
    char text[SIMILAR_HINT_MAX], wanted[SIMILAR_HINT_MAX];

    (void)state;
    for (size_t i = 0; i < COUNT(slips); i++) {
        (void)snprintf(wanted, sizeof(wanted), " (did you mean %s?)", slips[i][1]);
        assert_string_equal(hint(slips[i][0], known, text), wanted);
    }
}

static void what_is_not_near_is_not_guessed(void **state)
{
    static const char *const known[] = {"check", "redact", "iban", NULL};
    static const char *const words[] = {"", "x", "frobnicate", "policy", "an", "nabi"};
    char text[SIMILAR_HINT_MAX];

    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        assert_string_equal(hint(words[i], known, text), "");
    }
}

static void names_with_parts_left_out_are_found_the_nearest_first(void **state)
{
    static const char *const known[] = {"gcp-api-key", "aws-bedrock-long-key", "aws-secret-access-key", "aws-access-key-id",
                                        "aws-account-key", "key-aws", NULL};
    char text[SIMILAR_HINT_MAX];

    (void)state;
    assert_string_equal(hint("aws-key", known, text),
                        " (did you mean aws-account-key, aws-bedrock-long-key or aws-secret-access-key?)");
}

static void a_beginning_stands_for_what_it_begins(void **state)
{
    static const char *const known[] = {"min-confidence", "min-length", "jobs", NULL};
    char text[SIMILAR_HINT_MAX];

    (void)state;
    assert_string_equal(hint("min", known, text), " (did you mean min-confidence or min-length?)");
}

static void words_of_any_length_are_borne(void **state)
{
    char word[200], text[SIMILAR_HINT_MAX];
    const char *const known[] = {word, "check", NULL};

    (void)state;
    for (size_t len = 0; len < sizeof(word); len++) {
        memset(word, 'a', sizeof(word));
        word[len] = '\0';
        assert_non_null(hint(word, known, text));
        assert_true(strlen(text) < SIMILAR_HINT_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_of_the_hand_is_seen_through),
        cmocka_unit_test(what_is_not_near_is_not_guessed),
        cmocka_unit_test(names_with_parts_left_out_are_found_the_nearest_first),
        cmocka_unit_test(a_beginning_stands_for_what_it_begins),
        cmocka_unit_test(words_of_any_length_are_borne),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
