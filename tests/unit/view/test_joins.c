/* test_joins.c - what a reader, a terminal or a program joins, transform by transform: the word, and where it stands. */
#include "views.h"

/* A text, a word of its views, and the part of the text that the word comes from. */
struct form {
    const char *text, *word, *part;
};

static void check_form(const struct form *f)
{
    struct views views;
    size_t from, to;

    views_make(&views, span_str(f->text));
    bool is_found = views_find(&views, f->word, VIEW_LEVELS_MAX, &from, &to);
    if (!is_found) {
        fail_msg("\"%s\": no view says \"%s\"", f->text, f->word);
    }
    assert_int_equal(to - from, strlen(f->part));
    assert_memory_equal(views.text.ptr + from, f->part, to - from);
    views_release(&views);
}

static void check_none(const char *text)
{
    struct views views;

    views_make(&views, span_str(text));
    if (views.level[1] != NULL) {
        fail_msg("\"%s\" is read as \"" SPAN_FMT "\"", text, SPAN_ARG(views.level[1]->text));
    }
    views_release(&views);
}

/* On a terminal a backspace takes a character away; elsewhere it shows as nothing. */
static void a_lone_backspace_is_read_both_ways(void **state)
{
    static const struct form forms[] = {
        {"AKIAQ3EGxx\b\bRVZ7MXK2PLWT", "AKIAQ3EGxxRVZ7MXK2PLWT", "AKIAQ3EGxx\b\bRVZ7MXK2PLWT"},
        {"AKIAQ3EGRVx\bZ7MXK2PLWT", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EGRVx\bZ7MXK2PLWT"},
        {"AKIAQ3EGRV\bZ7MX\bK2PLWT", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EGRV\bZ7MX\bK2PLWT"},
        {"AKIAQ3EG**RV\bZ7MXK2**PLWT", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG**RV\bZ7MXK2**PLWT"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        check_form(&forms[i]);
    }
}

static void markup_inside_a_word_is_taken_out(void **state)
{
    static const struct form forms[] = {
        {"a **AKIAQ3EG**RVZ7MXK2PLWT b", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG**RVZ7MXK2PLWT"},
        {"<b>AKIAQ3EG</b><i class=\"x y\">RVZ7MXK2</i>PLWT", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG</b><i class=\"x y\">RVZ7MXK2</i>PLWT"},
        {"AKIAQ3EG<!-- a > b -->RVZ7<wbr>MXK2PLWT", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG<!-- a > b -->RVZ7<wbr>MXK2PLWT"},
        {"[AKIAQ3EG](https://x.io)RVZ7MXK2PLWT", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG](https://x.io)RVZ7MXK2PLWT"},
        {"AKIAQ3EG[RVZ7MXK2](#)PLWT", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG[RVZ7MXK2](#)PLWT"},
        {"\x1b[1mAKIAQ3EG\x1b[0mRVZ7MXK2PLWT\x1b[0m", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG\x1b[0mRVZ7MXK2PLWT"},
        {" A\bAKIAQ3EGR_\bVZ7MXK2PLWT", "AKIAQ3EGRVZ7MXK2PLWT", "A\bAKIAQ3EGR_\bVZ7MXK2PLWT"},
        {"AKIAQ3EG''RVZ7MXK2\\\nPLWT", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG''RVZ7MXK2\\\nPLWT"},
    };
    static const char *const none[] = {
        "AKIAQ3EG</td><td>RVZ7MXK2PLWT",
        "**bold words1** and *other* `code_1`, [link_1](https://x.io/a) text",
        "vector<int> a_1 = b_2*c_3;",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        check_form(&forms[i]);
    }
    for (size_t i = 0; i < COUNT(none); i++) {
        check_none(none[i]);
    }
}

static void groups_with_the_same_between_are_joined(void **state)
{
    static const struct form forms[] = {
        {"A\u00a0K\u00a0I\u00a0A\u00a0Q\u00a03\u00a0E\u00a0G\u00a0R\u00a0V\u00a0Z\u00a07\u00a0M\u00a0X\u00a0K\u00a02\u00a0P\u00a0L\u00a0W\u00a0T", "AKIAQ3EGRVZ7MXK2PLWT", "A\u00a0K\u00a0I\u00a0A\u00a0Q\u00a03\u00a0E\u00a0G\u00a0R\u00a0V\u00a0Z\u00a07\u00a0M\u00a0X\u00a0K\u00a02\u00a0P\u00a0L\u00a0W\u00a0T"},
        {"1. AKIAQ3EG\n2. RVZ7MXK2\n3. PLWT\n", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG\n2. RVZ7MXK2\n3. PLWT"},
        {"+AKIAQ3EGRVZ7MXK2\n+PLWT\n", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EGRVZ7MXK2\n+PLWT"},
        {"[\"AKIAQ3\", \"EGRVZ7\", \"MXK2PL\", \"WT\"]", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3\", \"EGRVZ7\", \"MXK2PL\", \"WT"},
        {"x41x4bx49x41x51x33x45x47x52x56x5ax37", "AKIAQ3EGRVZ7", "41x4bx49x41x51x33x45x47x52x56x5ax37"},
        {"41.4b.49.41.51.33.45.47.52.56.5a.37", "AKIAQ3EGRVZ7", "41.4b.49.41.51.33.45.47.52.56.5a.37"},
    };
    static const char *const none[] = {
        "This that with only four word like some more",
        "1999 2000 2001 2002 2003 2004 2005",
        "a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c, a, b, c",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        check_form(&forms[i]);
    }
    for (size_t i = 0; i < COUNT(none); i++) {
        check_none(none[i]);
    }
}

static void literals_of_one_expression_are_joined(void **state)
{
    static const struct form forms[] = {
        {"k = ''.join(['AKIAQ3EG', 'RVZ7MXK2PLWT'])", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG', 'RVZ7MXK2PLWT"},
        {"s.append(\"AKIAQ3EG\");\ns.append(\"RVZ7MXK2PLWT\");", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG\");\ns.append(\"RVZ7MXK2PLWT"},
        {"s += \"AKIAQ3EG\";\ns += \"RVZ7MXK2PLWT\";", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG\";\ns += \"RVZ7MXK2PLWT"},
        {"'AKIAQ3EG' || 'RVZ7MXK2PLWT'", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG' || 'RVZ7MXK2PLWT"},
        {"\"AKIAQ3EG\".concat(\"RVZ7MXK2PLWT\")", "AKIAQ3EGRVZ7MXK2PLWT", "AKIAQ3EG\".concat(\"RVZ7MXK2PLWT"},
    };
    static const char *const none[] = {
        "[\"apple_1\", \"banana\", \"cherry\", \"melons\", \"grapes\"]",
        "{\"first_name_1\": \"Anna_12345678\"}",
        "he said \"first_12345678\" and \"second_12345678\"",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        check_form(&forms[i]);
    }
    for (size_t i = 0; i < COUNT(none); i++) {
        check_none(none[i]);
    }
}

static void dumps_are_read_as_the_bytes_that_were_dumped(void **state)
{
    static const struct form forms[] = {
        {"$ xxd k\n00000000: 414b 4941 5133 4547 5256 5a37 4d58 4b32  AKIAQ3EGRVZ7MXK2\n00000010: 504c 5754                                PLWT\n$", "AKIAQ3EGRVZ7MXK2PLWT", "00000000: 414b 4941 5133 4547 5256 5a37 4d58 4b32  AKIAQ3EGRVZ7MXK2\n00000010: 504c 5754                                PLWT"},
        {"text: 00000000: 414b 4941 5133 4547 5256 5a37 4d58 4b32\n00000010: 504c 5754   \n", "AKIAQ3EGRVZ7MXK2PLWT", "00000000: 414b 4941 5133 4547 5256 5a37 4d58 4b32\n00000010: 504c 5754   "},
        {"00000000  41 4b 49 41 51 33 45 47  52 56 5a 37 4d 58 4b 32  |AKIAQ3EGRVZ7MXK2|\n00000010  50 4c 57 54   |PLWT|\n00000014\n", "AKIAQ3EGRVZ7MXK2PLWT", "00000000  41 4b 49 41 51 33 45 47  52 56 5a 37 4d 58 4b 32  |AKIAQ3EGRVZ7MXK2|\n00000010  50 4c 57 54   |PLWT|"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        check_form(&forms[i]);
    }
}

static void sums_of_codes_are_read_as_characters(void **state)
{
    static const struct form forms[] = {
        {"chr(65)+chr(75)+chr(73)+chr(65)+chr(81)+chr(51)+chr(69)+chr(71)", "AKIAQ3EG", "65)+chr(75)+chr(73)+chr(65)+chr(81)+chr(51)+chr(69)+chr(71"},
        {"[char]65 + [char]75 + [char]73 + [char]65 + [char]81 + [char]51 + [char]69 + [char]71", "AKIAQ3EG", "65 + [char]75 + [char]73 + [char]65 + [char]81 + [char]51 + [char]69 + [char]71"},
    };
    static const char *const none[] = {
        "f(12) + g(13) * h(14) - f(15) / g(16) and x[17] + y[18]",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        check_form(&forms[i]);
    }
    for (size_t i = 0; i < COUNT(none); i++) {
        check_none(none[i]);
    }
}

static void base32_is_decoded(void **state)
{
    static const struct form forms[] = {
        {"key IFFUSQKRGNCUOUSWLI3U2WCLGJIEYV2U", "AKIAQ3EGRVZ7MXK2PLWT", "IFFUSQKRGNCUOUSWLI3U2WCLGJIEYV2U"},
    };
    static const char *const none[] = {
        "key JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXA",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        check_form(&forms[i]);
    }
    for (size_t i = 0; i < COUNT(none); i++) {
        check_none(none[i]);
    }
}

static void compressed_text_is_inflated_within_its_bound(void **state)
{
    static const struct form forms[] = {
        {"zlib eJxz9PZ0DDR2dQ8KizL3jfA2CvAJDwEAO0kFyQ==", "AKIAQ3EGRVZ7MXK2PLWT", "eJxz9PZ0DDR2dQ8KizL3jfA2CvAJDwEAO0kFyQ=="},
        {"gzip H4sIAAAAAAACA3P09nQMNHZ1DwqLMveN8DYK8AkPAQBiAVQNFAAAAA==", "AKIAQ3EGRVZ7MXK2PLWT", "H4sIAAAAAAACA3P09nQMNHZ1DwqLMveN8DYK8AkPAQBiAVQNFAAAAA=="},
        {"hex 789c73f4f6740c3476750f0a8b32f78df0360af0090f01003b4905c9", "AKIAQ3EGRVZ7MXK2PLWT", "789c73f4f6740c3476750f0a8b32f78df0360af0090f01003b4905c9"},
    };
    struct views views;
    size_t from, to;

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        check_form(&forms[i]);
    }
    /* A megabyte of one word, compressed. */
    views_make(&views, span_str("eNrtwzENAAAIwDBtOwn+/SCCt03aTqmqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqPh6uQkEp"));
    assert_true(views_find(&views, "AKIAAKIAAKIA", 1, &from, &to));
    assert_true(views.level[1]->text.len <= 64 * 1024 + 1);
    views_release(&views);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_inside_a_word_is_taken_out),
        cmocka_unit_test(a_lone_backspace_is_read_both_ways),
        cmocka_unit_test(groups_with_the_same_between_are_joined),
        cmocka_unit_test(literals_of_one_expression_are_joined),
        cmocka_unit_test(dumps_are_read_as_the_bytes_that_were_dumped),
        cmocka_unit_test(sums_of_codes_are_read_as_characters),
        cmocka_unit_test(base32_is_decoded),
        cmocka_unit_test(compressed_text_is_inflated_within_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
