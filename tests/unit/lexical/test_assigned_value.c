#include "unit/checks/check_case.h"

#include "lexical/assigned_value.h"
#include "lexical/assigned_words.h"

static double score(const char *before, const char *value)
{
    return assigned_value_score(&assigned_value_shipped, span_str(before), span_str(value));
}

struct named {
    const char *before, *value;
};

static void a_random_value_behind_the_name_of_a_secret_scores_high(void **state)
{
    static const struct named pairs[] = {
        {"wobblio_key = ", "cf3cacafabe747988298298bffcbb459"},
        {"WOBBLIO_API_TOKEN=", "k8Jx2Lq9Zr4Tn7VwB3dE5mQs"},
        {"  \"clientSecret\": \"", "WmPFLt0yP35cDfCiRmojiXD7UKsq"},
        {"db.password=", "vK7#tq2Zp9"},
        {"id: ops, pw: ", "Tz8-wmQ41x!"},
        {"비번:", "g4LqP0zx7R"},
        {"const wobblio = \"", "Zk3vY8qLr0WmTx5BnHd1CeJgP4sQ"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (score(pairs[i].before, pairs[i].value) < 0.9) {
            fail_msg("%s%s: %.3f", pairs[i].before, pairs[i].value, score(pairs[i].before, pairs[i].value));
        }
    }
}

static void a_random_value_behind_another_name_scores_low(void **state)
{
    static const struct named pairs[] = {
        {"sha1 = ", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"checksum = \"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"commit ", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"\"integrity\": \"", "sha512-oLDq3jw7AcLqKWH2AhCpVTZl8mf6X2YReP+Neh0SJUzV/BdZYjth94tG5toiMB1PPrYtxOCfaoUCkvtuH+3AJA=="},
        {"wobblio.com/mod v1.4.2 h1:", "oLDq3jw7AcLqKWH2AhCpVTZl8mf6X2YReP0Neh0SJUw="},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (score(pairs[i].before, pairs[i].value) >= 0.5) {
            fail_msg("%s%s: %.3f", pairs[i].before, pairs[i].value, score(pairs[i].before, pairs[i].value));
        }
    }
}

static void what_is_written_behind_the_name_of_a_secret_scores_low(void **state)
{
    static const struct named pairs[] = {
        {"token = ", "request.headers"},
        {"api_key: ", "process.env.API_KEY_2"},
        {"password = ", "utf8_to_utf16_dup"},
        {"secret_file = ", "/etc/wobblio/secret2.json"},
        {"token_url: ", "https://login.wobblio.com/oauth2/token"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (score(pairs[i].before, pairs[i].value) >= 0.9) {
            fail_msg("%s%s: %.3f", pairs[i].before, pairs[i].value, score(pairs[i].before, pairs[i].value));
        }
    }
}

static void only_the_line_and_its_last_bytes_count(void **state)
{
    static const char value[] = "k8Jx2Lq9Zr4Tn7VwB3dE5mQs";
    char far[ASSIGNED_BEFORE * 2 + 16];

    (void)state;
    assert_true(score("password\nwobblio = ", value) == score("wobblio = ", value));
    memset(far, 'x', sizeof(far));
    memcpy(far + sizeof(far) - sizeof(" wobblio = "), " wobblio = ", sizeof(" wobblio = "));
    double without = score(far, value);
    memcpy(far, "password ", strlen("password "));
    assert_true(score(far, value) == without);
}

static void a_value_alone_on_its_line_has_the_name_of_the_line_above(void **state)
{
    static const char value[] = "5f0e9f417c3b4d529e0a6b1f7d83c2a9";

    (void)state;
    assert_true(score("API Key:\n  ", value) >= 0.75);
    assert_true(score("Checksum:\n  ", value) < 0.5);
    assert_true(score("password\nwobblio:\n", value) == score("wobblio:\n", value));
}

/* The same name, length and kinds of characters. */
static void what_is_drawn_scores_higher_than_what_programs_name(void **state)
{
    static const char *const drawn[] = {"k8jx2lq9zr", "p4wq7zn2kd"}, *const named[] = {"utf8tables", "handler213"};

    (void)state;
    for (size_t i = 0; i < COUNT(drawn); i++) {
        assert_true(score("wobblio_token = ", drawn[i]) > score("wobblio_token = ", named[i]));
    }
}

static void any_bytes_give_a_score(void **state)
{
    char before[300], value[300];
    uint32_t seed = 17;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        size_t n_before = (size_t)round % sizeof(before), n_value = 1 + (size_t)round * 7 % (sizeof(value) - 1);
        for (size_t i = 0; i < sizeof(before); i++) {
            seed = seed * 1664525U + 1013904223U;
            before[i] = (char)(seed >> 24);
            value[i] = (char)(seed >> 16);
        }
        double found = assigned_value_score(&assigned_value_shipped, span_of(before, n_before), span_of(value, n_value));
        assert_true(found >= 0 && found <= 1);
    }
    assert_true(assigned_value_score(&assigned_value_shipped, span_str("key="), span_str("")) == 0);
}

static void a_word_says_what_its_value_is_by_its_longest_ending(void **state)
{
    static const struct {
        const char *word;
        enum assigned_meaning meaning;
    } words[] = {
        {"password", ASSIGNED_PASSWORD}, {"dbpassword", ASSIGNED_PASSWORD}, {"apikey", ASSIGNED_SECRET},   {"key", ASSIGNED_KEY},
        {"hotkey", ASSIGNED_KEY},        {"pubkey", ASSIGNED_PUBLIC},       {"checksum", ASSIGNED_DIGEST}, {"uuid", ASSIGNED_IDENTIFIER},
        {"baseurl", ASSIGNED_PLACE},     {"id", ASSIGNED_IDENTIFIER},       {"grid", ASSIGNED_UNKNOWN},    {"wobblio", ASSIGNED_UNKNOWN},
        {"密码", ASSIGNED_PASSWORD},     {"", ASSIGNED_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        if (assigned_word_meaning(span_str(words[i].word)) != words[i].meaning) {
            fail_msg("%s: %d", words[i].word, (int)assigned_word_meaning(span_str(words[i].word)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_value_behind_the_name_of_a_secret_scores_high),
        cmocka_unit_test(a_random_value_behind_another_name_scores_low),
        cmocka_unit_test(what_is_written_behind_the_name_of_a_secret_scores_low),
        cmocka_unit_test(only_the_line_and_its_last_bytes_count),
        cmocka_unit_test(a_value_alone_on_its_line_has_the_name_of_the_line_above),
        cmocka_unit_test(what_is_drawn_scores_higher_than_what_programs_name),
        cmocka_unit_test(any_bytes_give_a_score),
        cmocka_unit_test(a_word_says_what_its_value_is_by_its_longest_ending),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
