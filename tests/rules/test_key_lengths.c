/* Keys that begin as a provider's do and have another length than its rule expects: none is delivered. Every rule of the secrets
 * pack that begins with a telling prefix is tried, so that a new one is not forgotten (rules/secrets/lengths.yaml). */
#include "testing.h"

#include <stdio.h>

#include "pipeline/pipeline.h"
#include "base/ascii.h"
#include "support/random.h"
#include "support/shipped.h"

enum { TEXT_BYTES = 512, PREFIX_MIN = 3, TAIL_MIN = 24, TAIL_MAX = 240, PREFIXES_AT_LEAST = 100 };

/* Prefixes that are words or too short to tell a provider: what follows them is named by other rules, or by what stands nearby. */
static const char *const not_telling[] = {
    "API-",  "ApiKey-",   "TEST-",   "key-",    "sk_",   "pk_",   "ck_",  "cs_",     "cu_",  "pk1_",      "sk1_",     "fc-",  "m0-",
    "fw_",   "re_",  "api_", "pat-", "A3-", "api_org_", "live_",     "secret_", "secret-", "sess-", "skey_", "exp_", "sha256~", "akab-", "standard_", "ES_", "cal_live_", "tk-us-",
    "ste-",  "org_",      "ls__",    "logs-", "gcntfy-", "inference-", "key_", "val-", "ak-", "cr-", "rc_", "jp_", "tk_", "at_",
    "brd-customer-", /* a customer's number, and no key */
};

static bool is_telling(struct span prefix)
{
    bool ends = prefix.len >= PREFIX_MIN && memchr("_-", prefix.ptr[prefix.len - 1], 2) != NULL;

    for (size_t i = 0; i < COUNT(not_telling); i++) {
        ends = ends && !span_is(prefix, not_telling[i]);
    }
    return ends;
}

/* The literal that a pattern begins with, when a class and how often it stands there follow. */
static struct span prefix_of(struct span pattern)
{
    size_t n = 0;

    while (n < pattern.len && (ascii_is_alnum(pattern.ptr[n]) || memchr("_-", pattern.ptr[n], 2) != NULL)) {
        n++;
    }
    struct span rest = span_slice(pattern, n, pattern.len);
    const char *class_end = rest.len > 0 && rest.ptr[0] == '[' ? memchr(rest.ptr, ']', rest.len) : NULL;
    bool has_count = class_end != NULL && class_end + 1 < rest.ptr + rest.len && class_end[1] == '{';
    return span_slice(pattern, 0, has_count ? n : 0);
}

static struct exchange judge(struct span text, struct channel *channel)
{
    struct exchange x = {.snapshot = shipped,
                         .policy = snapshot_policy(shipped, (struct span){0}, (struct span){0}),
                         .channels = channel,
                         .n_channels = 1};

    (void)worker_begin(shipped_worker);
    *channel = (struct channel){.text = text};
    pipeline_judge(shipped_worker, &x);
    return x;
}

/* Letters and digits by lot, with a few of each. */
static void draw(struct random *random, char *value, size_t len)
{
    static const char *const kinds[] = {"bdfghkmnqrtvwxz", "BDFGHKMNQRTVWXZ", "23456789"};

    for (size_t i = 0; i < len; i++) {
        const char *kind = kinds[i < COUNT(kinds) ? i : random_below(random, COUNT(kinds))];
        value[i] = kind[random_below(random, strlen(kind))];
    }
    value[len] = '\0';
}

/* 1 when such a key is delivered behind those words. */
static size_t deliver(const char *words, struct span prefix, size_t len, struct random *random)
{
    char tail[TAIL_MAX + 1], text[TEXT_BYTES];
    struct channel channel;

    draw(random, tail, len);
    int n = snprintf(text, sizeof(text), "%s %.*s%s and works.", words, (int)prefix.len, prefix.ptr, tail);
    assert_true(n > 0 && n < TEXT_BYTES);
    if (judge(span_of(text, (size_t)n), &channel).action != ACTION_ALLOW &&
        (channel.output.len == 0 || memmem(channel.output.ptr, channel.output.len, tail, len) == NULL)) {
        return 0;
    }
    print_error("delivered: %s\n", text);
    return 1;
}

static void a_key_of_another_length_is_not_delivered(void **state)
{
    static const size_t lengths[] = {TAIL_MIN, 29, 35, 41, 49, 57, 66, 75, 90, 130, TAIL_MAX};
    /* These need no word nearby. */
    static const char *const known[] = {"ghp_", "ghs_", "glpat-", "gldt-", "figd_", "hf_", "npm_", "sk-ant-api03-", "dop_v1_", "gsk_"};
    struct random random = {.state = 20261122};
    size_t wrong = 0, prefixes = 0;

    (void)state;
    for (uint32_t i = 0; i < shipped->rules->n_rules; i++) {
        const struct rule *rule = &shipped->rules->rules[i];
        bool counts = span_is(rule->pack, "secrets") && rule->confidence >= 0.5;
        for (size_t k = 0; counts && k < rule->patterns.n; k++) {
            struct span prefix = prefix_of(rule->patterns.items[k]);
            if (!is_telling(prefix)) {
                continue;
            }
            prefixes++;
            for (size_t n = 0; n < COUNT(lengths); n++) {
                wrong += deliver("The key is", prefix, lengths[n], &random);
            }
        }
    }
    for (size_t i = 0; i < COUNT(known) * COUNT(lengths); i++) {
        wrong += deliver("It is", span_str(known[i % COUNT(known)]), lengths[i / COUNT(known)], &random);
    }
    print_message("%zu prefixes\n", prefixes);
    assert_true(prefixes >= PREFIXES_AT_LEAST);
    assert_true(wrong == 0);
}

/* What has a rule of its own is found by that one alone. */
static void a_key_of_the_known_length_is_found_once(void **state)
{
    static const char *const of_lengths[] = {"provider-key-other-length", "provider-key-other-parts"};

    (void)state;
    for (uint32_t i = 0; i < shipped->rules->n_rules; i++) {
        const struct rule *rule = &shipped->rules->rules[i];
        bool is_one = span_is(rule->id, of_lengths[0]) || span_is(rule->id, of_lengths[1]);
        for (size_t k = 0; !is_one && span_is(rule->pack, "secrets") && k < rule->match.n; k++) {
            struct channel channel;
            struct exchange x = judge(rule->match.items[k], &channel);
            bool has_own = false, has_other = false;
            for (size_t n = 0; n < x.n_findings; n++) {
                struct span id = x.findings[n].rule->id;
                bool is_other = span_is(id, of_lengths[0]) || span_is(id, of_lengths[1]);
                has_other = has_other || is_other;
                has_own = has_own || span_equal(id, rule->id);
            }
            if (has_own && has_other) {
                fail_msg("found twice: " SPAN_FMT ": " SPAN_FMT, SPAN_ARG(rule->id), SPAN_ARG(rule->match.items[k]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_of_another_length_is_not_delivered),
        cmocka_unit_test(a_key_of_the_known_length_is_found_once),
    };

    return cmocka_run_group_tests(tests, shipped_worker_open, shipped_worker_close);
}
