/* A log whose witnesses are servers of this process. */
#include "testing.h"

#include <curl/curl.h>
#include <sodium.h>
#include <sys/stat.h>

#include "base/file.h"
#include "record/checkpoint_store.h"
#include "record/tiles.h"
#include "unit/witness/world.h"
#include "witness/push.h"
#include "witness/server.h"

enum { WITNESSES = 2, INTERVAL_MS = 20, TRIES = 500 };

static struct world worlds[WITNESSES];
static struct witness_server *servers[WITNESSES];
static struct address addresses[WITNESSES];
static struct note_key keys[WITNESSES];
static char folder[64], policy_path[96];
static struct tile_writer *tiles;
static struct witnesses *witnesses;
static struct push *push;

static void start_server(unsigned i)
{
    struct error err;

    servers[i] = witness_server_start(&worlds[i].witness, &addresses[i], &err);
    assert_non_null(servers[i]);
}

static void write_policy(const char *rest)
{
    char text[2048], vkey[NOTE_VKEY_MAX + 1], address[ADDRESS_TEXT];
    size_t n = 0;
    struct error err;

    for (unsigned i = 0; i < WITNESSES; i++) {
        note_key_format(&keys[i], vkey);
        address_text(&addresses[i], address);
        n += (size_t)snprintf(text + n, sizeof(text) - n, "witness w%u %s http://%s/\n", i, vkey, address);
    }
    n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", rest);
    assert_true(file_write_atomic(policy_path, span_of(text, n), 0600, &err));
}

static int open_all(void **state)
{
    static const char *const names[WITNESSES] = {"witness.example/w0", "witness.example/w1"};
    struct error err;
    (void)state;

    memset(worlds, 0, sizeof(worlds));
    for (unsigned i = 0; i < WITNESSES; i++) {
        world_open(&worlds[i]);
        worlds[i].witness.name = names[i];
        worlds[i].witness.seed[5] = (uint8_t)(i + 1);
        world_key(names[i], NOTE_COSIGNATURE, worlds[i].witness.seed, &keys[i]);
        assert_true(address_parse("127.0.0.1:0", &addresses[i], &err));
        start_server(i);
    }
    (void)snprintf(folder, sizeof(folder), "%s/record", worlds[0].folder);
    (void)snprintf(policy_path, sizeof(policy_path), "%s/policy", worlds[0].folder);
    tiles = tile_writer_open(folder, 0, &err);
    assert_non_null(tiles);
    write_policy("group both all w0 w1\nquorum both\n");
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    push_stop(push);
    push = NULL;
    witnesses_free(witnesses);
    witnesses = NULL;
    tile_writer_close(tiles);
    for (unsigned i = 0; i < WITNESSES; i++) {
        witness_server_stop(servers[i]);
        servers[i] = NULL;
        world_close(&worlds[i]);
    }
    return 0;
}

static void grow(uint64_t size)
{
    struct buf note;
    struct error err;

    for (uint64_t i = tile_writer_size(tiles); i < size; i++) {
        assert_true(tile_writer_add(tiles, &worlds[0].leaves[i], &err));
    }
    assert_true(tile_writer_commit(tiles, &err));
    buf_init(&note, NOTE_MAX);
    world_checkpoint(&worlds[0], size, true, &note);
    assert_true(checkpoint_store_add(folder, buf_span(&note), &err));
    buf_deinit(&note);
}

static void start_push(void)
{
    struct error err;

    witnesses = witnesses_load(policy_path, &err);
    if (witnesses == NULL) {
        fail_msg("%s", err.text);
    }
    push = push_start(&(struct push_options){.record = folder, .witnesses = witnesses, .interval_ms = INTERVAL_MS, .timeout_ms = 2000},
                      &err);
    assert_non_null(push);
}

/* The members that have cosigned the newest checkpoint that is cosigned, and its size; waits until they are these. */
static void assert_cosigned(uint64_t size, uint64_t members)
{
    uint64_t found = 0, seen = 0;

    for (int i = 0; i < TRIES; i++) {
        struct log_policy_result r = {.witnesses = 0};
        struct checkpoint c;
        struct error err;
        struct buf b;
        bool is_quorum;
        buf_init(&b, PUSH_COSIGNED_MAX);
        if (checkpoint_store_cosigned(folder, &b, &err) && checkpoint_parse(buf_span(&b), &c, &err) &&
            checkpoint_verify(&c, &worlds[0].log, &err) &&
            log_policy_witnesses(&witnesses->policy, &c, &r, &is_quorum, &err)) {
            found = r.witnesses;
            seen = c.size;
        }
        buf_deinit(&b);
        if (found == members && seen == size) {
            return;
        }
        (void)usleep(10000);
    }
    fail_msg("cosigned: size %u by %x", (unsigned)seen, (unsigned)found);
}

/* Until the lag is none, or there is one. */
static void assert_quorum_lags(bool expected)
{
    for (int i = 0; i < TRIES; i++) {
        if ((push_quorum_lag_seconds(push) > 0) == expected) {
            return;
        }
        (void)usleep(10000);
    }
    fail_msg("the quorum lags by %f", push_quorum_lag_seconds(push));
}

static void every_witness_cosigns_as_the_log_grows(void **state)
{
    (void)state;
    grow(10);
    start_push();
    assert_cosigned(10, 7);
    grow(11);
    assert_cosigned(11, 7);
    grow(300);
    assert_cosigned(300, 7);
    assert_quorum_lags(false);
    assert_true(push_lag_seconds(push, 0) == 0);
}

static void a_witness_that_is_at_another_size_is_asked_again(void **state)
{
    (void)state;
    assert_int_equal(world_add(&worlds[0], 0, 100), 200); /* of which this log's files say nothing */
    grow(200);
    start_push();
    assert_cosigned(200, 7);
}

static void a_witness_that_is_away_holds_up_no_other(void **state)
{
    (void)state;
    witness_server_stop(servers[1]);
    servers[1] = NULL;
    grow(20);
    start_push();
    assert_cosigned(20, 1);
    assert_true(push_lag_seconds(push, 1) > 0);
    assert_quorum_lags(true);
    grow(40);
    assert_cosigned(40, 1);
    start_server(1);
    assert_cosigned(40, 7);
    assert_quorum_lags(false);
}

static void one_witness_may_be_enough(void **state)
{
    (void)state;
    write_policy("group any any w0 w1\nquorum any\n");
    witness_server_stop(servers[0]);
    servers[0] = NULL;
    grow(20);
    start_push();
    assert_cosigned(20, 6);
    assert_quorum_lags(false);
}

static void what_was_cosigned_is_known_after_a_restart(void **state)
{
    (void)state;
    grow(20);
    start_push();
    assert_cosigned(20, 7);
    push_stop(push);
    witnesses_free(witnesses);
    for (unsigned i = 0; i < WITNESSES; i++) {
        witness_server_stop(servers[i]);
        servers[i] = NULL;
    }
    start_push();
    assert_cosigned(20, 7);
    (void)usleep(5 * INTERVAL_MS * 1000);
    assert_true(push_lag_seconds(push, 0) == 0);
    assert_quorum_lags(false);
}

static void a_fork_is_not_cosigned(void **state)
{
    (void)state;
    worlds[1].leaves[5].bytes[0] ^= 1; /* what the second witness saw */
    assert_int_equal(world_add(&worlds[1], 0, 100), 200);
    grow(200);
    start_push();
    assert_cosigned(200, 1);
    assert_quorum_lags(true);
}

static void a_log_that_lost_lines_is_not_cosigned(void **state)
{
    (void)state;
    assert_int_equal(world_add(&worlds[1], 0, 250), 200);
    grow(200);
    start_push();
    assert_cosigned(200, 1);
}

static void a_file_of_witnesses_is_read_strictly(void **state)
{
    static const char *const urls[] = {"", " ftp://w.example/", " w.example", " http://user@w.example/", " http://w.example/?a=b",
                                       " http://", " file:///etc/passwd", " https://w.example:0/"};
    char text[1024], vkey[NOTE_VKEY_MAX + 1];
    struct error err;
    (void)state;

    note_key_format(&keys[0], vkey);
    for (size_t i = 0; i < COUNT(urls); i++) {
        (void)snprintf(text, sizeof(text), "witness w %s%s\nquorum w\n", vkey, urls[i]);
        assert_true(file_write_atomic(policy_path, span_str(text), 0600, &err));
        if (witnesses_load(policy_path, &err) != NULL) {
            fail_msg("%s was accepted", urls[i]);
        }
    }
    note_key_format(&worlds[0].log, vkey);
    (void)snprintf(text, sizeof(text), "log %s\nquorum none\n", vkey);
    assert_true(file_write_atomic(policy_path, span_str(text), 0600, &err));
    assert_null(witnesses_load(policy_path, &err));
    note_key_format(&keys[0], vkey);
    (void)snprintf(text, sizeof(text), "witness w %s https://w.example:8443/prefix/\nquorum w\n", vkey);
    assert_true(file_write_atomic(policy_path, span_str(text), 0600, &err));
    witnesses = witnesses_load(policy_path, &err);
    assert_non_null(witnesses);
    assert_string_equal(witnesses->targets[0].url, "https://w.example:8443/prefix/add-checkpoint");
    assert_int_equal(witnesses->targets[0].port, 8443);
}

int main(void)
{
#define WITH_ALL(f) cmocka_unit_test_setup_teardown(f, open_all, close_all)
    const struct CMUnitTest tests[] = {
        WITH_ALL(every_witness_cosigns_as_the_log_grows),
        WITH_ALL(a_witness_that_is_at_another_size_is_asked_again),
        WITH_ALL(a_witness_that_is_away_holds_up_no_other),
        WITH_ALL(one_witness_may_be_enough),
        WITH_ALL(what_was_cosigned_is_known_after_a_restart),
        WITH_ALL(a_fork_is_not_cosigned),
        WITH_ALL(a_log_that_lost_lines_is_not_cosigned),
        WITH_ALL(a_file_of_witnesses_is_read_strictly),
    };
    return sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK
               ? 1
               : cmocka_run_group_tests(tests, NULL, NULL);
}
