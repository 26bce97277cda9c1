/* bench_growth.c - how cost grows: with the size of a text, with hostile texts, with the number of rules. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/first_rules.h"
#include "bench/packs.h"
#include "policy/rule_set.h"

enum { BASE = 4096, BYTES = 16 * 1024 * 1024, HOSTILE = 1024 * 1024, FIRST_RULES = 120, MANY_RULES = 1500 };

_Static_assert(COUNT(first_rules) == FIRST_RULES, "the figure is named growth.rules.120");

/* Best of three: the machine's other work only ever adds. */
static double ns_per_byte(struct judge *j, const struct messages *m)
{
    double best = 1e9;

    for (int round = 0; round < 3; round++) {
        double start = seconds_spent();
        for (size_t i = 0; i < m->n; i++) {
            (void)judge_run(j, m->items[i]);
        }
        double spent = seconds_spent() - start;
        best = spent < best ? spent : best;
    }
    return best * 1e9 / (double)m->bytes;
}

static double one_text(struct judge *j, struct span text)
{
    struct messages m = {.items = &text, .n = 1, .bytes = text.len};

    return ns_per_byte(j, &m);
}

static void by_size(struct judge *j, double *base)
{
    static const size_t sizes[] = {BASE, 64 * 1024, 1024 * 1024, BYTES};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct messages m;
        char name[64];
        if (!messages_load(sizes[i], BYTES, &m)) {
            exit(1);
        }
        (void)judge_run(j, m.items[0]);
        double ns = ns_per_byte(j, &m);
        *base = i == 0 ? ns : *base;
        (void)snprintf(name, sizeof(name), "growth.size.%zuKiB", sizes[i] / 1024);
        report(name, "ns/byte", ns, m.n);
        (void)snprintf(name, sizeof(name), "growth.size.%zuKiB_to_4KiB", sizes[i] / 1024);
        report(name, "ratio", ns / *base, m.n);
        messages_free(&m);
    }
}

/* --- hostile texts ---------------------------------------------------------- */

static void fill(char *text, size_t len, const char *unit)
{
    size_t n = strlen(unit);

    for (size_t i = 0; i < len; i++) {
        text[i] = unit[i % n];
    }
    /* The last character may have been cut. */
    while (len > 0 && (unsigned char)text[len - 1] >= 0x80) {
        text[--len] = ' ';
    }
}

static void fill_digits(char *text, size_t len)
{
    uint64_t state = 88172645463325252ULL;

    for (size_t i = 0; i < len; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text[i] = (char)('0' + state % 10);
    }
}

static size_t base64(const char *in, size_t len, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;

    for (size_t i = 0; i + 2 < len; i += 3) {
        unsigned v = (unsigned)(unsigned char)in[i] << 16 | (unsigned)(unsigned char)in[i + 1] << 8 |
                     (unsigned char)in[i + 2];
        out[n++] = digits[v >> 18];
        out[n++] = digits[v >> 12 & 63];
        out[n++] = digits[v >> 6 & 63];
        out[n++] = digits[v & 63];
    }
    return n;
}

static void fill_nested_base64(char *text, size_t len, const struct messages *benign)
{
    char *a = malloc(len * 2), *b = malloc(len * 2);

    if (a == NULL || b == NULL) {
        exit(1);
    }
    size_t n = len * 27 / 64;
    memcpy(a, benign->memory, n);
    n = base64(a, n, b);
    n = base64(b, n, a);
    n = base64(a, n, b);
    for (size_t i = 0; i < len; i++) {
        text[i] = i < n ? b[i] : ' ';
    }
    free(a);
    free(b);
}

/* Each a finding, which is looked for again in the redacted text. */
static void fill_passwords(char *text, size_t len)
{
    static const char unit[] = "password: \"", letters[] = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    enum { PREFIX = sizeof(unit) - 1, VALUE = 12, UNIT = PREFIX + VALUE + 2 };
    uint64_t state = 88172645463325252ULL;

    for (size_t i = 0; i < len; i++) {
        size_t at = i % UNIT;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text[i] = at < PREFIX ? unit[at] : at < PREFIX + VALUE ? letters[state % (sizeof(letters) - 1)] : at == UNIT - 1 ? '\n' : '"';
    }
}

static void hostile_texts(struct judge *j, double base)
{
    static const struct {
        const char *name, *unit;
    } texts[] = {
        {"digits_spaced", "1234 5678 9012 "}, {"at_signs", "a@"},       {"no_space", "abcdefghijklmnop"},
        {"confusables", "\xd0\xb0\xd0\xb5\xd0\xbe"}, {"percent", "%41"}, {"backslashes", "\\u0041"},
        {"spaced_letters", "a b "},           {"quotes", "password=\""}, {"dashes", "-----BEGIN "},
        {"entities", "&#65;"},                {"wide", "\xef\xbd\x81"},  {"dots", "a.b."},
        {"secret_quotes", "secret=\""},       {"key_quotes", "api_key=\""}, {"assignments", "pass="},
        {"tags", "<password>"},               {"commands", "curl "},
        {"hex", "6162636465666768696a"},      {"hex_marks", "4142\xe2\x80\x8f"},
    };
    char *text = malloc(HOSTILE);
    struct messages benign;

    if (text == NULL || !messages_load(BASE, HOSTILE, &benign)) {
        exit(1);
    }
    static const char *const made[] = {"digits", "nested_base64", "passwords"};
    for (size_t i = 0; i < COUNT(texts) + COUNT(made); i++) {
        char name[64];
        if (i < COUNT(texts)) {
            fill(text, HOSTILE, texts[i].unit);
        } else if (i == COUNT(texts)) {
            fill_digits(text, HOSTILE);
        } else if (i == COUNT(texts) + 1) {
            fill_nested_base64(text, HOSTILE, &benign);
        } else {
            fill_passwords(text, HOSTILE);
        }
        const char *label = i < COUNT(texts) ? texts[i].name : made[i - COUNT(texts)];
        double ns = one_text(j, span_of(text, HOSTILE));
        (void)snprintf(name, sizeof(name), "growth.hostile.%s_to_benign", label);
        report(name, "ratio", ns / base, 1);
    }
    messages_free(&benign);
    free(text);
}

/* --- number of rules ---------------------------------------------------------- */

/* Patterns for a scanner, and the texts of those that no rule has. */
struct patterns {
    struct scanner_pattern *items;
    uint32_t n;
    char (*made)[48];
};

static void patterns_init(struct patterns *p, const struct rule_set *set)
{
    *p = (struct patterns){.items = calloc(set->n_patterns + MANY_RULES, sizeof(*p->items)),
                           .made = calloc(MANY_RULES, sizeof(*p->made))};
    if (p->items == NULL || p->made == NULL) {
        exit(1);
    }
}

static void patterns_deinit(struct patterns *p)
{
    free(p->items);
    free(p->made);
}

static void add_rule(struct patterns *p, const struct rule *rule)
{
    for (size_t i = 0; i < rule->patterns.n; i++) {
        p->items[p->n++] = rule_scanner_pattern(rule, i);
    }
}

static void add_first_rules(struct patterns *p, const struct rule_set *set)
{
    for (size_t i = 0; i < COUNT(first_rules); i++) {
        const struct rule *rule = rule_set_find(set, span_str(first_rules[i]));
        if (rule == NULL) {
            (void)fprintf(stderr, "bench/first_rules.h: there is no rule '%s'\n", first_rules[i]);
            exit(1);
        }
        add_rule(p, rule);
    }
}

static void add_shipped_rules(struct patterns *p, const struct rule_set *set)
{
    for (uint32_t i = 0; i < set->n_rules; i++) {
        add_rule(p, &set->rules[i]);
    }
}

/* Tokens of the usual shape, up to MANY_RULES with the shipped ones. */
static void add_made_up_rules(struct patterns *p, const struct rule_set *set)
{
    for (uint32_t i = set->n_rules; i < MANY_RULES; i++) {
        char *text = p->made[i - set->n_rules];
        (void)snprintf(text, sizeof(p->made[0]), "%c%c%c%c_[A-Za-z0-9]{%u}", 'a' + (int)(i % 26),
                       'a' + (int)(i / 26 % 26), 'k' + (int)(i / 676 % 10), 'a' + (int)(i * 7 % 26), 24 + i % 40);
        p->items[p->n++] =
            (struct scanner_pattern){.pattern = span_str(text), .views = 7, .is_disguisable = true};
    }
}

static double scan_with(const struct patterns *p, const struct messages *m)
{
    uint32_t bad;
    struct error err;
    double best = 1e9;

    struct scanner *s = scanner_new(p->items, p->n, NULL, false, &bad, &err);
    struct scanner_scratch *scratch = scanner_scratch_new(&err);
    if (s == NULL || scratch == NULL) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    for (int round = 0; round < 4; round++) {
        uint64_t hits = 0;
        double start = seconds_spent();
        for (size_t i = 0; i < m->n; i++) {
            if (!scanner_scan_bare(s, scratch, m->items[i], &hits, &err)) {
                exit(1);
            }
        }
        double spent = seconds_spent() - start;
        best = spent < best ? spent : best;
    }
    scanner_free(s);
    scanner_scratch_free(scratch);
    return best * 1e9 / (double)m->bytes;
}

static void by_rules(const struct rule_set *set, const struct messages *m)
{
    struct patterns first, many;

    patterns_init(&first, set);
    patterns_init(&many, set);
    add_first_rules(&first, set);
    add_shipped_rules(&many, set);
    double first_ns = scan_with(&first, m), shipped_ns = scan_with(&many, m);
    add_made_up_rules(&many, set);
    double many_ns = scan_with(&many, m);
    report("growth.rules.120", "ns/byte", first_ns, m->n);
    report("growth.rules.shipped", "ns/byte", shipped_ns, m->n);
    report("growth.rules.shipped_to_120", "ratio", shipped_ns / first_ns, m->n);
    report("growth.rules.1500", "ns/byte", many_ns, m->n);
    report("growth.rules.1500_to_120", "ratio", many_ns / first_ns, m->n);
    patterns_deinit(&first);
    patterns_deinit(&many);
}

/* The whole pipeline and not the search alone: what a text costs with the first rules, and with all. In turns, so that
 * another pace of the machine meets both. */
static void by_packs(struct judge *all, const struct messages *m)
{
    struct judge first = {.snapshot = packs_load(FIRST_RULES, 0), .worker = all->worker};
    double first_ns = 1e9, all_ns = 1e9;

    for (int round = 0; round < 3; round++) {
        double first_now = ns_per_byte(&first, m), all_now = ns_per_byte(all, m);
        first_ns = first_now < first_ns ? first_now : first_ns;
        all_ns = all_now < all_ns ? all_now : all_ns;
    }
    report("growth.packs.120", "ns/byte", first_ns, m->n);
    report("growth.packs.shipped", "ns/byte", all_ns, m->n);
    report("growth.packs.shipped_to_120", "ratio", all_ns / first_ns, m->n);
    snapshot_unref(first.snapshot);
}

int main(void)
{
    struct judge j;
    struct messages m;
    double base = 1;

    if (!judge_open(&j, false) || !messages_load(BASE, BYTES / 2, &m)) {
        return 1;
    }
    by_size(&j, &base);
    hostile_texts(&j, base);
    by_rules(j.snapshot->rules, &m);
    by_packs(&j, &m);
    messages_free(&m);
    judge_close(&j);
    return 0;
}
