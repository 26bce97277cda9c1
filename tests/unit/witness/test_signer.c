/* The service's side of the log's signer against the signer's own. */
#include "testing.h"

#include <sodium.h>
#include <sys/socket.h>

#include "record/manifest_note.h"
#include "record/signer.h"
#include "unit/witness/world.h"
#include "witness/local.h"

static struct world w;
static struct signer signer;
static int their_end;
static pthread_t thread;

static void *serve(void *context)
{
    struct error err;

    (void)context;
    (void)!witness_serve_local(&w.witness, their_end, &err);
    (void)close(their_end);
    return NULL;
}

static int open_all(void **state)
{
    int ends[2];
    struct error err;
    (void)state;

    memset(&w, 0, sizeof(w));
    world_open(&w);
    w.witness.is_local = true;
    memcpy(w.witness.seed, world_log_seed, NOTE_SEED);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return 1;
    }
    their_end = ends[1];
    return pthread_create(&thread, NULL, serve, NULL) != 0 || !signer_connect(&signer, ends[0], &err);
}

static int close_all(void **state)
{
    (void)state;
    signer_stop(&signer);
    (void)pthread_join(thread, NULL);
    world_close(&w);
    return 0;
}

static bool sign(uint64_t old, uint64_t size, struct buf *note, uint64_t *signed_size, struct error *err)
{
    struct tree_proof proof = {.n = 0};
    struct buf text;

    buf_init(&text, NOTE_MAX);
    world_checkpoint(&w, size, false, &text);
    if (old <= size) {
        world_proof(&w, old, size, &proof);
    }
    bool is_signed = signer_sign(&signer, buf_span(&text), old, &proof, note, signed_size, err);
    buf_deinit(&text);
    return is_signed;
}

static void a_log_that_grows_is_signed(void **state)
{
    uint64_t old = 0, ignored;
    struct checkpoint c;
    struct note_key key;
    struct error err;
    struct buf note;
    (void)state;

    buf_init(&note, NOTE_MAX);
    assert_true(signer_key(&signer, span_str(world_origin), &key, &err));
    for (uint64_t size = 1; size <= WORLD_LEAVES; size += 23) {
        buf_clear(&note);
        assert_true(sign(old, size, &note, &ignored, &err));
        assert_true(checkpoint_parse(buf_span(&note), &c, &err));
        assert_true(c.size == size && checkpoint_verify(&c, &key, &err));
        old = size;
    }
    buf_deinit(&note);
}

static void the_size_that_was_signed_comes_with_a_refusal(void **state)
{
    uint64_t size = 0;
    struct error err;
    struct buf note;
    (void)state;

    buf_init(&note, NOTE_MAX);
    assert_true(sign(0, 20, &note, &size, &err));
    size_t len = note.len;
    assert_false(sign(10, 30, &note, &size, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_true(size == 20);
    assert_int_equal(note.len, len);
    w.leaves[5].bytes[0] ^= 1; /* a fork */
    assert_false(sign(20, 30, &note, &size, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    w.leaves[5].bytes[0] ^= 1;
    assert_true(sign(20, 30, &note, &size, &err));
    buf_deinit(&note);
}

static void a_signer_that_has_ended_is_an_error(void **state)
{
    uint64_t size;
    struct error err;
    struct buf note;
    (void)state;

    buf_init(&note, NOTE_MAX);
    assert_int_equal(shutdown(their_end, SHUT_RDWR), 0);
    assert_false(sign(0, 20, &note, &size, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    buf_deinit(&note);
}

static void a_manifest_is_signed_for_its_origin(void **state)
{
    char sha256[DIGEST_SHA256_HEX + 1];
    struct note_key key;
    struct note note;
    struct error err;
    struct buf lines, text;
    (void)state;

    buf_init(&lines, NOTE_MAX);
    buf_init(&text, NOTE_MAX);
    assert_true(digest_sha256(span_str("{}"), sha256, &err));
    assert_true(signer_sign_manifest(&signer, span_str(world_origin), sha256, &lines, &err));
    assert_true(signer_key(&signer, span_str(world_origin), &key, &err));
    assert_true(note_parse_signatures(buf_span(&lines), &note, &err));
    assert_true(manifest_note_text(sha256, &text, &err));
    note.text = buf_span(&text);
    assert_int_equal(note_verify(&note, &key, NULL), NOTE_GOOD);
    sha256[0] ^= 1;
    buf_clear(&text);
    assert_true(manifest_note_text(sha256, &text, &err));
    note.text = buf_span(&text);
    assert_int_equal(note_verify(&note, &key, NULL), NOTE_BAD);
    buf_deinit(&lines);
    buf_deinit(&text);
}

static void nothing_else_is_signed_as_a_manifest(void **state)
{
    static const char *const digests[] = {"", "00", "zz", "three\nlines\nof a checkpoint\n",
                                          "ABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD"};
    static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
    uint64_t size;
    struct error err;
    struct buf out;
    (void)state;

    buf_init(&out, NOTE_MAX);
    for (size_t i = 0; i < COUNT(digests); i++) {
        assert_false(signer_sign_manifest(&signer, span_str(world_origin), digests[i], &out, &err));
    }
    assert_false(signer_sign_manifest(&signer, span_str("an origin"), zeros, &out, &err));
    assert_false(signer_sign_manifest(&signer, span_str(""), zeros, &out, &err));
    assert_int_equal(out.len, 0);
    assert_true(sign(0, 20, &out, &size, &err)); /* it goes on */
    buf_deinit(&out);
}

/* --- another at the other end -------------------------------------------------------- */

/* A disk that is slow for a while: the answer to one request comes after its time, and is not that to the next. */
static void a_late_answer_is_not_that_to_the_next_request(void **state)
{
    uint64_t size;
    struct error err;
    struct buf note;
    (void)state;

    buf_init(&note, NOTE_MAX);
    (void)pthread_mutex_lock(&w.witness.lock); /* the signer waits for it */
    assert_false(sign(0, 3, &note, &size, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    (void)pthread_mutex_unlock(&w.witness.lock);
    assert_false(sign(0, 5, &note, &size, &err));
    assert_int_equal(err.kind, ERROR_DENIED); /* it has signed the first one by now */
    assert_int_equal(size, 3);
    assert_true(sign(3, 5, &note, &size, &err));
    buf_deinit(&note);
}

static void what_is_no_key_is_refused(void **state)
{
    static const char *const hellos[] = {"", "key \n", "key 00\n", "200\n",
                                         "key zz00000000000000000000000000000000000000000000000000000000000000\n"};
    int ends[2];
    struct signer s;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(hellos); i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        (void)!send(ends[1], hellos[i], strlen(hellos[i]), MSG_NOSIGNAL);
        (void)close(ends[1]);
        assert_false(signer_connect(&s, ends[0], &err));
        assert_int_equal(s.socket, -1);
    }
}

static void a_signature_that_does_not_hold_is_not_taken(void **state)
{
    static const char hello[] = "key 0000000000000000000000000000000000000000000000000000000000000001\n";
    static const char *const answers[] = {"200\n", "200\nx\n", "200\n\xE2\x80\x94 web-1/filterd/0011223344556677 AAAAAAAA\n",
                                          "409\n", "409\nx\n", "500\n", "x", "99999999999999999999\n"};
    struct tree_proof proof = {.n = 0};
    uint64_t size;
    struct buf text, note;
    struct error err;
    (void)state;

    buf_init(&text, NOTE_MAX);
    buf_init(&note, NOTE_MAX);
    world_checkpoint(&w, 5, false, &text);
    for (size_t i = 0; i < COUNT(answers); i++) {
        int ends[2];
        struct signer s;
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        assert_true(send(ends[1], hello, strlen(hello), MSG_NOSIGNAL) > 0);
        assert_true(send(ends[1], answers[i], strlen(answers[i]), MSG_NOSIGNAL) > 0);
        assert_true(signer_connect(&s, ends[0], &err));
        assert_false(signer_sign(&s, buf_span(&text), 0, &proof, &note, &size, &err));
        assert_int_equal(note.len, 0);
        assert_true(send(ends[1], answers[i], strlen(answers[i]), MSG_NOSIGNAL) > 0);
        assert_false(signer_sign_manifest(&s, span_str(world_origin), "00", &note, &err));
        assert_int_equal(note.len, 0);
        signer_stop(&s);
        (void)close(ends[1]);
    }
    buf_deinit(&text);
    buf_deinit(&note);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_log_that_grows_is_signed, open_all, close_all),
        cmocka_unit_test_setup_teardown(the_size_that_was_signed_comes_with_a_refusal, open_all, close_all),
        cmocka_unit_test_setup_teardown(a_signer_that_has_ended_is_an_error, open_all, close_all),
        cmocka_unit_test_setup_teardown(a_manifest_is_signed_for_its_origin, open_all, close_all),
        cmocka_unit_test_setup_teardown(nothing_else_is_signed_as_a_manifest, open_all, close_all),
        cmocka_unit_test_setup_teardown(a_late_answer_is_not_that_to_the_next_request, open_all, close_all),
        cmocka_unit_test_setup_teardown(what_is_no_key_is_refused, open_all, close_all),
        cmocka_unit_test_setup_teardown(a_signature_that_does_not_hold_is_not_taken, open_all, close_all),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
