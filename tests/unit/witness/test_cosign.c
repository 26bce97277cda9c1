#include "testing.h"

#include <sodium.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "unit/witness/world.h"
#include "record/key_file.h"

static struct world w;

static int open_world(void **state)
{
    (void)state;
    memset(&w, 0, sizeof(w));
    world_open(&w);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    world_close(&w);
    return 0;
}

static void assert_size(const char *expected)
{
    assert_int_equal(w.answer.status, 409);
    assert_true(w.answer.is_size);
    assert_true(span_is(buf_span(&w.answer.body), expected));
}

static void a_tree_that_grows_is_cosigned(void **state)
{
    static const uint64_t sizes[] = {0, 1, 1, 2, 7, 8, 255, 256, 257, 300};
    uint64_t old = 0, time;
    struct checkpoint c;
    struct error err;
    struct buf b;
    (void)state;

    buf_init(&b, NOTE_MAX);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        assert_int_equal(world_add(&w, old, sizes[i]), 200);
        buf_clear(&b);
        world_checkpoint(&w, sizes[i], true, &b);
        assert_true(buf_append(&b, buf_span(&w.answer.body), &err));
        assert_true(checkpoint_parse(buf_span(&b), &c, &err));
        assert_int_equal(note_verify(&c.note, &w.witness_key, &time), NOTE_GOOD);
        assert_true(time == 1764000000);
        old = sizes[i];
    }
    buf_deinit(&b);
}

static void another_size_is_answered_with_the_one_that_was_signed(void **state)
{
    (void)state;
    assert_int_equal(world_add(&w, 5, 10), 409);
    assert_size("0\n");
    assert_int_equal(world_add(&w, 0, 10), 200);
    (void)world_add(&w, 0, 20);
    assert_size("10\n");
    (void)world_add(&w, 9, 20);
    assert_size("10\n");
    (void)world_add(&w, 11, 20);
    assert_size("10\n");
    assert_int_equal(world_add(&w, 10, 20), 200);
}

static void a_tree_that_shrinks_is_not_cosigned(void **state)
{
    (void)state;
    assert_int_equal(world_add(&w, 0, 100), 200);
    assert_int_equal(world_add(&w, 100, 50), 400);
    (void)world_add(&w, 50, 50);
    assert_size("100\n");
    (void)world_add(&w, 0, 50);
    assert_size("100\n");
    assert_int_equal(world_add(&w, 100, 101), 200);
}

static void a_fork_is_not_cosigned(void **state)
{
    (void)state;
    assert_int_equal(world_add(&w, 0, 100), 200);
    w.leaves[40].bytes[0] ^= 1; /* a line that was changed afterwards */
    assert_int_equal(world_add(&w, 100, 100), 409);
    assert_size("100\n");
    assert_int_equal(world_add(&w, 100, 120), 422);
    w.leaves[40].bytes[0] ^= 1;
    assert_int_equal(world_add(&w, 100, 120), 200);
}

static unsigned ask_with(uint64_t old, uint64_t size, const struct tree_proof *proof)
{
    struct buf b, note;
    struct error err;

    buf_init(&b, ADD_CHECKPOINT_MAX);
    buf_init(&note, NOTE_MAX);
    world_checkpoint(&w, size, true, &note);
    assert_true(add_checkpoint_format(old, proof, buf_span(&note), &b, &err));
    unsigned status = world_ask(&w, buf_span(&b));
    buf_deinit(&b);
    buf_deinit(&note);
    return status;
}

static void a_proof_that_does_not_hold_is_refused(void **state)
{
    struct tree_proof p;
    (void)state;

    p.n = 1;
    p.hashes[0] = w.leaves[0];
    assert_int_equal(ask_with(0, 10, &p), 422); /* none is expected from 0 */
    assert_int_equal(world_add(&w, 0, 10), 200);
    assert_int_equal(ask_with(10, 10, &p), 422);
    world_proof(&w, 10, 77, &p);
    p.hashes[1].bytes[31] ^= 1;
    assert_int_equal(ask_with(10, 77, &p), 422);
    p.hashes[1].bytes[31] ^= 1;
    p.n--;
    assert_int_equal(ask_with(10, 77, &p), 422);
    p.n++;
    assert_int_equal(ask_with(10, 77, &p), 200);
}

static void a_log_that_is_not_known_or_did_not_sign_is_refused(void **state)
{
    static const uint8_t others_seed[NOTE_SEED] = {99};
    struct note_key known = w.log;
    (void)state;

    world_key(world_origin, NOTE_ED25519, others_seed, &known);
    w.witness.logs = &known;
    assert_int_equal(world_add(&w, 0, 10), 403);
    world_key("web-2/filterd/0011223344556677", NOTE_ED25519, world_log_seed, &known);
    assert_int_equal(world_add(&w, 0, 10), 404);
    w.witness.n_logs = 0;
    assert_int_equal(world_add(&w, 0, 10), 404);
    /* A second key of the same origin. */
    struct note_key both[2] = {known, w.log};
    world_key(world_origin, NOTE_ED25519, others_seed, &both[0]);
    w.witness.logs = both;
    w.witness.n_logs = 2;
    assert_int_equal(world_add(&w, 0, 10), 200);
}

static void what_is_no_request_is_refused(void **state)
{
    static const char *const requests[] = {"", "old 0\n", "old 0\n\n", "old 0\n\nweb-1/filterd/0011223344556677\n1\n", "\n", "{}"};
    (void)state;

    for (size_t i = 0; i < COUNT(requests); i++) {
        assert_int_equal(world_ask(&w, span_str(requests[i])), 400);
        assert_false(w.answer.is_size);
    }
}

static void no_bit_of_a_request_can_be_changed(void **state)
{
    struct buf b;
    unsigned n = 0;
    (void)state;

    assert_int_equal(world_add(&w, 0, 5), 200);
    buf_init(&b, ADD_CHECKPOINT_MAX);
    world_request(&w, 5, 9, &b);
    for (size_t i = 0; i < b.len; i++) {
        b.data[i] ^= 1;
        n += world_ask(&w, buf_span(&b)) == 200;
        b.data[i] ^= 1;
    }
    assert_int_equal(n, 0);
    assert_int_equal(world_ask(&w, buf_span(&b)), 200);
    buf_deinit(&b);
}

/* --- the state ------------------------------------------------------------------ */

static void reopen(void)
{
    struct error err;

    witness_state_close(&w.witness.state);
    assert_true(witness_state_open(&w.witness.state, w.folder, &err));
}

static void what_was_signed_is_known_after_a_restart(void **state)
{
    (void)state;
    assert_int_equal(world_add(&w, 0, 10), 200);
    reopen();
    (void)world_add(&w, 0, 10);
    assert_size("10\n");
    assert_int_equal(world_add(&w, 10, 11), 200);
}

static void two_processes_cannot_have_one_state(void **state)
{
    struct witness_state second;
    struct error err;
    (void)state;

    assert_false(witness_state_open(&second, w.folder, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
}

/* The only file of the state has this text instead. */
static void replace_state(const char *text)
{
    char path[PATH_MAX], name[DIGEST_SHA256_HEX + 1];
    struct error err;

    assert_true(digest_sha256(span_str(world_origin), name, &err));
    (void)snprintf(path, sizeof(path), "%s/%s", w.folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void a_state_that_cannot_be_read_is_no_empty_state(void **state)
{
    (void)state;
    assert_int_equal(world_add(&w, 0, 10), 200);
    replace_state("");
    assert_int_equal(world_add(&w, 0, 10), 500);
    assert_int_equal(world_add(&w, 10, 11), 500);
    replace_state("another/origin\n10\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n");
    assert_int_equal(world_add(&w, 10, 11), 500);
}

static void nothing_is_signed_that_cannot_be_stored(void **state)
{
    char away[96];
    (void)state;

    assert_int_equal(world_add(&w, 0, 10), 200);
    (void)snprintf(away, sizeof(away), "%s.away", w.folder);
    assert_int_equal(rename(w.folder, away), 0);
    assert_int_equal(world_add(&w, 0, 20), 500); /* no folder: not "nothing signed yet" and a signature */
    assert_int_equal(rename(away, w.folder), 0);
    (void)world_add(&w, 0, 20);
    assert_size("10\n");
}

struct racer {
    uint64_t size;
    unsigned status;
};

static void *race(void *context)
{
    struct racer *r = context;
    struct witness_answer answer = {.status = 0};
    struct error err;
    struct buf b;

    buf_init(&b, ADD_CHECKPOINT_MAX);
    buf_init(&answer.body, 8192);
    world_request(&w, 10, r->size, &b);
    witness_cosign(&w.witness, buf_span(&b), 1, &answer, &err);
    r->status = answer.status;
    buf_deinit(&b);
    buf_deinit(&answer.body);
    return NULL;
}

/* Of several requests that go on from one size, one is signed. */
static void looking_and_storing_are_one_step(void **state)
{
    struct racer racers[8];
    pthread_t threads[COUNT(racers)];
    unsigned good = 0;
    (void)state;

    assert_int_equal(world_add(&w, 0, 10), 200);
    for (size_t i = 0; i < COUNT(racers); i++) {
        racers[i] = (struct racer){.size = 11 + i};
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    }
    for (size_t i = 0; i < COUNT(racers); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        good += racers[i].status == 200;
        assert_true(racers[i].status == 200 || racers[i].status == 409);
    }
    assert_int_equal(good, 1);
}

/* --- the log's own signer ---------------------------------------------------------- */

static void the_local_signer_signs_any_log_once(void **state)
{
    struct checkpoint c;
    struct note_key key;
    struct error err;
    struct buf b;
    (void)state;

    w.witness.is_local = true;
    w.witness.n_logs = 0;
    assert_int_equal(world_add(&w, 0, 10), 200);
    buf_init(&b, NOTE_MAX);
    world_checkpoint(&w, 10, false, &b);
    assert_true(buf_append_char(&b, '\n', &err) && buf_append(&b, buf_span(&w.answer.body), &err));
    assert_true(checkpoint_parse(buf_span(&b), &c, &err));
    world_key(world_origin, NOTE_ED25519, world_witness_seed, &key);
    assert_true(checkpoint_verify(&c, &key, &err));
    assert_int_equal(world_add(&w, 10, 5), 400);
    w.leaves[3].bytes[0] ^= 1;
    assert_int_equal(world_add(&w, 10, 20), 422);
    assert_int_equal(world_add(&w, 10, 10), 409);
    buf_deinit(&b);
}

/* --- keys -------------------------------------------------------------------------- */

static void a_key_is_made_once_and_read_again(void **state)
{
    uint8_t made[NOTE_SEED], again[NOTE_SEED];
    char path[96];
    struct error err;
    (void)state;

    (void)snprintf(path, sizeof(path), "%s/key", w.folder);
    assert_true(key_file_make(path, made, &err));
    assert_true(key_file_read(path, again, &err));
    assert_memory_equal(made, again, NOTE_SEED);
    assert_false(key_file_make(path, again, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_int_equal(chmod(path, 0640), 0);
    assert_false(key_file_read(path, again, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(truncate(path, 63), 0);
    assert_false(key_file_read(path, again, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
}

int main(void)
{
#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_tree_that_grows_is_cosigned),
        IN_WORLD(another_size_is_answered_with_the_one_that_was_signed),
        IN_WORLD(a_tree_that_shrinks_is_not_cosigned),
        IN_WORLD(a_fork_is_not_cosigned),
        IN_WORLD(a_proof_that_does_not_hold_is_refused),
        IN_WORLD(a_log_that_is_not_known_or_did_not_sign_is_refused),
        IN_WORLD(what_is_no_request_is_refused),
        IN_WORLD(no_bit_of_a_request_can_be_changed),
        IN_WORLD(what_was_signed_is_known_after_a_restart),
        IN_WORLD(two_processes_cannot_have_one_state),
        IN_WORLD(a_state_that_cannot_be_read_is_no_empty_state),
        IN_WORLD(nothing_is_signed_that_cannot_be_stored),
        IN_WORLD(looking_and_storing_are_one_step),
        IN_WORLD(the_local_signer_signs_any_log_once),
        IN_WORLD(a_key_is_made_once_and_read_again),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
