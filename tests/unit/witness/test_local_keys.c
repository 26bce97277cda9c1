/* The key files of a log's own signer: a crash at any change of the disk leaves the state before or after it. */
#include "testing.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "record/signer.h"
#include "unit/record/crash_testing.h"
#include "unit/witness/world.h"
#include "witness/local.h"
#include "witness/local_keys.h"

enum { CHANGES_MAX = 40 };

static char folder[] = "/tmp/filterd-keys-XXXXXX";
static struct error err;

/* --- the folder --------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    return place->level == 0 ? 0 : remove(path);
}

static int empty_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void must(bool is_done)
{
    if (!is_done) {
        fail_msg("%s", err.text);
    }
}

static void open_keys(struct witness *w)
{
    *w = (struct witness){.is_local = true, .lock = PTHREAD_MUTEX_INITIALIZER};
    must(local_keys_open(w, folder, &err));
}

static void prepare(void)
{
    uint8_t next[NOTE_SEED];

    (void)!local_keys_prepare(folder, next, &err);
}

static void retire(void)
{
    struct witness w = {.is_local = true};

    (void)!(local_keys_open(&w, folder, &err) && local_keys_retire(&w, &err));
}

static void a_crash_while_the_next_key_is_made_leaves_none_or_all_of_it(void **state)
{
    uint8_t old[NOTE_SEED], again[NOTE_SEED];
    struct witness w;
    unsigned at = 1;
    bool was_made = false;

    for (bool has_crashed = true; has_crashed; at++) {
        assert_true(at < CHANGES_MAX);
        (void)empty_folder(state);
        open_keys(&w);
        memcpy(old, w.seed, sizeof(old));
        assert_false(w.has_next);
        has_crashed = crash(prepare, at);
        open_keys(&w);
        assert_memory_equal(w.seed, old, NOTE_SEED);
        was_made |= w.has_next;
        bool had_next = w.has_next;
        must(local_keys_prepare(folder, again, &err)); /* it can be repeated */
        if (had_next) {
            assert_memory_equal(w.next, again, NOTE_SEED);
        }
        open_keys(&w);
        assert_true(w.has_next);
        assert_memory_not_equal(w.next, w.seed, NOTE_SEED);
    }
    assert_true(was_made && at > 3);
}

static void a_crash_while_the_old_key_is_retired_leaves_both_or_the_new_one(void **state)
{
    uint8_t old[NOTE_SEED], next[NOTE_SEED];
    struct witness w;
    unsigned at = 1;

    for (bool has_crashed = true; has_crashed; at++) {
        assert_true(at < CHANGES_MAX);
        (void)empty_folder(state);
        open_keys(&w);
        memcpy(old, w.seed, sizeof(old));
        must(local_keys_prepare(folder, next, &err));
        has_crashed = crash(retire, at);
        open_keys(&w);
        assert_memory_equal(w.seed, w.has_next ? old : next, NOTE_SEED);
        assert_true(!w.has_next || memcmp(w.next, next, NOTE_SEED) == 0);
    }
    assert_true(at > 2);
    assert_false(w.has_next);
}

static void a_next_key_needs_a_key_and_is_for_its_owner_alone(void **state)
{
    char path[128];
    uint8_t next[NOTE_SEED];
    struct stat info;
    struct witness w;

    (void)empty_folder(state);
    assert_false(local_keys_prepare(folder, next, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    open_keys(&w);
    must(local_keys_prepare(folder, next, &err));
    (void)snprintf(path, sizeof(path), "%s/log.next", folder);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(chmod(path, 0640), 0);
    assert_false(local_keys_open(&w, folder, &err)); /* not as if it were missing */
}

/* --- the service's side --------------------------------------------------------------- */

static struct world world;
static int their_end;

static void *serve(void *context)
{
    struct error ignored;

    (void)context;
    (void)!witness_serve_local(&world.witness, their_end, &ignored);
    (void)close(their_end);
    return NULL;
}

static unsigned sign(struct signer *s, uint64_t old, uint64_t size, const struct note_key *a, const struct note_key *b)
{
    struct tree_proof proof = {.n = 0};
    uint64_t ignored;
    struct checkpoint c;
    struct buf text, note;

    buf_init(&text, NOTE_MAX);
    buf_init(&note, NOTE_MAX);
    world_checkpoint(&world, size, false, &text);
    world_proof(&world, old, size, &proof);
    must(signer_sign(s, buf_span(&text), old, &proof, &note, &ignored, &err) && checkpoint_parse(buf_span(&note), &c, &err));
    unsigned by = checkpoint_verify(&c, a, &err) ? 1 : 0;
    by |= checkpoint_verify(&c, b, &err) ? 2U : 0;
    buf_deinit(&text);
    buf_deinit(&note);
    return by;
}

static void both_keys_sign_until_the_old_one_is_retired(void **state)
{
    struct note_key old, next, now;
    uint8_t seed[NOTE_SEED];
    struct signer s;
    pthread_t thread;
    bool has_next;
    int ends[2];

    (void)empty_folder(state);
    memset(&world, 0, sizeof(world));
    world_open(&world);
    world.witness.is_local = true;
    must(local_keys_open(&world.witness, folder, &err));
    must(local_keys_prepare(folder, seed, &err) && local_keys_open(&world.witness, folder, &err));
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    their_end = ends[1];
    assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
    must(signer_connect(&s, ends[0], &err));
    must(signer_key(&s, span_str(world_origin), &old, &err) && signer_next_key(&s, span_str(world_origin), &next, &has_next, &err));
    assert_true(has_next);
    assert_int_equal(sign(&s, 0, 10, &old, &next), 3);
    must(signer_retire(&s, &err));
    must(signer_key(&s, span_str(world_origin), &now, &err) && signer_next_key(&s, span_str(world_origin), &now, &has_next, &err));
    assert_false(has_next);
    assert_true(note_key_same(&now, &next));
    assert_int_equal(sign(&s, 10, 20, &old, &next), 2);
    assert_false(signer_retire(&s, &err)); /* there is no other */
    assert_int_equal(sign(&s, 20, 30, &old, &next), 2);
    signer_stop(&s);
    (void)pthread_join(thread, NULL);
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_while_the_next_key_is_made_leaves_none_or_all_of_it),
        cmocka_unit_test(a_crash_while_the_old_key_is_retired_leaves_both_or_the_new_one),
        cmocka_unit_test(a_next_key_needs_a_key_and_is_for_its_owner_alone),
        cmocka_unit_test(both_keys_sign_until_the_old_one_is_retired),
    };
    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)empty_folder(NULL);
    (void)rmdir(folder);
    return failed;
}
