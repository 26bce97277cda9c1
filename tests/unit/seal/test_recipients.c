#include "testing.h"

#include "seal/recipients.h"

#define A "age1de9rkdgttec0j3urvn0cfcrt28a6x56k9lcd9tnhucmwh2p8xutqm589r3"
#define B "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"

static bool read(const char *text, size_t *n, struct error *err)
{
    static struct age_recipient out[RECIPIENTS_MAX];

    return recipients_read("recipients/legal", span_str(text), out, n, err);
}

static void reads_one_recipient_a_line_with_comments(void **state)
{
    (void)state;
    struct error err;
    size_t n = 0;

    assert_true(read("# legal\n" A "\n\n  \n#" A "\n" B "  \r\n", &n, &err));
    assert_int_equal(n, 2);
    assert_true(read(A "\n" B, &n, &err));
    assert_int_equal(n, 2);
}

static void names_what_was_expected_and_quotes_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } wrong[] = {
        {"", "recipients/legal: at least 2 recipients"},
        {A "\n", "recipients/legal: at least 2 recipients"},
        {A "\n# again\n" A "\n", "recipients/legal:3:1: each recipient once"},
        {A "\nfoe@example.org\n", "recipients/legal:2:1: a recipient of age expected"},
        {A "\n" B " " A "\n", "recipients/legal:2:1: a recipient of age expected"},
        {"AGE-SECRET-KEY-1Y3FT24GELX3KMCDC6DF7AF644PMYM7XV989M4H7YA780ZK7NCYXS5HHTGS\n", "recipients/legal:1:1: "},
        {"age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq\n", "recipients/legal:1:1: "},
    };
    struct error err;
    size_t n = 7;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(read(wrong[i].text, &n, &err));
        assert_memory_equal(err.text, wrong[i].expected, strlen(wrong[i].expected));
        assert_null(strstr(err.text, "foe"));
        assert_null(strstr(err.text, "Y3FT"));
    }
    assert_int_equal(n, 7);
}

static void a_point_of_low_order_is_no_recipient(void **state)
{
    (void)state;
    const struct age_recipient zero = {{0}};
    char text[AGE_RECIPIENT_TEXT + 1];
    struct error err;
    size_t n;

    age_recipient_write(&zero, text);
    assert_false(read(text, &n, &err));
    assert_non_null(strstr(err.text, "low order"));
}

static void a_group_has_a_name_that_stays_in_its_folder(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "..", "a/b", "a b", "/etc", "a.b", "é"};

    assert_true(recipients_is_name(span_str("compliance-EU_2")));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(recipients_is_name(span_str(wrong[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_one_recipient_a_line_with_comments),
        cmocka_unit_test(names_what_was_expected_and_quotes_nothing),
        cmocka_unit_test(a_point_of_low_order_is_no_recipient),
        cmocka_unit_test(a_group_has_a_name_that_stays_in_its_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
