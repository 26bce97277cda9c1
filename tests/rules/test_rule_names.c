/* The shipped rules' ids, and what rules/names.yaml calls them in other systems. */
#include "testing.h"

#include <ctype.h>

#include "policy/names.h"
#include "support/shipped.h"

/* Standards that are a kind by themselves. */
static bool is_a_standard(struct span id)
{
    static const char *const standards[] = {"iban", "iccid", "imei", "imsi"};

    for (size_t i = 0; i < COUNT(standards); i++) {
        if (span_is(id, standards[i])) {
            return true;
        }
    }
    return false;
}

/* provider-kind: parts of small letters and digits between single hyphens, two at least, a letter first. */
static bool is_stable_form(struct span id)
{
    size_t parts = 1;

    if (id.len == 0 || islower((unsigned char)id.ptr[0]) == 0 || id.ptr[id.len - 1] == '-') {
        return false;
    }
    for (size_t i = 0; i < id.len; i++) {
        unsigned char c = (unsigned char)id.ptr[i];
        if (c == '-') {
            if (id.ptr[i - 1] == '-') {
                return false;
            }
            parts++;
        } else if (islower(c) == 0 && isdigit(c) == 0) {
            return false;
        }
    }
    return parts >= 2 || is_a_standard(id);
}

static void the_form_is_distinguished_from_others(void **state)
{
    static const char *const wrong[] = {"", "token", "-a-b", "a-b-", "a--b", "A-b", "a_b-c", "1a-b"};

    (void)state;
    assert_true(is_stable_form(span_str("aws-access-key-id")));
    assert_true(is_stable_form(span_str("tax-id-de")));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(is_stable_form(span_str(wrong[i])));
    }
}

static void every_id_has_the_stable_form_and_is_there_once(void **state)
{
    const struct rule_set *set = shipped->rules;

    (void)state;
    assert_true(set->n_rules > 0);
    for (uint32_t i = 0; i < set->n_rules; i++) {
        if (!is_stable_form(set->rules[i].id)) {
            fail_msg(SPAN_FMT ":%u: an id as provider-kind expected, not " SPAN_FMT, SPAN_ARG(set->rules[i].source.file),
                     set->rules[i].source.line, SPAN_ARG(set->rules[i].id));
        }
        assert_true(rule_set_find(set, set->rules[i].id) == &set->rules[i]);
    }
}

static void every_named_rule_is_there(void **state)
{
    struct error err;
    struct names *names = names_open(NULL, &err);

    (void)state;
    if (names == NULL || !names_check(names, shipped->rules, &err)) {
        fail_msg("%s", err.text);
    }
    assert_true(names_are_built_in(names));
    assert_true(names_count(names) > 200);
    names_free(names);
}

static void well_known_rules_have_the_names_that_their_systems_document(void **state)
{
    static const struct {
        const char *rule;
        enum naming naming;
        const char *name;
    } known[] = {
        {"email-address", NAMING_PRESIDIO, "EMAIL_ADDRESS"},
        {"iban", NAMING_PRESIDIO, "IBAN_CODE"},
        {"person-name", NAMING_PRESIDIO, "PERSON"},
        {"abn-au", NAMING_PRESIDIO, "AU_ABN"},
        {"payment-card", NAMING_GOOGLE, "CREDIT_CARD_NUMBER"},
        {"payment-card", NAMING_AWS, "CREDIT_DEBIT_NUMBER"},
        {"payment-card", NAMING_BEDROCK, "CREDIT_DEBIT_CARD_NUMBER"},
        {"ssn-us", NAMING_AWS, "SSN"},
        {"ssn-us", NAMING_AZURE, "USSocialSecurityNumber"},
        {"npm-access-token", NAMING_GITHUB, "npm_access_token"},
        {"onepassword-service-account-token", NAMING_GITHUB, "1password_service_account_token"},
    };
    struct error err;
    struct names *names = names_open(NULL, &err);

    (void)state;
    assert_non_null(names);
    for (size_t i = 0; i < COUNT(known); i++) {
        struct span_list list = names_of(names, span_str(known[i].rule), known[i].naming);
        if (list.n == 0 || !span_is(list.items[0], known[i].name)) {
            fail_msg("%s has not the name %s", known[i].rule, known[i].name);
        }
    }
    names_free(names);
}

static void names_of_a_part_are_behind_the_exact_one(void **state)
{
    static const struct {
        const char *rule, *name;
    } parts[] = {
        {"driver-licence-number", "US_DRIVER_LICENSE"}, {"passport-number", "US_PASSPORT"}, {"bank-account-number", "US_BANK_NUMBER"}};
    struct error err;
    struct names *names = names_open(NULL, &err);

    (void)state;
    assert_non_null(names);
    for (size_t i = 0; i < COUNT(parts); i++) {
        struct span rule = span_str(parts[i].rule);
        assert_true(names_has(names, rule, NAMING_PRESIDIO, span_str(parts[i].name)));
        assert_false(span_is(names_of(names, rule, NAMING_PRESIDIO).items[0], parts[i].name));
    }
    names_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_a_part_are_behind_the_exact_one),
        cmocka_unit_test(the_form_is_distinguished_from_others),
        cmocka_unit_test(every_id_has_the_stable_form_and_is_there_once),
        cmocka_unit_test(every_named_rule_is_there),
        cmocka_unit_test(well_known_rules_have_the_names_that_their_systems_document),
    };

    return cmocka_run_group_tests(tests, shipped_open, shipped_close);
}
