#include "testing.h"

#include "prompt/history.h"
#include "prompt/nh.h"

static struct policy policy;

static struct exchange speaker(const char *digest, const char *tenant, const char *agent)
{
    policy = (struct policy){.digest = span_str(digest), .name = span_str("default")};
    return (struct exchange){.policy = &policy, .who = {.tenant = span_str(tenant), .agent = span_str(agent)}};
}

static struct history_key key_of(const struct history *h, const struct exchange *x, const char *route, const char *place, struct span json)
{
    const struct prompt_unit u = {.place = place, .json = json};
    struct history_scope scope;
    struct history_key key;

    history_scope_of(h, x, route, &scope);
    history_keys_of(h, &scope, &u, 1, NULL, &key);
    return key;
}

static struct history *open_history(size_t entries)
{
    struct error err;
    struct history *h = history_new(entries, &err);

    assert_non_null(h);
    return h;
}

static bool has(struct history *h, const struct history_key *key)
{
    bool is_known = false;

    history_find(h, key, 1, &is_known);
    return is_known;
}

/* Every part that a judgement depends on is in the key, and no byte can move from one part to the next. */
static void a_key_is_of_all_that_a_judgement_depends_on(void **state)
{
    static const char *const variants[][6] = {
        /* digest, tenant, agent, route, place, JSON */
        {"d", "t", "a", "chat", "/messages/*", "{\"content\":\"x\"}"},
        {"e", "t", "a", "chat", "/messages/*", "{\"content\":\"x\"}"},
        {"d", "u", "a", "chat", "/messages/*", "{\"content\":\"x\"}"},
        {"d", "t", "b", "chat", "/messages/*", "{\"content\":\"x\"}"},
        {"d", "ta", "", "chat", "/messages/*", "{\"content\":\"x\"}"},
        {"dt", "", "a", "chat", "/messages/*", "{\"content\":\"x\"}"},
        {"d", "t", "ac", "hat", "/messages/*", "{\"content\":\"x\"}"},
        {"d", "t", "a", "responses", "/messages/*", "{\"content\":\"x\"}"},
        {"d", "t", "a", "chat", "/input/*", "{\"content\":\"x\"}"},
        {"d", "t", "a", "chat", "/messages/*{", "\"content\":\"x\"}"},
        {"d", "t", "a", "chat", "", "/messages/*{\"content\":\"x\"}"},
        {"d", "t", "a", "chat", "/messages/*", "{\"content\":\"y\"}"},
        {"d", "t", "a", "chat", "/messages/*", "{\"content\":\"x\"} "},
        {"d", "t", "a", "chat", "/messages/*", ""},
    };
    struct history *h = open_history(64);
    struct history_key keys[COUNT(variants)];

    (void)state;
    for (size_t i = 0; i < COUNT(variants); i++) {
        const char *const *v = variants[i];
        struct exchange x = speaker(v[0], v[1], v[2]);
        keys[i] = key_of(h, &x, v[3], v[4], span_str(v[5]));
        struct history_key again = key_of(h, &x, v[3], v[4], span_str(v[5]));
        assert_memory_equal(&keys[i], &again, sizeof(again));
        for (size_t k = 0; k < i; k++) {
            if (memcmp(&keys[i], &keys[k], sizeof(keys[i])) == 0) {
                fail_msg("variants %zu and %zu have one key", k, i);
            }
        }
    }
    history_free(h);
}

/* Any changed byte of a long message, at the ends of the hash's blocks too. */
static void any_byte_of_a_message_counts(void **state)
{
    enum { LEN = 2100 };
    char text[LEN];
    struct history *h = open_history(64);
    struct exchange x = speaker("d", "t", "a");

    (void)state;
    memset(text, 'a', LEN);
    struct history_key whole = key_of(h, &x, "chat", "/m", span_of(text, LEN));
    for (size_t i = 0; i < LEN; i++) {
        text[i] ^= 1;
        struct history_key other = key_of(h, &x, "chat", "/m", span_of(text, LEN));
        struct history_key shorter = key_of(h, &x, "chat", "/m", span_of(text, i));
        text[i] ^= 1;
        assert_memory_not_equal(&whole, &other, sizeof(whole));
        assert_memory_not_equal(&whole, &shorter, sizeof(whole));
    }
    history_free(h);
}

/* The hash has a nonce, which must not move on from one to the next. */
static void keys_of_many_units_are_those_of_each(void **state)
{
    static const struct prompt_unit units[] = {
        {.place = "/m", .json = {"abc", 3}}, {.place = "", .json = {"", 0}}, {.place = "/m", .json = {"abc", 3}}};
    struct history *h = open_history(64);
    struct exchange x = speaker("d", "t", "a");
    struct history_scope scope;
    struct history_key keys[COUNT(units)], by_sums[COUNT(units)];
    uint64_t sums[COUNT(units) * (1 + NH_SUMS)], *next = sums;

    (void)state;
    history_scope_of(h, &x, "chat", &scope);
    history_keys_of(h, &scope, units, COUNT(units), NULL, keys);
    for (size_t i = 0; i < COUNT(units); i++) {
        history_sums_of(h, units[i].json, next);
        next += history_n_sums(units[i].json);
    }
    history_keys_of(h, &scope, units, COUNT(units), sums, by_sums);
    assert_memory_equal(keys, by_sums, sizeof(keys));
    for (size_t i = 0; i < COUNT(units); i++) {
        struct history_key one = key_of(h, &x, "chat", units[i].place, units[i].json);
        assert_memory_equal(&keys[i], &one, sizeof(one));
    }
    history_free(h);
}

enum { MESSAGES = 3, LONG = 1100 };

/* Of messages of these lengths in `text`. */
static void keys_of_prefixes(const struct history *h, const char *place, const char *text, const size_t len[MESSAGES], struct history_key out[MESSAGES])
{
    struct exchange x = speaker("d", "t", "a");
    struct prompt_unit units[MESSAGES];
    struct history_scope scope;
    uint64_t sums[MESSAGES * (1 + 2 * NH_SUMS)], *next = sums;

    for (size_t i = 0, at = 0; i < MESSAGES; at += len[i++]) {
        units[i] = (struct prompt_unit){.place = place, .json = span_of(text + at, len[i])};
        history_sums_of(h, units[i].json, next);
        next += history_n_sums(units[i].json);
    }
    history_scope_of(h, &x, "chat", &scope);
    history_keys_of_prefixes(h, &scope, units, MESSAGES, sums, out, MESSAGES);
}

/* The key of a prefix is of its messages alone, of each of their bytes and of where each ends, and no message's. */
static void a_prefix_has_a_key_of_its_own(void **state)
{
    static const size_t len[MESSAGES] = {5, LONG, 7}, moved[MESSAGES] = {6, LONG - 1, 7}, rest[MESSAGES] = {5, LONG, 8};
    struct history *h = open_history(64);
    struct exchange x = speaker("d", "t", "a");
    struct history_key prefixes[MESSAGES], others[MESSAGES];
    char text[2 * LONG];

    (void)state;
    memset(text, 'a', sizeof(text));
    keys_of_prefixes(h, "/m", text, len, prefixes);
    struct history_key first = key_of(h, &x, "chat", "/m", span_of(text, len[0]));
    assert_memory_not_equal(&prefixes[0], &first, sizeof(first));
    keys_of_prefixes(h, "/m", text, rest, others);
    assert_memory_equal(prefixes, others, 2 * sizeof(*prefixes));
    assert_memory_not_equal(&prefixes[2], &others[2], sizeof(*prefixes));
    keys_of_prefixes(h, "/m", text, moved, others);
    assert_memory_not_equal(&prefixes[1], &others[1], sizeof(*prefixes));
    keys_of_prefixes(h, "/n", text, len, others);
    assert_memory_not_equal(&prefixes[2], &others[2], sizeof(*prefixes));
    for (size_t i = 0; i < len[0] + len[1] + len[2]; i++) {
        text[i] ^= 1;
        keys_of_prefixes(h, "/m", text, len, others);
        text[i] ^= 1;
        assert_memory_not_equal(&prefixes[2], &others[2], sizeof(*prefixes));
        assert_true((memcmp(&prefixes[0], &others[0], sizeof(*prefixes)) == 0) == (i >= len[0]));
    }
    history_free(h);
}

static void keys_of_another_process_are_others(void **state)
{
    struct history *a = open_history(64), *b = open_history(64);
    struct exchange x = speaker("d", "t", "a");
    struct history_key of_a = key_of(a, &x, "chat", "/m", span_str("x")), of_b = key_of(b, &x, "chat", "/m", span_str("x"));

    (void)state;
    assert_memory_not_equal(&of_a, &of_b, sizeof(of_a));
    history_free(a);
    history_free(b);
}

static void what_was_added_is_known_and_the_table_is_bounded(void **state)
{
    enum { ADDED = 1000, ENTRIES = 64 };
    struct history *h = open_history(ENTRIES);
    struct exchange x = speaker("d", "t", "a");
    size_t known = 0;

    (void)state;
    for (unsigned i = 0; i < ADDED; i++) {
        struct history_key key = key_of(h, &x, "chat", "/m", span_of((const char *)&i, sizeof(i)));
        assert_false(has(h, &key));
        history_add(h, &key);
        assert_true(has(h, &key));
    }
    for (unsigned i = 0; i < ADDED; i++) {
        struct history_key key = key_of(h, &x, "chat", "/m", span_of((const char *)&i, sizeof(i)));
        known += has(h, &key);
    }
    assert_true(known > 0 && known <= ENTRIES);
    history_free(h);
}

static void several_keys_are_found_at_once(void **state)
{
    enum { N = 9 };
    struct history *h = open_history(64);
    struct exchange x = speaker("d", "t", "a");
    struct history_key keys[N];
    bool is_known[N];

    (void)state;
    for (size_t i = 0; i < N; i++) {
        char text = (char)('a' + i);
        keys[i] = key_of(h, &x, "chat", "/messages/*", span_of(&text, 1));
        if (i % 3 == 1) {
            history_add(h, &keys[i]);
        }
    }
    history_find(h, keys, N, is_known);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(is_known[i], i % 3 == 1);
    }
    history_free(h);
}

static void a_valid_message_is_not_known(void **state)
{
    struct history *h = open_history(64);
    struct exchange x = speaker("d", "t", "a");
    struct history_key key = key_of(h, &x, "chat", "/messages/*", span_str("{}")), other = key_of(h, &x, "chat", "/messages/*", span_str("{ }"));
    uint32_t text_bytes = 0;

    (void)state;
    history_add_valid(h, &key);
    assert_false(has(h, &key));
    history_find_texts(h, &key, 1, &text_bytes);
    assert_int_equal(text_bytes, HISTORY_VALID);
    history_add(h, &other);
    history_add_valid(h, &other);
    history_find_texts(h, &other, 1, &text_bytes);
    assert_true(has(h, &other) && text_bytes == 0);
    history_add_texts(h, &key, history_texts(7, 7));
    history_add_valid(h, &key);
    history_find_texts(h, &key, 1, &text_bytes);
    assert_true(has(h, &key) && text_bytes == 8);
    history_add(h, &key);
    history_find_texts(h, &key, 1, &text_bytes);
    assert_int_equal(text_bytes, 8);
    history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_of_all_that_a_judgement_depends_on),
        cmocka_unit_test(any_byte_of_a_message_counts),
        cmocka_unit_test(keys_of_many_units_are_those_of_each),
        cmocka_unit_test(a_prefix_has_a_key_of_its_own),
        cmocka_unit_test(keys_of_another_process_are_others),
        cmocka_unit_test(what_was_added_is_known_and_the_table_is_bounded),
        cmocka_unit_test(several_keys_are_found_at_once),
        cmocka_unit_test(a_valid_message_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
