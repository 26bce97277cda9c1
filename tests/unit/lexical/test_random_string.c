#include "unit/checks/check_case.h"

#include "lexical/random_string.h"

static double score(const char *text)
{
    return random_string_score(&random_string_shipped, span_str(text), false);
}

static double labelled(const char *text)
{
    return random_string_score(&random_string_shipped, span_str(text), true);
}

static void strings_drawn_at_random_score_high(void **state)
{
    static const char *const strings[] = {
        "WmPFLt0yP35cDfCiRmojiXD7UKsq",  "042g883txnpyjjrbem2gq7vowhqqboxt", "297ZpQoQvQWBmZHHyXUrS1bF",
        "8WmQx2Zr7VtY9bLx3MdCq1",        "HM7b9qUfGXWtRPTSy_RdQSlzspPJUX37", "9f3c07e1b54d8a2260c91e77ab35d",
        "Zk3+vY8/qLr0WmTx5BnHd1CeJg==", "acme_pat_q7XzPw20GkLt4vRb8NfYc3Ds", "mJ4q-Tz81.xPw#92Lr&Vk7",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(strings); i++) {
        if (score(strings[i]) < 0.7) {
            fail_msg("%s: %.3f", strings[i], score(strings[i]));
        }
    }
}

static void what_is_written_scores_low(void **state)
{
    static const char *const strings[] = {
        "someVariableNameOfAClass",
        "DATABASE_CONNECTION_STRING",
        "authentication2024method",
        "getUserAccountByIdentifier",
        "src/main/resources/application.yaml",
        "access_token_expires_in_3600",
        "2024-03-01T12:30:45.123Z",
        "linux-amd64-v1.18.3-rc.2",
        "4111-1111-1111-1111",
        "Lorem.ipsum.dolor.sit",
        "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVy", /* base64 of a sentence */
        "xxxxxxxxxxxxxxxxxxxxxxxx",
        "abcdefghijklmnopqrstuvwxyz",
        "1234567890abcdef1234567890abcdef1234567890abcdef",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(strings); i++) {
        if (score(strings[i]) >= 0.5) {
            fail_msg("%s: %.3f", strings[i], score(strings[i]));
        }
    }
}

static void forms_of_digests_count_unless_the_text_says_that_it_is_a_key(void **state)
{
    static const char *const strings[] = {
        "613f618d95e2b624ca28a33e7a551ee2f01c1237",
        "436a82b84f5f7d66a4a4c899bf5b5ed5",
        "OE09s2r9Z81kxzJYRn07TFM9XA4akrUdoMwr0L8xj38=",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(strings); i++) {
        assert_true(score(strings[i]) < 0.5);
        assert_true(labelled(strings[i]) >= 0.7);
    }
    assert_true(score("5f613f04-6416-40be-a24b-565650d46d11") < labelled("5f613f04-6416-40be-a24b-565650d46d11"));
    /* One more digit is no digest. */
    assert_true(score("613f618d95e2b624ca28a33e7a551ee2f01c12379") > score("613f618d95e2b624ca28a33e7a551ee2f01c1237"));
    assert_true(score("sha512-OE09s2r9Z81kxzJYRn07TFM9XA4akrUdoMwr0L8xj38"
                      "xzfreul335JAWq5oZzymOObrkdz5UnU4kGfJJLY9NlA==") < 0.5);
}

static void any_bytes_have_a_score(void **state)
{
    char bytes[2 * RANDOM_STRING_SAMPLE];

    (void)state;
    assert_true(random_string_score(&random_string_shipped, span_of("", 0), false) == 0);
    for (size_t n = 1; n <= sizeof(bytes); n++) {
        for (size_t i = 0; i < n; i++) {
            bytes[i] = (char)(i * 37 + n * 11);
        }
        double found = random_string_score(&random_string_shipped, span_of(bytes, n), n % 2 == 0);
        assert_true(found >= 0 && found <= 1);
    }
}

static void features_come_in_steps_and_few_are_beyond_one(void **state)
{
    float measured[RANDOM_FEATURES];

    (void)state;
    random_string_measure(&random_string_shipped, span_str("aaab"), measured);
    assert_true(measured[RANDOM_ALWAYS] == 1);
    assert_true(measured[RANDOM_LOWER] == 1);
    assert_true(measured[RANDOM_RUN] == 0.5F); /* two more of the same, in four */
    assert_true(measured[RANDOM_STEPS] == 0.25F);
    assert_true(measured[RANDOM_SHORT] == 819.0F / 1024); /* sixteen of twenty are missing */
    random_string_measure(&random_string_shipped, span_str("00-11"), measured);
    assert_true(measured[RANDOM_DECIMAL] == 1);
    assert_true(measured[RANDOM_HEX] == 0);
}

static void the_check_compares_with_its_least_score(void **state)
{
    struct check_case c = case_of("random_string");

    (void)state;
    assert_passes("random_string", "297ZpQoQvQWBmZHHyXUrS1bF");
    assert_fails("random_string", "getUserAccountByIdentifier");
    assert_fails("random_string", "436a82b84f5f7d66a4a4c899bf5b5ed5");
    assert_fails("random_string", "");
    case_number(&c, "min", 0);
    assert_true(case_passes(&c, "getUserAccountByIdentifier"));
    case_number(&c, "min", 0.7);
    case_number(&c, "labelled", 1);
    assert_true(case_passes(&c, "436a82b84f5f7d66a4a4c899bf5b5ed5"));
    case_number(&c, "min", 1.5);
    assert_false(case_is_accepted(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_drawn_at_random_score_high),
        cmocka_unit_test(what_is_written_scores_low),
        cmocka_unit_test(forms_of_digests_count_unless_the_text_says_that_it_is_a_key),
        cmocka_unit_test(any_bytes_have_a_score),
        cmocka_unit_test(features_come_in_steps_and_few_are_beyond_one),
        cmocka_unit_test(the_check_compares_with_its_least_score),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
