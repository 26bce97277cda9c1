/* The table of entities in rules/README.md: 61 rows, each rule of the second column shipped, with at least ten
 * examples of either kind. */
#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "support/shipped.h"

enum { ENTITIES = 61, EXAMPLES_AT_LEAST = 10, LINE_LENGTH_MAX = 1024 };

struct counts {
    unsigned rows, rules, missing, short_of_examples;
};

/* One `id`; *text moves behind it. */
static bool next_id(char **text, const char *end, struct span *id)
{
    char *begin = memchr(*text, '`', (size_t)(end - *text));
    char *stop = begin == NULL ? NULL : memchr(begin + 1, '`', (size_t)(end - begin - 1));

    if (stop == NULL) {
        return false;
    }
    *id = span_of(begin + 1, (size_t)(stop - begin - 1));
    *text = stop + 1;
    return true;
}

static const struct rule *find(struct span id)
{
    const struct rule *rule = rule_set_find(shipped->rules, id);

    if (rule == NULL || rule->category != CATEGORY_PII) {
        print_error("rules/README.md: there is no rule of personal data '" SPAN_FMT "'\n", SPAN_ARG(id));
        return NULL;
    }
    return rule;
}

/* | ENTITY | `id`, `id` | `id` | */
static void count_row(char *line, struct counts *counts)
{
    char *first = strchr(line + 1, '|');
    char *second = first == NULL ? NULL : strchr(first + 1, '|');
    struct span id;
    unsigned in_row = 0;

    if (second == NULL) {
        return;
    }
    counts->rows++;
    for (; next_id(&first, second, &id); in_row++) {
        const struct rule *rule = find(id);
        counts->missing += rule == NULL ? 1 : 0;
        if (rule != NULL && (rule->match.n < EXAMPLES_AT_LEAST || rule->no_match.n < EXAMPLES_AT_LEAST)) {
            print_error(SPAN_FMT ": %zu and %zu examples\n", SPAN_ARG(id), rule->match.n, rule->no_match.n);
            counts->short_of_examples++;
        }
    }
    counts->missing += in_row == 0 ? 1 : 0;
    counts->rules += in_row;
    while (next_id(&second, second + strlen(second), &id)) {
        counts->missing += find(id) == NULL ? 1 : 0;
    }
}

static struct counts read_table(void)
{
    struct counts counts = {0};
    char line[LINE_LENGTH_MAX];
    FILE *file = fopen("rules/README.md", "r");

    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (line[0] == '|' && line[1] == ' ' && line[2] >= 'A' && line[2] <= 'Z') {
            count_row(line, &counts);
        }
    }
    (void)fclose(file);
    return counts;
}

static void every_entity_has_ten_examples_of_either_kind(void **state)
{
    struct counts counts = read_table();

    (void)state;
    assert_int_equal(counts.rows, ENTITIES);
    assert_true(counts.rules >= ENTITIES);
    assert_int_equal(counts.missing, 0);
    assert_int_equal(counts.short_of_examples, 0);
}

static void the_pack_has_at_least_115_rules(void **state)
{
    unsigned n = 0;

    (void)state;
    for (uint32_t i = 0; i < shipped->rules->n_rules; i++) {
        n += span_is(shipped->rules->rules[i].pack, "pii") ? 1 : 0;
    }
    assert_true(n >= 115);
}

static const char *country_of(const struct rule *rule)
{
    for (size_t i = 0; i < rule->tags.n; i++) {
        if (span_starts_with(rule->tags.items[i], span_str("country-"))) {
            return rule->tags.items[i].ptr + strlen("country-");
        }
    }
    return NULL;
}

/* Of two countries, of a province, or with the name that a country gave its card. */
static bool is_named_otherwise(struct span id)
{
    return span_is(id, "personal-code-ee-lt") || span_is(id, "cin-ma-tn") || span_is(id, "ghana-card") || span_is(id, "health-card-on");
}

/* An id that ends in a country has its tag: two letters, gb where people write uk. */
static void national_rules_carry_their_country(void **state)
{
    static const char *const others[] = {"de-serial", "us-bare", "cl-short", "cl-titled", "ca-bc"};
    unsigned n = 0;

    (void)state;
    for (uint32_t i = 0; i < shipped->rules->n_rules; i++) {
        const struct rule *rule = &shipped->rules->rules[i];
        const char *country = country_of(rule);
        if (!span_is(rule->pack, "pii") || country == NULL || is_named_otherwise(rule->id)) {
            continue;
        }
        size_t at = rule->id.len - 2;
        for (size_t k = 0; k < COUNT(others); k++) {
            struct span end = span_str(others[k]);
            if (rule->id.len > end.len && memcmp(rule->id.ptr + rule->id.len - end.len, end.ptr, end.len) == 0) {
                at = rule->id.len - end.len;
            }
        }
        const char *ends = memcmp(rule->id.ptr + at, "uk", 2) == 0 ? "gb" : rule->id.ptr + at;
        if (rule->id.ptr[at - 1] != '-' || memcmp(ends, country, 2) != 0) {
            fail_msg(SPAN_FMT ": tag country-%.2s", SPAN_ARG(rule->id), country);
        }
        n++;
    }
    assert_true(n >= 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entity_has_ten_examples_of_either_kind),
        cmocka_unit_test(the_pack_has_at_least_115_rules),
        cmocka_unit_test(national_rules_carry_their_country),
    };

    return cmocka_run_group_tests(tests, shipped_open, shipped_close);
}
