/* What is shown of a log proves what it says, and nothing beyond the newest checkpoint is shown. */
#include "unit/record/proven_testing.h"

#include "record/log_view.h"
#include "record/proof.h"

enum { SIGNED = 600 };

static struct proven log_;
static struct error err;
static struct buf out;

/* Checkpoints at 100, 300 and 600 of 700 lines. */
static int make_log(void **state)
{
    static const unsigned steps[] = {100, 200, 300, 100};
    (void)state;

    proven_init(&log_, 7);
    for (size_t i = 0; i < COUNT(steps); i++) {
        proven_add(&log_, steps[i]);
        if (i < 3) {
            proven_checkpoint(&log_);
        }
    }
    buf_init(&out, LOG_VIEW_BUNDLE_MAX);
    return 0;
}

static int tear_down(void **state)
{
    proven_deinit(&log_);
    buf_deinit(&out);
    return empty_folder(state);
}

static struct span line(uint64_t seq)
{
    struct span rest = buf_span(&log_.text), text = {NULL, 0};

    for (uint64_t i = 0; i < seq; i++) {
        size_t len = (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr);
        text = span_of(rest.ptr, len);
        rest = span_slice(rest, len + 1, rest.len);
    }
    return text;
}

static struct log_view here(void)
{
    static char record[256]; /* in_folder has room for the last four alone */

    (void)snprintf(record, sizeof(record), "%s/record", folder);
    return (struct log_view){.folder = folder, .record = record};
}

static void assert_proves(uint64_t seq, uint64_t size, bool has_line)
{
    struct tree_hash leaf;
    struct proof p;

    must(proof_parse(buf_span(&out), &p, &err), &err);
    tree_hash_leaf(line(seq), &leaf);
    must(proof_verify(&p, &leaf, &err), &err);
    must(checkpoint_verify(&p.checkpoint, &log_.key, &err), &err);
    assert_true(p.index == seq - 1);
    assert_true(p.checkpoint.size == size);
    assert_int_equal(p.has_extra, has_line);
    if (has_line) {
        struct buf extra;
        buf_init(&extra, PROOF_EXTRA_MAX + 4);
        must(proof_extra(&p, &extra, &err), &err);
        assert_true(span_equal(buf_span(&extra), line(seq)));
        buf_deinit(&extra);
    }
}

static void every_line_has_a_proof(void **state)
{
    const struct log_view v = here();
    (void)state;

    write_log("open.jsonl", LOG_PLAIN, buf_span(&log_.text));
    for (uint64_t seq = 1; seq <= SIGNED; seq += seq < 5 ? 1 : 37) {
        buf_clear(&out);
        must(log_view_proof(&v, seq, 0, &out, &err), &err);
        assert_proves(seq, SIGNED, true);
    }
    buf_clear(&out);
    must(log_view_proof(&v, 100, 100, &out, &err), &err);
    assert_proves(100, 100, true);
    buf_clear(&out);
    must(log_view_proof(&v, 100, 300, &out, &err), &err);
    assert_proves(100, 300, true);
}

static void assert_not_found(bool is_there)
{
    assert_false(is_there);
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_int_equal(out.len, 0);
}

static void what_no_checkpoint_covers_has_no_proof(void **state)
{
    const struct log_view v = here();
    (void)state;

    write_log("open.jsonl", LOG_PLAIN, buf_span(&log_.text));
    assert_not_found(log_view_proof(&v, SIGNED + 1, 0, &out, &err));
    assert_not_found(log_view_proof(&v, 0, 0, &out, &err));
    assert_not_found(log_view_proof(&v, UINT64_MAX, 0, &out, &err));
    assert_not_found(log_view_proof(&v, 101, 100, &out, &err));
    assert_not_found(log_view_proof(&v, 5, 99, &out, &err)); /* no such checkpoint */
    assert_not_found(log_view_proof(&v, 5, 700, &out, &err));
}

static void a_receipt_is_for_who_knows_the_hash(void **state)
{
    const struct log_view v = here();
    struct tree_hash leaf;
    (void)state;

    tree_hash_leaf(line(5), &leaf);
    must(log_view_receipt(&v, 5, &leaf, &out, &err), &err); /* without the log's files */
    assert_proves(5, SIGNED, false);
    buf_clear(&out);
    assert_not_found(log_view_receipt(&v, 6, &leaf, &out, &err));
    leaf.bytes[0] ^= 1;
    assert_not_found(log_view_receipt(&v, 5, &leaf, &out, &err));
    tree_hash_leaf(line(SIGNED + 1), &leaf);
    assert_not_found(log_view_receipt(&v, SIGNED + 1, &leaf, &out, &err));
}

static void a_line_that_was_changed_has_no_proof(void **state)
{
    const struct log_view v = here();
    struct span changed = line(400);
    (void)state;

    ((char *)(uintptr_t)changed.ptr)[changed.len - 4] ^= 1;
    write_log("open.jsonl", LOG_PLAIN, buf_span(&log_.text));
    assert_false(log_view_proof(&v, 400, 0, &out, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    must(log_view_proof(&v, 401, 0, &out, &err), &err);
}

static void a_cosigned_checkpoint_is_preferred(void **state)
{
    const struct log_view v = here();
    struct buf note;
    struct tree_edge edge = {.size = 0};
    struct tree_hash root, leaf;
    (void)state;

    for (uint64_t seq = 1; seq <= 300; seq++) {
        tree_hash_leaf(line(seq), &leaf);
        tree_edge_add(&edge, &leaf);
    }
    tree_edge_root(&edge, &root);
    sign_checkpoint(&log_, 300, &root, &note);
    must(checkpoint_store_set_cosigned(v.record, buf_span(&note), &err), &err);
    write_log("open.jsonl", LOG_PLAIN, buf_span(&log_.text));
    must(log_view_proof(&v, 300, 0, &out, &err), &err);
    assert_proves(300, 300, true);
    buf_clear(&out);
    must(log_view_proof(&v, 301, 0, &out, &err), &err); /* not covered by it */
    assert_proves(301, SIGNED, true);
    buf_clear(&out);
    must(log_view_checkpoint(&v, true, &out, &err), &err);
    assert_true(span_equal(buf_span(&out), buf_span(&note)));
    buf_deinit(&note);
}

/* --- tiles ------------------------------------------------------------------------ */

static void check_bundle(uint64_t index, unsigned width)
{
    const struct log_view v = here();
    const struct tile_name name = {.is_entries = true, .index = index, .width = width};
    struct span rest;

    buf_clear(&out);
    must(log_view_tile(&v, &name, &out, &err), &err);
    rest = buf_span(&out);
    for (uint64_t seq = index * TILE_WIDTH + 1; seq <= index * TILE_WIDTH + width; seq++) {
        size_t len = (size_t)(uint8_t)rest.ptr[0] << 8 | (uint8_t)rest.ptr[1];
        assert_true(span_equal(span_of(rest.ptr + 2, len), line(seq)));
        rest = span_slice(rest, 2 + len, rest.len);
    }
    assert_int_equal(rest.len, 0);
}

static void bundles_have_the_lines(void **state)
{
    (void)state;
    write_log("open.jsonl", LOG_PLAIN, buf_span(&log_.text));
    check_bundle(0, 256);
    check_bundle(1, 256);
    check_bundle(2, 88);
    check_bundle(2, 1);
    write_log("open.jsonl", LOG_GZIP, buf_span(&log_.text));
    check_bundle(1, 256);
}

static void nothing_beyond_the_checkpoint_is_shown(void **state)
{
    static const struct tile_name names[] = {
        {true, 0, 2, 89}, {true, 0, 2, 256}, {true, 0, 3, 1}, {false, 0, 2, 89}, {false, 0, 3, 1}, {false, 1, 0, 3}, {false, 2, 0, 1},
    };
    const struct log_view v = here();
    (void)state;

    write_log("open.jsonl", LOG_PLAIN, buf_span(&log_.text));
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_not_found(log_view_tile(&v, &names[i], &out, &err));
    }
}

static void tiles_have_the_hashes(void **state)
{
    const struct log_view v = here();
    const struct tile_name name = {.index = 2, .width = 88};
    struct tree_hash leaf;
    (void)state;

    must(log_view_tile(&v, &name, &out, &err), &err);
    assert_int_equal(out.len, 88 * TREE_HASH);
    tree_hash_leaf(line(2 * TILE_WIDTH + 88), &leaf);
    assert_memory_equal(out.data + 87 * TREE_HASH, leaf.bytes, TREE_HASH);
}

static void two_sizes_are_proven_consistent(void **state)
{
    const struct log_view v = here();
    (void)state;

    must(log_view_consistency(&v, 100, 600, &out, &err), &err);
    assert_true(out.len > 0 && out.len % (TREE_HASH_TEXT + 1) == 0);
    buf_clear(&out);
    must(log_view_consistency(&v, 600, 600, &out, &err), &err);
    assert_not_found(log_view_consistency(&v, 600, 100, &out, &err));
    assert_not_found(log_view_consistency(&v, 100, 601, &out, &err));
}

static void a_log_without_checkpoint_shows_nothing(void **state)
{
    const struct log_view v = {.folder = folder, .record = in_folder("nowhere")};
    const struct tile_name name = {.width = 1};
    struct tree_hash leaf = {{0}};
    (void)state;

    assert_not_found(log_view_proof(&v, 1, 0, &out, &err));
    assert_not_found(log_view_receipt(&v, 1, &leaf, &out, &err));
    assert_not_found(log_view_tile(&v, &name, &out, &err));
    assert_not_found(log_view_consistency(&v, 0, 0, &out, &err));
    assert_not_found(log_view_checkpoint(&v, false, &out, &err));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_log, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_line_has_a_proof),
        TEST(what_no_checkpoint_covers_has_no_proof),
        TEST(a_receipt_is_for_who_knows_the_hash),
        TEST(a_line_that_was_changed_has_no_proof),
        TEST(a_cosigned_checkpoint_is_preferred),
        TEST(bundles_have_the_lines),
        TEST(nothing_beyond_the_checkpoint_is_shown),
        TEST(tiles_have_the_hashes),
        TEST(two_sizes_are_proven_consistent),
        TEST(a_log_without_checkpoint_shows_nothing),
    };
    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
