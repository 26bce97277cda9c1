/* A policy file of any bytes is loaded or refused with a reason that has a place. */
#include <stdlib.h>

#include "policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char rules[] =
    "rules:\n"
    "  - {id: one, title: t, category: secret, severity: low, confidence: 0.5, pattern: 'one-[0-9]{4}', tags: [cloud],"
    " match: [a, b, c], no_match: [a, b, c]}\n"
    "  - {id: two, title: t, category: pii, severity: low, confidence: 0.5, pattern: 'two-[0-9]{4}',"
    " match: [a, b, c], no_match: [a, b, c]}\n";

static struct rule_set *load_rules(void)
{
    const struct rule_file file = {.path = "rules/pack/f.yaml", .content = span_of(rules, sizeof(rules) - 1)};
    const struct rule_set_options options = {0};
    struct error err;

    return rule_set_load(&file, 1, &options, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rule_set *set;
    struct error err = {0};

    if (set == NULL && (set = load_rules()) == NULL) {
        abort();
    }
    struct snapshot *s = snapshot_load(set, "policy.yaml", span_of((const char *)data, size), &err);
    if (s == NULL && strncmp(err.text, "policy.yaml", 11) != 0 && err.kind != ERROR_NO_MEMORY && err.kind != ERROR_LIMIT) {
        abort();
    }
    snapshot_unref(s);
    return 0;
}
