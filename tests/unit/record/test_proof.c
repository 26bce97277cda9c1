#include "testing.h"

#include <sodium.h>

#include "record/add_checkpoint.h"
#include "record/proof.h"

#define CHECKPOINT                                                                                                       \
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"                             \
    "\xE2\x80\x94 example.com/behind-the-sofa "                                                                          \
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
#define HASH "PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n"
#define HEAD "c2sp.org/tlog-proof@v1\n"

static void a_proof_is_read(void **state)
{
    struct proof p;
    struct error err;
    struct buf extra;
    (void)state;

    buf_init(&extra, 100);
    assert_true(proof_parse(span_str(HEAD "extra eyJzZXEiOjF9\nindex 73894\n" HASH HASH "\n" CHECKPOINT), &p, &err));
    assert_true(p.index == 73894);
    assert_int_equal(p.path.n, 2);
    assert_true(p.checkpoint.size == 20852163);
    assert_true(proof_extra(&p, &extra, &err));
    assert_true(span_is(buf_span(&extra), "{\"seq\":1}"));
    assert_true(proof_parse(span_str(HEAD "index 0\n\n" CHECKPOINT), &p, &err));
    assert_false(p.has_extra);
    assert_int_equal(p.path.n, 0);
    buf_deinit(&extra);
}

static void what_is_no_proof_is_refused(void **state)
{
    static const char *const proofs[] = {
        "", HEAD, "c2sp.org/tlog-proof@v2\nindex 0\n\n" CHECKPOINT, HEAD "\nindex 0\n\n" CHECKPOINT, HEAD "index 00\n\n" CHECKPOINT,
        HEAD "index -1\n\n" CHECKPOINT, HEAD "index 0\n" CHECKPOINT, HEAD "index 0\n" HASH, HEAD "index 0\n\n",
        HEAD "extra =\nindex 0\n\n" CHECKPOINT, HEAD "extra eyJ\nindex 0\n\n" CHECKPOINT,
        HEAD "index 0\nextra eyJzZXEiOjF9\n\n" CHECKPOINT, HEAD "extra \nextra \nindex 0\n\n" CHECKPOINT,
        HEAD "index 0\n" HASH " \n" CHECKPOINT, HEAD "Index 0\n\n" CHECKPOINT, HEAD "index 0\n\n\n" CHECKPOINT,
    };
    struct proof p;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(proofs); i++) {
        if (proof_parse(span_str(proofs[i]), &p, &err)) {
            fail_msg("proof %zu was accepted", i);
        }
        assert_int_equal(err.kind, ERROR_MALFORMED);
    }
}

static void the_longest_line_fits_and_no_longer_one(void **state)
{
    static char line[PROOF_EXTRA_MAX + 1];
    struct tree_proof path = {.n = 0};
    struct proof p;
    struct error err;
    struct buf b, extra;
    (void)state;

    memset(line, 'x', sizeof(line));
    buf_init(&b, PROOF_MAX);
    buf_init(&extra, 2 * PROOF_EXTRA_MAX);
    assert_true(proof_format(span_of(line, PROOF_EXTRA_MAX), 0, &path, span_str(CHECKPOINT), &b, &err));
    assert_true(proof_parse(buf_span(&b), &p, &err));
    assert_true(proof_extra(&p, &extra, &err));
    assert_true(span_equal(buf_span(&extra), span_of(line, PROOF_EXTRA_MAX)));
    buf_clear(&b);
    assert_false(proof_format(span_of(line, PROOF_EXTRA_MAX + 1), 0, &path, span_str(CHECKPOINT), &b, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    buf_deinit(&b);
    buf_deinit(&extra);
}

static void a_proof_holds_for_its_leaf(void **state)
{
    struct tree_edge edge = {.size = 0};
    struct tree_hash leaves[2], root;
    struct tree_proof path = {.n = 1};
    struct span none = {NULL, 0};
    struct proof p;
    struct error err;
    struct buf b, note;
    uint8_t seed[NOTE_SEED] = {9}, public[NOTE_PUBLIC];
    struct note_key key;
    (void)state;

    for (unsigned i = 0; i < 2; i++) {
        tree_hash_leaf(span_of((const char *)&i, sizeof(i)), &leaves[i]);
        tree_edge_add(&edge, &leaves[i]);
    }
    tree_edge_root(&edge, &root);
    path.hashes[0] = leaves[0];
    buf_init(&b, PROOF_MAX);
    buf_init(&note, NOTE_MAX);
    note_public(seed, public);
    assert_true(note_key_make(span_str("log"), NOTE_ED25519, public, &key, &err));
    assert_true(checkpoint_format(span_str("log"), 2, &root, &note, &err));
    size_t len = note.len;
    assert_true(buf_append_char(&note, '\n', &err));
    assert_true(note_sign(&key, seed, span_of(note.data, len), 0, &note, &err));
    assert_true(proof_format(none, 1, &path, buf_span(&note), &b, &err));
    assert_true(proof_parse(buf_span(&b), &p, &err));
    assert_true(proof_verify(&p, &leaves[1], &err));
    assert_false(proof_verify(&p, &leaves[0], &err));
    p.index = 0;
    assert_false(proof_verify(&p, &leaves[1], &err));
    buf_deinit(&b);
    buf_deinit(&note);
}

static void a_request_to_a_witness_is_read(void **state)
{
    static const char *const others[] = {"", "old 1\n", "old 1", "old 01\n\n", "old\n\n", "new 1\n\n", "old 1\n" HASH, "old 1\nx\n\n",
                                         "old  1\n\n", "Old 1\n\n", "old -1\n\n", "old 18446744073709551616\n\n"};
    struct add_checkpoint r;
    struct error err;
    struct buf b;
    (void)state;

    assert_true(add_checkpoint_parse(span_str("old 12\n" HASH HASH "\n" CHECKPOINT), &r, &err));
    assert_true(r.old == 12);
    assert_int_equal(r.proof.n, 2);
    assert_true(span_is(r.checkpoint, CHECKPOINT));
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(add_checkpoint_parse(span_str(others[i]), &r, &err));
    }
    buf_init(&b, ADD_CHECKPOINT_MAX);
    r = (struct add_checkpoint){.proof.n = ADD_CHECKPOINT_PROOF_MAX};
    assert_true(add_checkpoint_format(0, &r.proof, span_str(CHECKPOINT), &b, &err));
    assert_true(add_checkpoint_parse(buf_span(&b), &r, &err));
    assert_int_equal(r.proof.n, ADD_CHECKPOINT_PROOF_MAX);
    r.proof.n++;
    assert_false(add_checkpoint_format(0, &r.proof, span_str(CHECKPOINT), &b, &err));
    buf_clear(&b);
    assert_true(buf_append_str(&b, "old 1\n", &err));
    for (unsigned i = 0; i <= ADD_CHECKPOINT_PROOF_MAX; i++) {
        assert_true(buf_append_str(&b, HASH, &err));
    }
    assert_true(buf_append_str(&b, "\n", &err));
    assert_false(add_checkpoint_parse(buf_span(&b), &r, &err));
    buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proof_is_read),
        cmocka_unit_test(what_is_no_proof_is_refused),
        cmocka_unit_test(the_longest_line_fits_and_no_longer_one),
        cmocka_unit_test(a_proof_holds_for_its_leaf),
        cmocka_unit_test(a_request_to_a_witness_is_read),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
