#include "testing.h"

#include <stdio.h>

#include "base/ascii.h"
#include "mask/restore.h"

static const uint8_t key[MASKING_KEY] = {4, 5, 6};
static const char quoted[] = "Jana \"J\" Example\n\\o/";
static struct error err;
static struct masking *m;
static struct span name, secret, card, mail; /* pseudonyms */
static struct restore_counts counts;
static struct buf out;

static struct span issue(const char *kind, unsigned category, enum masking_form form, const char *value)
{
    struct masked_value v = {.kind = span_str(kind), .categories = 1U << category, .form = form, .value = span_str(value)};
    struct span p;

    assert_true(masking_pseudonym(m, &v, NULL, 0, &p, &err));
    return p;
}

static int set_up(void **state)
{
    (void)state;
    m = masking_new(key, &masking_limits_default, &err);
    assert_non_null(m);
    name = issue("person-name", 1, MASKING_LABEL, quoted);
    secret = issue("github-token", 0, MASKING_LABEL, "ghx_made_up_value");
    card = issue("payment-card", 1, MASKING_CARD, "5105 1051 0510 5100");
    mail = issue("email-address", 1, MASKING_EMAIL, "jana@company.example");
    counts = (struct restore_counts){0};
    buf_init(&out, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    buf_deinit(&out);
    masking_unref(m);
    return 0;
}

/* The text with %n, %s, %c and %m for the pseudonyms. */
static struct span text_of(const char *format, char *text)
{
    size_t n = 0;

    for (; *format != '\0'; format++) {
        struct span p = span_of(format, 1);
        if (*format == '%') {
            format++;
            p = *format == 'n' ? name : *format == 's' ? secret : *format == 'c' ? card : mail;
        }
        memcpy(text + n, p.ptr, p.len);
        n += p.len;
    }
    return span_of(text, n);
}

static void assert_out(const char *expected)
{
    if (!span_is(buf_span(&out), expected)) {
        fail_msg("got '%.*s', expected '%s'", (int)out.len, out.data, expected);
    }
}

/* Whole, and cut at every place, and in single bytes. */
static void assert_restored(enum restore_syntax syntax, unsigned withheld, struct span text, const char *expected)
{
    buf_clear(&out);
    assert_true(restore_whole(m, syntax, withheld, text, &counts, &out, &err));
    assert_out(expected);
    for (size_t cut = 0; cut <= text.len + 1; cut++) {
        struct restorer r;
        buf_clear(&out);
        restorer_init(&r, m, syntax, withheld);
        for (size_t at = 0; at < text.len;) {
            size_t to = cut > text.len ? at + 1 : at < cut ? cut : text.len;
            assert_true(restorer_feed(&r, span_slice(text, at, to), false, &out, &err));
            at = to;
        }
        assert_true(restorer_feed(&r, span_of("", 0), true, &out, &err));
        restorer_deinit(&r);
        assert_out(expected);
    }
}

static void assert_text(const char *format, const char *expected)
{
    char text[1000];

    assert_restored(RESTORE_TEXT, 0, text_of(format, text), expected);
}

static void values_come_back_however_the_text_is_cut(void **state)
{
    (void)state;
    assert_text("Dear %n, your card %c and %m.", "Dear Jana \"J\" Example\n\\o/, your card 5105 1051 0510 5100 and jana@company.example.");
    assert_text("%s%s", "ghx_made_up_valueghx_made_up_value");
    assert_text("[[%s]", "[[ghx_made_up_value]");
    assert_text("[person-%s", "[person-ghx_made_up_value");
    assert_text("[person-name-%n", "[person-name-Jana \"J\" Example\n\\o/");
    assert_text("[github-[github-token-%s", "[github-[github-token-ghx_made_up_value");
}

static void case_may_change(void **state)
{
    char text[1000];
    (void)state;

    struct span all = text_of("%n %m", text);
    for (size_t i = 0; i < all.len; i += 2) {
        text[i] = ascii_is_lower(text[i]) ? (char)(text[i] - 32) : text[i];
    }
    assert_restored(RESTORE_TEXT, 0, all, "Jana \"J\" Example\n\\o/ jana@company.example");
}

static void what_was_not_issued_stays_and_is_counted(void **state)
{
    char text[1000], expected[1000];
    (void)state;

    assert_text("a [person-name-zz] b", "a [person-name-zz] b");
    assert_int_equal(counts.unknown, 1);
    struct span all = text_of("open %n", text);
    (void)snprintf(expected, sizeof(expected), "%.*s", (int)all.len - 1, all.ptr);
    assert_restored(RESTORE_TEXT, 0, span_slice(all, 0, all.len - 1), expected);
    assert_int_equal(counts.unknown, 2);
    assert_int_equal(counts.restored, 0);
    assert_text("[no] [1] [x](y) [", "[no] [1] [x](y) [");
    assert_int_equal(counts.unknown, 2);
}

static void another_conversations_pseudonyms_are_unknown(void **state)
{
    struct masking *other = masking_new(NULL, &masking_limits_default, &err);
    char text[1000];
    (void)state;

    struct span all = text_of("%n %s %c %m", text);
    assert_true(restore_whole(other, RESTORE_GUESS, 0, all, &counts, &out, &err));
    assert_true(span_equal(buf_span(&out), all));
    assert_int_equal(counts.restored, 0);
    masking_unref(other);
}

static void a_category_may_be_withheld(void **state)
{
    char text[1000], expected[1000];
    (void)state;

    struct span all = text_of("%s and %m", text);
    (void)snprintf(expected, sizeof(expected), "%.*s and jana@company.example", (int)secret.len, secret.ptr);
    assert_restored(RESTORE_TEXT, 1U << 0, all, expected);
    assert_int_equal(counts.withheld, 1);
    assert_int_equal(counts.restored, 1);
}

/* What is found as two things is withheld when either is. */
static void a_value_of_two_categories_is_withheld_for_each(void **state)
{
    char text[1000] = "";
    (void)state;

    struct span again = issue("bank-account", 3, MASKING_LABEL, "ghx_made_up_value");
    assert_true(span_equal(again, secret));
    struct span all = text_of("%s", text);
    assert_restored(RESTORE_TEXT, 1U << 0, all, text);
    assert_restored(RESTORE_TEXT, 1U << 3, all, text);
    assert_restored(RESTORE_TEXT, 1U << 2, all, "ghx_made_up_value");
}

static const char escaped_value[] = "Jana \\\"J\\\" Example\\n\\\\o/";

static void in_json_a_value_is_escaped_for_its_string(void **state)
{
    char text[1000], expected[1000];
    (void)state;

    struct span all = text_of(" {\"to\": \"\\\"%n\", \"%m\": [\"%c\"]}", text);
    (void)snprintf(expected, sizeof(expected), " {\"to\": \"\\\"%s\", \"jana@company.example\": [\"5105 1051 0510 5100\"]}", escaped_value);
    assert_restored(RESTORE_JSON, 0, all, expected);
    assert_restored(RESTORE_GUESS, 0, all, expected);
}

/* Each character of the pseudonym, alone and all, written as an escape. */
static void pseudonyms_may_be_written_in_escapes(void **state)
{
    char text[2000], expected[200];
    (void)state;

    (void)snprintf(expected, sizeof(expected), "[\"%s\"]", escaped_value);
    for (size_t k = 0; k <= name.len; k++) {
        size_t n = (size_t)snprintf(text, sizeof(text), "[\"");
        for (size_t i = 0; i < name.len; i++) {
            bool is_escape = k == name.len || i == k;
            n += (size_t)snprintf(text + n, sizeof(text) - n, is_escape ? "\\u00%02X" : "%c", (unsigned char)name.ptr[i]);
        }
        n += (size_t)snprintf(text + n, sizeof(text) - n, "\"]");
        assert_restored(RESTORE_JSON, 0, span_of(text, n), expected);
    }
}

static void escapes_that_are_no_pseudonym_stay(void **state)
{
    static const char *const texts[] = {"{\"a\": \"\\u005b\\u00\"}", "{\"a\": \"\\u00e9\\n\\\\\"", "[\"\\", "[\"\\u", "[\"\\u00", "[\"\\u005",
                                        "[\"\\u12345\"", "[\"\\u005bperson-name-\\u0030"};
    (void)state;

    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_restored(RESTORE_JSON, 0, span_str(texts[i]), texts[i]);
        assert_restored(RESTORE_GUESS, 0, span_str(texts[i]), texts[i]);
    }
}

static void a_text_is_guessed_to_be_json_by_its_beginning(void **state)
{
    static const struct {
        const char *format;
        bool is_json;
    } rows[] = {{"\n{ \"a\": \"%n\"}", true}, {"[ \"%n\"", true},      {"[{\"a\": \"%n\"", true}, {"[1, \"%n\"", true},
                {"%n said \"%n\"", false},     {"{%n: \"%n\"", false},  {"[a] \"%n\"", false},     {"x {\"%n\"", false},
                {"[%n \"%n\"", false},        {"[1] he said \"%n\"", false},
                {"{\"a\": [\"}\"]} and \"%n\"", false}, {"{\"a\": 1}\n{\"b\": \"%n\"}", true}};
    char text[1000];
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        buf_clear(&out);
        assert_true(restore_whole(m, RESTORE_GUESS, 0, text_of(rows[i].format, text), &counts, &out, &err));
        bool is_escaped = memmem(out.data, out.len, escaped_value, strlen(escaped_value)) != NULL;
        assert_int_equal(is_escaped, rows[i].is_json);
    }
}

/* Pieces without the beginning of a pseudonym go on at once, those with one up to it. */
static void only_the_beginning_of_a_pseudonym_is_held(void **state)
{
    struct restorer r;
    char text[1000];
    (void)state;

    restorer_init(&r, m, RESTORE_TEXT, 0);
    assert_true(restorer_feed(&r, span_str("plain text ["), false, &out, &err));
    assert_int_equal(r.n_held, 1);
    assert_true(restorer_feed(&r, span_str("x] and [b"), false, &out, &err));
    assert_int_equal(r.n_held, 0);
    struct span all = text_of("%n", text);
    assert_true(restorer_feed(&r, span_slice(all, 0, all.len - 1), false, &out, &err));
    assert_int_equal(r.n_held, all.len - 1);
    assert_true(restorer_feed(&r, span_slice(all, all.len - 1, all.len), false, &out, &err));
    assert_int_equal(r.n_held, 0);
    assert_out("plain text [x] and [bJana \"J\" Example\n\\o/");
    restorer_deinit(&r);
}

static void a_limit_of_the_output_is_an_error(void **state)
{
    char text[1000];
    struct buf small;
    (void)state;

    buf_init(&small, 10);
    assert_false(restore_whole(m, RESTORE_TEXT, 0, text_of("%n", text), &counts, &small, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    buf_deinit(&small);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(values_come_back_however_the_text_is_cut),
        TEST(case_may_change),
        TEST(what_was_not_issued_stays_and_is_counted),
        TEST(another_conversations_pseudonyms_are_unknown),
        TEST(a_category_may_be_withheld),
        TEST(a_value_of_two_categories_is_withheld_for_each),
        TEST(in_json_a_value_is_escaped_for_its_string),
        TEST(pseudonyms_may_be_written_in_escapes),
        TEST(escapes_that_are_no_pseudonym_stay),
        TEST(a_text_is_guessed_to_be_json_by_its_beginning),
        TEST(only_the_beginning_of_a_pseudonym_is_held),
        TEST(a_limit_of_the_output_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
