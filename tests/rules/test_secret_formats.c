/* The secrets pack as a whole: how many rules and providers, and a rule for every known format. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "support/shipped.h"

enum {
    RULES_AT_LEAST = 350,
    PROVIDERS_AT_LEAST = 200,
    FORMATS_AT_LEAST = 300,
    FORMATS_BYTES = 64 * 1024
};

/* What a tag says besides the provider. */
static const char *const kinds[] = {
    "age",           "ai",         "api",      "ci",         "cloud",     "context",
    "credentials",   "crypto",     "database", "exchange",   "framework", "generic",
    "hash",          "http",       "iac",      "identifier", "jwt",       "kafka",
    "key",           "kubernetes", "mail",     "messaging",  "mfa",       "network",
    "observability", "password-hash", "payments", "pem",     "pgp",       "public",    "registry",
    "saas",          "scraping",   "shell",    "social",     "ssh",       "url",
    "vault",         "vcs",
};

static bool is_kind(struct span tag)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (span_is(tag, kinds[i])) {
            return true;
        }
    }
    return false;
}

static bool is_secret(const struct rule *rule)
{
    return span_is(rule->pack, "secrets");
}

static void there_are_enough_rules(void **state)
{
    unsigned n = 0;

    (void)state;
    for (uint32_t i = 0; i < shipped->rules->n_rules; i++) {
        n += is_secret(&shipped->rules->rules[i]) ? 1 : 0;
    }
    print_message("%u rules of the secrets pack\n", n);
    assert_true(n >= RULES_AT_LEAST);
}

/* Whether a rule before this one, or a tag before this one of it, names the same provider. */
static bool is_named_before(uint32_t rule, size_t tag)
{
    const struct rule *rules = shipped->rules->rules;

    for (uint32_t i = 0; i <= rule; i++) {
        size_t n = !is_secret(&rules[i]) ? 0 : i == rule ? tag : rules[i].tags.n;
        for (size_t j = 0; j < n; j++) {
            if (span_equal(rules[i].tags.items[j], rules[rule].tags.items[tag])) {
                return true;
            }
        }
    }
    return false;
}

static void there_are_enough_providers(void **state)
{
    const struct rule *rules = shipped->rules->rules;
    unsigned n = 0;

    (void)state;
    for (uint32_t i = 0; i < shipped->rules->n_rules; i++) {
        for (size_t j = 0; is_secret(&rules[i]) && j < rules[i].tags.n; j++) {
            n += is_kind(rules[i].tags.items[j]) || is_named_before(i, j) ? 0 : 1;
        }
    }
    print_message("%u providers\n", n);
    assert_true(n >= PROVIDERS_AT_LEAST);
}

/* The next part of *rest, up to the character or the end. */
static struct span next_part(struct span *rest, char end)
{
    const char *at = memchr(rest->ptr, end, rest->len);
    size_t len = at == NULL ? rest->len : (size_t)(at - rest->ptr);
    struct span part = span_slice(*rest, 0, len);

    *rest = span_slice(*rest, at == NULL ? len : len + 1, rest->len);
    return part;
}

static void every_known_format_has_its_rules(void **state)
{
    struct buf text CLEANUP(buf_deinit);
    struct error err;
    unsigned formats = 0;

    (void)state;
    buf_init(&text, FORMATS_BYTES);
    assert_true(file_read("tests/rules/formats.tsv", &text, &err));
    for (struct span rest = buf_span(&text); rest.len > 0;) {
        struct span ids = next_part(&rest, '\n');
        struct span name = next_part(&ids, '\t');
        if (span_starts_with(name, span_str("#"))) {
            continue;
        }
        formats++;
        assert_true(ids.len > 0);
        while (ids.len > 0) {
            struct span id = next_part(&ids, ' ');
            if (rule_set_find(shipped->rules, id) == NULL) {
                fail_msg(SPAN_FMT ": no rule " SPAN_FMT, SPAN_ARG(name), SPAN_ARG(id));
            }
        }
    }
    assert_true(formats >= FORMATS_AT_LEAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_enough_rules),
        cmocka_unit_test(there_are_enough_providers),
        cmocka_unit_test(every_known_format_has_its_rules),
    };

    return cmocka_run_group_tests(tests, shipped_open, shipped_close);
}
