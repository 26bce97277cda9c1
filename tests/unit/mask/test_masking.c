#include "testing.h"

#include <stdio.h>

#include "base/ascii.h"
#include "checks/checksum.h"
#include "mask/masking.h"

static const uint8_t key[MASKING_KEY] = {1, 2, 3};
static struct error err;

static struct masking *make(const uint8_t *with)
{
    struct masking *m = masking_new(with, &masking_limits_default, &err);

    assert_non_null(m);
    return m;
}

static struct masked_value value_of(const char *kind, enum masking_form form, const char *value)
{
    return (struct masked_value){.kind = span_str(kind), .form = form, .value = span_str(value)};
}

static struct span pseudonym(struct masking *m, const char *kind, enum masking_form form, const char *value)
{
    struct masked_value v = value_of(kind, form, value);
    struct span out;

    if (!masking_pseudonym(m, &v, NULL, 0, &out, &err)) {
        fail_msg("%s", err.text);
    }
    return out;
}

static void one_value_has_one_pseudonym(void **state)
{
    struct masking *m = make(key), *same = make(key), *other = make(NULL);
    (void)state;

    struct span a = pseudonym(m, "person-name", MASKING_LABEL, "Jana Example");
    struct span b = pseudonym(m, "person-name", MASKING_LABEL, "Jana Example");
    struct span c = pseudonym(m, "person-name", MASKING_LABEL, "Jan Example");
    assert_ptr_equal(a.ptr, b.ptr);
    assert_false(span_equal(a, c));
    assert_int_equal(masking_count(m), 2);
    assert_true(span_starts_with(a, span_str("[person-name-")));
    assert_int_equal(a.len, strlen("[person-name-3f2a]"));
    /* The key decides, so that a conversation that is resumed has the same ones. */
    assert_true(span_equal(a, pseudonym(same, "person-name", MASKING_LABEL, "Jana Example")));
    assert_false(span_equal(a, pseudonym(other, "person-name", MASKING_LABEL, "Jana Example")));
    masking_unref(m);
    masking_unref(same);
    masking_unref(other);
}

/* 20,000 values in 65,536 short labels: many share one, and get longer ones. */
static void pseudonyms_are_distinct_and_begin_no_other(void **state)
{
    enum { N = 20000 };
    static const struct masking_limits limits = {.entries = N, .bytes = 64 * 1024 * 1024};
    struct masking *m = masking_new(key, &limits, &err);
    size_t longer = 0;
    char value[32];
    (void)state;

    assert_non_null(m);
    for (int i = 0; i < N; i++) {
        (void)snprintf(value, sizeof(value), "value %d", i);
        struct span p = pseudonym(m, "key", MASKING_LABEL, value);
        longer += p.len > strlen("[key-3f2a]");
        assert_true(masking_find_pseudonym(m, p));
        assert_int_equal(masking_count(m), i + 1);
    }
    assert_true(longer > 100);
    masking_unref(m);
}

static void what_a_text_has_already_is_not_issued(void **state)
{
    struct masking *m = make(key), *again = make(key);
    char text[200];
    (void)state;

    struct span first = pseudonym(m, "email-address", MASKING_LABEL, "a@b.example");
    (void)snprintf(text, sizeof(text), "a user wrote: %.*s!", (int)first.len, first.ptr);
    for (char *at = text; *at != '\0'; at++) {
        *at = ascii_is_lower(*at) ? (char)(*at - 32) : *at;
    }
    struct span texts[] = {span_str("another"), span_str(text)}, second;
    struct masked_value v = value_of("email-address", MASKING_LABEL, "a@b.example");
    assert_true(masking_pseudonym(again, &v, texts, COUNT(texts), &second, &err));
    assert_false(span_equal(first, second));
    assert_true(span_starts_with(second, span_slice(first, 0, first.len - 1)));
    masking_unref(m);
    masking_unref(again);
}

static size_t digits_of(struct span text, uint8_t *digits)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (ascii_is_digit(text.ptr[i])) {
            digits[n++] = (uint8_t)(text.ptr[i] - '0');
        }
    }
    return n;
}

static void cards_stay_valid_cards_of_their_grouping(void **state)
{
    static const char *const cards[] = {"5105105105105100", "5105 1051 0510 5100", "3782-822463-10005", "6011000990139424000"};
    struct masking *m = make(key);
    uint8_t digits[40];
    (void)state;

    for (size_t i = 0; i < COUNT(cards); i++) {
        struct span p = pseudonym(m, "payment-card", MASKING_CARD, cards[i]);
        assert_int_equal(p.len, strlen(cards[i]));
        assert_false(span_is(p, cards[i]));
        assert_true(checksum_luhn(digits, digits_of(p, digits), 10));
        for (size_t k = 0; k < p.len; k++) {
            assert_int_equal(ascii_is_digit(p.ptr[k]), ascii_is_digit(cards[i][k]));
        }
    }
    masking_unref(m);
}

static void accounts_keep_country_and_length(void **state)
{
    static const char *const accounts[] = {"DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "NO93 8601 1117 947"};
    struct masking *m = make(key);
    (void)state;

    for (size_t i = 0; i < COUNT(accounts); i++) {
        struct span p = pseudonym(m, "iban", MASKING_IBAN, accounts[i]);
        uint8_t values[40];
        char plain[40];
        size_t n = 0;
        assert_int_equal(p.len, strlen(accounts[i]));
        assert_memory_equal(p.ptr, accounts[i], 2);
        for (size_t k = 0; k < p.len; k++) {
            if (p.ptr[k] != ' ') {
                plain[n++] = p.ptr[k];
            }
        }
        for (size_t k = 0; k < n; k++) {
            char c = plain[(k + 4) % n];
            values[k] = (uint8_t)(ascii_is_digit(c) ? c - '0' : c - 'A' + 10);
        }
        assert_int_equal(checksum_mod97(values, n), 1);
    }
    masking_unref(m);
}

static void phones_are_those_of_fiction(void **state)
{
    static const struct {
        const char *phone, *starts, *has;
    } rows[] = {
        {"+1 415 867 5309", "+1 ", " 555 01"},  {"(415) 867-5309", "(", "555-01"},
        {"+44 7911 123456", "+44 7700 900", ""}, {"+33 6 12 34 56 78", "+33 6 39 98", ""},
        {"+49 30 901820", "+493023125", ""},     {"+995 32 2123456", "[phone-", ""},
    };
    struct masking *m = make(key);
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span p = pseudonym(m, "phone", MASKING_PHONE, rows[i].phone);
        assert_true(span_starts_with(p, span_str(rows[i].starts)));
        assert_non_null(memmem(p.ptr, p.len, rows[i].has, strlen(rows[i].has)));
    }
    masking_unref(m);
}

static void addresses_are_of_a_reserved_domain(void **state)
{
    struct masking *m = make(key);
    (void)state;

    struct span p = pseudonym(m, "email-address", MASKING_EMAIL, "jana@company.example");
    assert_true(span_starts_with(p, span_str("email-")));
    assert_memory_equal(p.ptr + p.len - strlen("@example.com"), "@example.com", strlen("@example.com"));
    masking_unref(m);
}

/* 800 area codes with 100 numbers each are not enough for all; the rest are labels. */
static void a_form_that_is_used_up_becomes_a_label(void **state)
{
    struct masking *m = make(key);
    size_t labels = 0;
    char value[32];
    (void)state;

    for (int i = 0; i < 1500; i++) {
        (void)snprintf(value, sizeof(value), "+44 7911 12%04d", i);
        labels += pseudonym(m, "phone", MASKING_PHONE, value).ptr[0] == '[';
    }
    assert_in_range(labels, 500, 700);
    assert_int_equal(masking_count(m), 1500);
    masking_unref(m);
}

static void what_is_issued_is_found_in_any_case(void **state)
{
    struct masking *m = make(key);
    char text[100];
    (void)state;

    struct span p = pseudonym(m, "person-name", MASKING_LABEL, "Jana");
    int n = snprintf(text, sizeof(text), "hi %.*s!", (int)p.len, p.ptr);
    struct span all = span_of(text, (size_t)n);
    assert_true(masking_covers(m, all, 3, 3 + p.len));
    assert_true(masking_covers(m, all, 5, 9));
    assert_false(masking_covers(m, all, 2, 3 + p.len));
    assert_false(masking_covers(m, all, 5, 4 + p.len));
    assert_false(masking_covers(m, all, 0, 2));
    for (int i = 0; i < n; i++) {
        text[i] = ascii_is_lower(text[i]) ? (char)(text[i] - 32) : text[i];
    }
    assert_true(masking_find_pseudonym(m, span_slice(all, 3, 3 + p.len)));
    assert_false(masking_find_pseudonym(m, span_slice(all, 3, 2 + p.len)));
    assert_false(masking_find_pseudonym(m, span_slice(all, 3, 4 + p.len)));
    masking_unref(m);
}

static void a_full_masking_issues_nothing(void **state)
{
    static const struct masking_limits few = {.entries = 2, .bytes = 1024 * 1024}, small = {.entries = 1000, .bytes = 64 * 1024};
    struct masking *m = masking_new(key, &few, &err), *tight = masking_new(key, &small, &err);
    char big[MASKING_VALUE_MAX + 1];
    struct span out;
    (void)state;

    (void)pseudonym(m, "key", MASKING_LABEL, "one");
    (void)pseudonym(m, "key", MASKING_LABEL, "two");
    struct masked_value v = value_of("key", MASKING_LABEL, "three");
    assert_false(masking_pseudonym(m, &v, NULL, 0, &out, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    (void)pseudonym(m, "key", MASKING_LABEL, "one");
    memset(big, 'x', sizeof(big));
    v.value = span_of(big, sizeof(big));
    assert_false(masking_pseudonym(tight, &v, NULL, 0, &out, &err));
    v.value.len--;
    assert_false(masking_pseudonym(tight, &v, NULL, 0, &out, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    masking_unref(m);
    masking_unref(tight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value_has_one_pseudonym),
        cmocka_unit_test(pseudonyms_are_distinct_and_begin_no_other),
        cmocka_unit_test(what_a_text_has_already_is_not_issued),
        cmocka_unit_test(cards_stay_valid_cards_of_their_grouping),
        cmocka_unit_test(accounts_keep_country_and_length),
        cmocka_unit_test(phones_are_those_of_fiction),
        cmocka_unit_test(addresses_are_of_a_reserved_domain),
        cmocka_unit_test(a_form_that_is_used_up_becomes_a_label),
        cmocka_unit_test(what_is_issued_is_found_in_any_case),
        cmocka_unit_test(a_full_masking_issues_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
