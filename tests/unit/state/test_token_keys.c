#include "testing.h"

#include <ftw.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state/keys.h"
#include "state/token_keys.h"
#include "decision_log/value_token.h"

#define DAY INT64_C(86400000000000)

static char directory[] = "/tmp/filterd-tokens.XXXXXX";
static const int64_t now = 20780 * DAY; /* 2026-11-23, in epoch 230 */

static int drop(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

static int set_up(void **state)
{
    struct keys keys;
    struct error err;

    (void)state;
    (void)snprintf(directory, sizeof(directory), "/tmp/filterd-tokens.XXXXXX");
    return sodium_init() < 0 || mkdtemp(directory) == NULL || !keys_load(directory, &keys, &err);
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(directory, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static struct token_keys *open_at(int64_t ns)
{
    struct error err;
    struct token_keys *t = token_keys_open(directory, ns, &err);

    assert_non_null(t);
    return t;
}

static void an_epoch_has_ninety_days_and_its_number_in_the_key(void **state)
{
    (void)state;
    struct token_keys *t = open_at(now);

    assert_int_equal(token_epoch(now), 230);
    assert_int_equal(token_epoch_begins_ns(230), 20700 * DAY);
    assert_int_equal(token_epoch(token_epoch_begins_ns(231) - 1), 230);
    assert_memory_equal(token_keys_at(t, now)->key_id, "e230-", 5);
    assert_int_equal(strlen(token_keys_at(t, now)->key_id), 13);
    token_keys_close(t);
}

static void a_new_epoch_has_a_key_of_its_own_without_a_restart(void **state)
{
    (void)state;
    struct token_keys *t = open_at(now);
    struct decision_keys first = *token_keys_at(t, now), same = *token_keys_at(t, now + 9 * DAY);
    struct decision_keys next = *token_keys_at(t, token_epoch_begins_ns(231));

    assert_memory_equal(first.token, same.token, 32);
    assert_memory_not_equal(first.token, next.token, 32);
    assert_memory_equal(next.key_id, "e231-", 5);
    /* A record that began before still gets the newest. */
    assert_string_equal(token_keys_at(t, now)->key_id, next.key_id);
    token_keys_close(t);
    t = open_at(now);
    assert_memory_equal(token_keys_at(t, now)->token, first.token, 32);
    assert_memory_equal(token_keys_at(t, token_epoch_begins_ns(231))->token, next.token, 32);
    token_keys_close(t);
}

static void a_key_that_cannot_be_made_leaves_the_last_in_use(void **state)
{
    (void)state;
    char keys[64];
    struct token_keys *t = open_at(now);
    struct decision_keys first = *token_keys_at(t, now);

    (void)snprintf(keys, sizeof(keys), "%s/keys", directory);
    char away[64];
    (void)snprintf(away, sizeof(away), "%s/away", directory);
    assert_int_equal(rename(keys, away), 0);
    assert_string_equal(token_keys_at(t, token_epoch_begins_ns(231))->key_id, first.key_id);
    assert_int_equal(rename(away, keys), 0);
    assert_memory_equal(token_keys_at(t, token_epoch_begins_ns(231))->key_id, "e231-", 5);
    token_keys_close(t);
}

struct seen {
    unsigned epochs[8];
    char token[8][VALUE_TOKEN_MAX];
    size_t n;
};

static void see(void *context, unsigned epoch, const struct decision_keys *keys)
{
    struct seen *s = context;
    struct value_token token;
    struct error err;

    assert_true(value_token_make(keys, span_str("value"), &token, &err));
    memcpy(s->token[s->n], token.text, sizeof(token.text));
    s->epochs[s->n++] = epoch;
}

static void readers_get_every_key_that_is_there_oldest_first(void **state)
{
    (void)state;
    struct token_keys *t = open_at(now);
    struct value_token token;
    struct seen seen = {.n = 0};
    struct error err;

    (void)token_keys_at(t, token_epoch_begins_ns(1000));
    (void)token_keys_at(t, token_epoch_begins_ns(1001));
    assert_true(token_keys_each(directory, see, &seen, &err));
    assert_int_equal(seen.n, 4);
    assert_int_equal(seen.epochs[0], 0);
    assert_int_equal(seen.epochs[1], 230);
    assert_int_equal(seen.epochs[3], 1001);
    assert_true(value_token_make(token_keys_at(t, token_epoch_begins_ns(1001)), span_str("value"), &token, &err));
    assert_string_equal(seen.token[3], token.text);
    token_keys_close(t);
}

static void an_erased_epoch_is_gone_and_the_one_in_use_is_kept(void **state)
{
    (void)state;
    struct token_keys *t = open_at(now);
    struct seen seen = {.n = 0};
    struct error err;
    char path[128];

    (void)token_keys_at(t, token_epoch_begins_ns(231));
    assert_false(token_keys_delete(directory, 231, token_epoch_begins_ns(231), &err));
    assert_false(token_keys_delete(directory, 0, now, &err));
    assert_true(token_keys_delete(directory, 230, token_epoch_begins_ns(231), &err));
    (void)snprintf(path, sizeof(path), "%s/keys/token-e230.key", directory);
    assert_int_equal(access(path, F_OK), -1);
    assert_true(token_keys_each(directory, see, &seen, &err));
    assert_int_equal(seen.n, 2);
    assert_false(token_keys_delete(directory, 230, token_epoch_begins_ns(231), &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    token_keys_close(t);
}

static void *ask(void *t)
{
    return (void *)(uintptr_t)token_keys_at(t, token_epoch_begins_ns(240))->key_id[1];
}

static void threads_that_ask_at_once_get_one_key(void **state)
{
    (void)state;
    struct token_keys *t = open_at(now);
    pthread_t threads[8];

    for (size_t i = 0; i < COUNT(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask, t), 0);
    }
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *digit;
        assert_int_equal(pthread_join(threads[i], &digit), 0);
        assert_int_equal((uintptr_t)digit, '2');
    }
    assert_memory_equal(token_keys_at(t, token_epoch_begins_ns(240))->key_id, "e240-", 5);
    token_keys_close(t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_epoch_has_ninety_days_and_its_number_in_the_key),
        TEST(a_new_epoch_has_a_key_of_its_own_without_a_restart),
        TEST(a_key_that_cannot_be_made_leaves_the_last_in_use),
        TEST(readers_get_every_key_that_is_there_oldest_first),
        TEST(an_erased_epoch_is_gone_and_the_one_in_use_is_kept),
        TEST(threads_that_ask_at_once_get_one_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
