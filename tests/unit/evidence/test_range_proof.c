/* All ranges of small trees: what is proven, and that nothing else is. */
#include "testing.h"

#include <stdio.h>

#include "evidence/range_proof.h"

enum { LEAVES = 40, TEXT_MAX = 64 * 1024 };

static struct tree_hash leaves[LEAVES];

static void make_leaves(void)
{
    for (unsigned i = 0; i < LEAVES; i++) {
        char line[16];
        int len = snprintf(line, sizeof(line), "line %u", i + 1);
        tree_hash_leaf(span_of(line, (size_t)len), &leaves[i]);
    }
}

static bool node(void *state, unsigned level, uint64_t index, struct tree_hash *out, struct error *err)
{
    struct tree_edge edge = {0};

    (void)state;
    (void)err;
    for (uint64_t i = index << level; i < (index + 1) << level; i++) {
        tree_edge_add(&edge, &leaves[i]);
    }
    tree_edge_root(&edge, out);
    return true;
}

static const struct tree_source source = {.node = node};

static void root_of(uint64_t size, struct tree_hash *out)
{
    struct tree_edge edge = {0};

    for (uint64_t i = 0; i < size; i++) {
        tree_edge_add(&edge, &leaves[i]);
    }
    tree_edge_root(&edge, out);
}

struct feed {
    uint64_t next, end, changed; /* changed: index of a leaf that is another */
};

static bool take(void *context, struct tree_hash *out, struct error *err)
{
    struct feed *f = context;

    if (f->next == f->end) {
        return error_set(err, ERROR_INVALID, "no leaf is left");
    }
    *out = leaves[f->next];
    out->bytes[7] ^= f->next == f->changed;
    f->next++;
    return true;
}

static bool holds(const struct range_proof *p, uint64_t size, uint64_t from, uint64_t to, uint64_t changed)
{
    struct feed f = {from, to, changed};
    struct tree_hash root;
    struct error err;

    root_of(size, &root);
    return range_proof_verify(p, size, &root, take, &f, &err);
}

static void every_range_is_proven_and_no_other_lines_are(void **state)
{
    struct range_proof p;
    struct error err;

    (void)state;
    make_leaves();
    for (uint64_t size = 1; size <= LEAVES; size++) {
        for (uint64_t first = 1; first <= size; first++) {
            for (uint64_t last = first; last <= size; last += 1 + size / 8) {
                assert_true(range_proof_make(&source, first, last, size, &p, &err));
                assert_true(holds(&p, size, first - 1, last, LEAVES));
                assert_false(holds(&p, size, first - 1, last, first - 1));
                assert_false(holds(&p, size, first - 1, last, last - 1));
                assert_false(holds(&p, size, first - 1, last - 1, LEAVES));
                p.n++;
                assert_false(holds(&p, size, first - 1, last, LEAVES));
                p.n--;
                if (p.n > 0) {
                    p.hashes[p.n - 1].bytes[0] ^= 1;
                    assert_false(holds(&p, size, first - 1, last, LEAVES));
                    p.n--;
                    assert_false(holds(&p, size, first - 1, last, LEAVES));
                }
            }
        }
    }
}

static void a_range_that_is_none_is_refused(void **state)
{
    static const uint64_t ranges[][2] = {{0, 1}, {3, 2}, {1, 9}, {9, 9}};
    struct range_proof p;
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(ranges); i++) {
        assert_false(range_proof_make(&source, ranges[i][0], ranges[i][1], 8, &p, &err));
        p = (struct range_proof){.first = ranges[i][0], .last = ranges[i][1]};
        assert_false(holds(&p, 8, 0, 8, LEAVES));
    }
}

static void its_text_is_read_back(void **state)
{
    struct range_proof p, again;
    struct buf text;
    struct error err;

    (void)state;
    make_leaves();
    buf_init(&text, TEXT_MAX);
    assert_true(range_proof_make(&source, 3, 9, 21, &p, &err));
    p.checkpoint = span_str("origin\n21\nroot\n\n\xe2\x80\x94 a b\n");
    assert_true(range_proof_format(&p, &text, &err));
    assert_true(range_proof_parse(buf_span(&text), &again, &err));
    assert_int_equal(again.first, 3);
    assert_int_equal(again.last, 9);
    assert_int_equal(again.n, p.n);
    assert_true(span_equal(again.checkpoint, p.checkpoint));
    assert_true(holds(&again, 21, 2, 9, LEAVES));
    for (size_t len = 0; len < text.len - p.checkpoint.len; len++) {
        assert_false(range_proof_parse(span_of(text.data, len), &again, &err));
    }
    buf_deinit(&text);
}

static void numbers_have_one_spelling(void **state)
{
    static const char *const texts[] = {
        "filterd-range-proof@v1\nfirst 01\nlast 2\n\nx", "filterd-range-proof@v1\nfirst -1\nlast 2\n\nx",
        "filterd-range-proof@v1\nfirst 1 \nlast 2\n\nx", "filterd-range-proof@v1\nfirst \nlast 2\n\nx",
        "filterd-range-proof@v2\nfirst 1\nlast 2\n\nx",  "filterd-range-proof@v1\nlast 2\nfirst 1\n\nx",
        "filterd-range-proof@v1\nfirst 1\nlast 2\nAAAA\n\nx"};
    struct range_proof p;
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(range_proof_parse(span_str(texts[i]), &p, &err));
    }
    assert_true(range_proof_parse(span_str("filterd-range-proof@v1\nfirst 1\nlast 2\n\nx"), &p, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_range_is_proven_and_no_other_lines_are),
        cmocka_unit_test(a_range_that_is_none_is_refused),
        cmocka_unit_test(its_text_is_read_back),
        cmocka_unit_test(numbers_have_one_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
