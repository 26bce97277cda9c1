/* A log goes over to the next key of its signer, at the start of a service and when the quorum has cosigned. */
#include "unit/decision_log/proven_log_testing.h"

#include "decision_log/key_rotation.h"
#include "record/log_keys.h"
#include "witness/local_keys.h"

static struct proven_log p;
static struct key_rotation r;
static char keys_folder[] = "/tmp/filterd-rotate-XXXXXX";

/* As a start of the service: the signer has the keys of the folder. */
static void start(void)
{
    int ends[2];

    p = (struct proven_log){.witness = {.is_local = true, .lock = PTHREAD_MUTEX_INITIALIZER}};
    must(local_keys_open(&p.witness, keys_folder, &err) && witness_state_open(&p.witness.state, at("signed"), &err));
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    p.their_end = ends[1];
    assert_int_equal(pthread_create(&p.thread, NULL, serve_signer, &p), 0);
    must(signer_connect(&p.signer, ends[0], &err));
    const struct decision_proving proving = {.signer = &p.signer};
    p.log = decision_log_open_proven(at("decisions.jsonl"), &proving, &err);
    must(p.log != NULL);
    add_lines(&p, 3);
    must(decision_log_checkpoint(p.log, &err));
    static char record[256];
    (void)snprintf(record, sizeof(record), "%s", at("record"));
    r = (struct key_rotation){.log = p.log, .signer = &p.signer, .record = record};
}

static int clear(void **state)
{
    (void)nftw(keys_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return empty_folder(state);
}

static void prepare(void)
{
    uint8_t next[NOTE_SEED];

    must(local_keys_prepare(keys_folder, next, &err));
}

static unsigned n_signatures(void)
{
    struct checkpoint c;
    struct buf note;

    newest(&note, &c);
    unsigned n = (unsigned)c.note.n;
    buf_deinit(&note);
    return n;
}

/* All lines and checkpoints, under the keys that the log names. */
static void expect_verified(void)
{
    struct log_files files = {0};
    struct log_check_result result;
    struct log_keys keys;
    struct checkpoint c;
    struct buf note;

    newest(&note, &c);
    must(log_files_scan(&files, folder, &err));
    log_files_select(&files, c.origin);
    must(log_keys_read(at("record"), &files, NULL, &keys, &err) && log_keys_verify(&keys, &c, c.size, &err));
    const struct log_check check = {.files = &files, .record = at("record"), .newest = &c, .keys = &keys};
    must(log_check(&check, &result, &err));
    assert_string_equal(result.finding.text, "");
    log_files_deinit(&files);
    buf_deinit(&note);
}

static void sign_more(void)
{
    add_lines(&p, 2);
    must(decision_log_checkpoint(p.log, &err));
}

static void without_a_next_key_nothing_is_written(void **state)
{
    uint64_t lines;
    (void)state;

    start();
    lines = decision_log_synced(p.log);
    must(key_rotation_begin(&r, false, &err));
    assert_int_equal(decision_log_synced(p.log), lines);
    assert_false(key_rotation_cosigned(&r, UINT64_MAX));
    close_proven(&p);
}

static void without_a_quorum_the_old_key_goes_at_once(void **state)
{
    (void)state;
    start();
    sign_more();
    close_proven(&p);
    prepare();
    for (unsigned i = 0; i < 3; i++) { /* one rotation after the other */
        start();
        must(key_rotation_begin(&r, false, &err));
        sign_more();
        assert_int_equal(n_signatures(), 1);
        close_proven(&p);
        expect_verified();
        prepare();
    }
}

static void with_a_quorum_both_sign_until_it_has_cosigned_the_line(void **state)
{
    uint64_t lines;
    (void)state;

    start();
    close_proven(&p);
    prepare();
    for (unsigned i = 0; i < 3; i++) { /* starts before the quorum has cosigned */
        start();
        lines = decision_log_synced(p.log);
        must(key_rotation_begin(&r, true, &err));
        sign_more();
        assert_int_equal(n_signatures(), 2);
        assert_false(key_rotation_cosigned(&r, lines));
        if (i < 2) {
            close_proven(&p);
            expect_verified();
        }
    }
    assert_true(key_rotation_cosigned(&r, lines + 1));
    assert_false(key_rotation_cosigned(&r, lines + 2)); /* once */
    sign_more();
    assert_int_equal(n_signatures(), 1);
    close_proven(&p);
    expect_verified();
}

static void a_log_does_not_go_back_to_a_key_before(void **state)
{
    char path[300];
    (void)state;

    start();
    close_proven(&p);
    prepare();
    start();
    must(key_rotation_begin(&r, true, &err));
    close_proven(&p);
    /* The next key is lost while both sign: the newest checkpoint still holds. */
    (void)snprintf(path, sizeof(path), "%s/log.next", keys_folder);
    assert_int_equal(unlink(path), 0);
    start();
    assert_false(key_rotation_begin(&r, false, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    close_proven(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(without_a_next_key_nothing_is_written, clear),
        cmocka_unit_test_teardown(without_a_quorum_the_old_key_goes_at_once, clear),
        cmocka_unit_test_teardown(with_a_quorum_both_sign_until_it_has_cosigned_the_line, clear),
        cmocka_unit_test_teardown(a_log_does_not_go_back_to_a_key_before, clear),
    };
    if (sodium_init() < 0 || mkdtemp(folder) == NULL || mkdtemp(keys_folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    (void)rmdir(keys_folder);
    return failed;
}
