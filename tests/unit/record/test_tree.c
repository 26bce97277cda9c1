#include "testing.h"

#include <stdlib.h>

#include "record/tree.h"

enum { SIZE_MAX_TRIED = 600, VECTOR_LEAVES = 8 };

/* The inputs and roots that implementations of Certificate Transparency test with. */
static const struct span vector_leaves[VECTOR_LEAVES] = {
    {"", 0},
    {"\x00", 1},
    {"\x10", 1},
    {"\x20\x21", 2},
    {"\x30\x31", 2},
    {"\x40\x41\x42\x43", 4},
    {"\x50\x51\x52\x53\x54\x55\x56\x57", 8},
    {"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f", 16},
};
static const char *const vector_roots[VECTOR_LEAVES + 1] = {
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
};

static struct tree_hash leaves[SIZE_MAX_TRIED];

static void make_leaves(void)
{
    for (unsigned i = 0; i < SIZE_MAX_TRIED; i++) {
        char line[32];
        int len = snprintf(line, sizeof(line), "{\"seq\":%u}", i + 1);
        tree_hash_leaf(span_of(line, (size_t)len), &leaves[i]);
    }
}

/* MTH of RFC 6962, section 2.1, word for word. */
static void mth(const struct tree_hash *from, size_t n, struct tree_hash *out)
{
    struct tree_hash left, right;
    size_t k = 1;

    if (n <= 1) {
        n == 0 ? tree_hash_empty(out) : (void)(*out = from[0]);
        return;
    }
    while (2 * k < n) {
        k *= 2;
    }
    mth(from, k, &left);
    mth(from + k, n - k, &right);
    tree_hash_node(&left, &right, out);
}

static bool node_of_leaves(void *state, unsigned level, uint64_t index, struct tree_hash *out, struct error *err)
{
    (void)err;
    mth((const struct tree_hash *)state + (index << level), (size_t)1 << level, out);
    return true;
}

static const struct tree_source source = {.node = node_of_leaves, .state = leaves};

static void assert_hex(const struct tree_hash *h, const char *hex)
{
    char text[2 * TREE_HASH + 1];

    for (unsigned i = 0; i < TREE_HASH; i++) {
        (void)snprintf(text + 2 * (size_t)i, 3, "%02x", h->bytes[i]);
    }
    assert_string_equal(text, hex);
}

static void roots_are_those_of_the_known_tree(void **state)
{
    struct tree_edge edge = {.size = 0};
    struct tree_hash h;
    (void)state;

    for (unsigned i = 0; i <= VECTOR_LEAVES; i++) {
        tree_edge_root(&edge, &h);
        assert_hex(&h, vector_roots[i]);
        if (i < VECTOR_LEAVES) {
            tree_hash_leaf(vector_leaves[i], &h);
            tree_edge_add(&edge, &h);
        }
    }
}

static void proofs_are_those_of_the_known_tree(void **state)
{
    struct tree_hash known[VECTOR_LEAVES];
    struct tree_source of_known = {.node = node_of_leaves, .state = known};
    struct tree_proof p;
    struct error err;
    (void)state;

    for (unsigned i = 0; i < VECTOR_LEAVES; i++) {
        tree_hash_leaf(vector_leaves[i], &known[i]);
    }
    assert_true(tree_prove_inclusion(&of_known, 5, 8, &p, &err));
    assert_int_equal(p.n, 3);
    assert_hex(&p.hashes[0], "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b");
    assert_hex(&p.hashes[1], "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0");
    assert_hex(&p.hashes[2], "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7");
    assert_true(tree_prove_inclusion(&of_known, 2, 3, &p, &err));
    assert_int_equal(p.n, 1);
    assert_hex(&p.hashes[0], "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125");
    assert_true(tree_prove_consistency(&of_known, 6, 8, &p, &err));
    assert_int_equal(p.n, 3);
    assert_hex(&p.hashes[0], "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a");
    assert_hex(&p.hashes[1], "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0");
    assert_hex(&p.hashes[2], "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7");
    assert_true(tree_prove_consistency(&of_known, 2, 5, &p, &err));
    assert_int_equal(p.n, 2);
    assert_hex(&p.hashes[0], "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e");
    assert_hex(&p.hashes[1], "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b");
}

static void the_edge_has_the_root_of_every_size(void **state)
{
    struct tree_edge edge = {.size = 0};
    struct tree_hash grown, expected, read;
    struct error err;
    (void)state;

    for (unsigned n = 0; n <= SIZE_MAX_TRIED; n++) {
        mth(leaves, n, &expected);
        tree_edge_root(&edge, &grown);
        assert_true(tree_hash_equal(&grown, &expected));
        assert_true(tree_root(&source, n, &read, &err));
        assert_true(tree_hash_equal(&read, &expected));
        if (n < SIZE_MAX_TRIED) {
            tree_edge_add(&edge, &leaves[n]);
        }
    }
}

static bool is_included(unsigned leaf, uint64_t index, uint64_t size, const struct tree_hash *root, const struct tree_proof *p)
{
    struct error err;

    return tree_verify_inclusion(&leaves[leaf], index, size, root, p, &err);
}

/* What is not that proof: a bit, a hash more, one fewer, another index, another leaf. */
static void assert_only_this_includes(unsigned index, unsigned size, const struct tree_hash *root, struct tree_proof *p)
{
    struct tree_proof other = *p;
    unsigned bit = (index * 7919 + size) % (TREE_HASH * 8), at = p->n > 0 ? (index + size) % (unsigned)p->n : 0;

    assert_true(is_included(index, index, size, root, p));
    if (p->n > 0) {
        other.hashes[at].bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        assert_false(is_included(index, index, size, root, &other));
        other = *p;
        other.n--;
        assert_false(is_included(index, index, size, root, &other));
    }
    other = *p;
    other.hashes[other.n++] = leaves[0];
    assert_false(is_included(index, index, size, root, &other));
    assert_false(is_included(index, index + 1, size, root, p));
    assert_false(is_included(index, index ^ 1, size, root, p));
    assert_false(is_included(index, index + size, size, root, p));
    assert_false(is_included((index + 1) % SIZE_MAX_TRIED, index, size, root, p));
}

static void every_proof_of_inclusion_holds_and_no_other(void **state)
{
    struct tree_proof p;
    struct tree_hash root;
    struct error err;
    (void)state;

    for (unsigned size = 1; size <= SIZE_MAX_TRIED; size++) {
        mth(leaves, size, &root);
        /* All of small trees; of large ones each seventh and both ends. */
        for (unsigned index = 0; index < size; index += size < 70 || index + 8 > size ? 1 : 7) {
            assert_true(tree_prove_inclusion(&source, index, size, &p, &err));
            assert_only_this_includes(index, size, &root, &p);
        }
    }
}

static bool is_consistent(uint64_t old, const struct tree_hash *a, uint64_t size, const struct tree_hash *b,
                          const struct tree_proof *p)
{
    struct error err;

    return tree_verify_consistency(old, a, size, b, p, &err);
}

static void assert_only_this_is_consistent(unsigned old, const struct tree_hash *a, unsigned size, const struct tree_hash *b,
                                           const struct tree_proof *p)
{
    struct tree_proof other = *p;
    unsigned bit = (old * 7919 + size) % (TREE_HASH * 8);

    assert_true(is_consistent(old, a, size, b, p));
    other.hashes[other.n++] = leaves[1];
    assert_false(is_consistent(old, a, size, b, &other));
    if (old == 0) {
        return;
    }
    assert_false(is_consistent(old, &leaves[2], size, b, p));
    assert_false(is_consistent(old, a, size, &leaves[2], p));
    if (p->n > 0) {
        other = *p;
        other.n--;
        assert_false(is_consistent(old, a, size, b, &other));
        other = *p;
        other.hashes[(old + size) % p->n].bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        assert_false(is_consistent(old, a, size, b, &other));
    }
    assert_false(is_consistent(size + 1, a, size, b, p));
}

static void every_proof_of_consistency_holds_and_no_other(void **state)
{
    struct tree_proof p;
    struct tree_hash a, b;
    struct error err;
    (void)state;

    for (unsigned size = 0; size <= SIZE_MAX_TRIED; size += size < 70 ? 1 : 13) {
        mth(leaves, size, &b);
        for (unsigned old = 0; old <= size; old += size < 70 || old + 3 > size ? 1 : 5) {
            mth(leaves, old, &a);
            assert_true(tree_prove_consistency(&source, old, size, &p, &err));
            assert_only_this_is_consistent(old, &a, size, &b, &p);
        }
    }
}

static void what_is_outside_the_tree_has_no_proof(void **state)
{
    struct tree_proof p = {.n = 7};
    struct tree_hash root;
    struct error err;
    (void)state;

    assert_false(tree_prove_inclusion(&source, 5, 5, &p, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_false(tree_prove_consistency(&source, 6, 5, &p, &err));
    assert_int_equal(p.n, 7);
    tree_hash_empty(&root);
    p.n = 0;
    assert_false(tree_verify_inclusion(&root, 0, 0, &root, &p, &err));
    /* One leaf proves itself, and nothing of a larger tree. */
    assert_true(tree_verify_inclusion(&leaves[0], 0, 1, &leaves[0], &p, &err));
    assert_false(tree_verify_inclusion(&leaves[0], 0, 2, &leaves[0], &p, &err));
}

static void leaves_of_every_length_are_hashed(void **state)
{
    static char line[TREE_LEAF_MAX];
    struct tree_hash h;
    (void)state;

    memset(line, 'a', sizeof(line));
    tree_hash_leaf(span_of(line, 2047), &h);
    assert_hex(&h, "646b6236107e7da210fa0c2f0fd67c0aa3202908ec7551b253d04f08e0a1b54b");
    tree_hash_leaf(span_of(line, 2048), &h);
    assert_hex(&h, "a5bac63deedc707b9ac84eb209728147fd009e43a88a18be27db420ebc16884f");
    tree_hash_leaf(span_of(line, sizeof(line)), &h);
    assert_hex(&h, "8ecfe9abfb833a5a36c967979c4668f9af47fd801e8a7d6e9162bd5f3534ad94");
}

static void a_hash_is_read_as_it_is_written(void **state)
{
    static const char *const others[] = {"", "AAAA", "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I",
                                         "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2J=", "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I==",
                                         "CsUYapGGPo4dkMgIAUqom_Xajj7h2fB2MPA3j2jxq2I=", " sUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="};
    static const char text[] = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
    char again[TREE_HASH_TEXT + 1];
    struct tree_hash h;
    struct error err;
    (void)state;

    assert_true(tree_hash_parse(span_str(text), &h, &err));
    tree_hash_format(&h, again);
    assert_string_equal(again, text);
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(tree_hash_parse(span_str(others[i]), &h, &err));
    }
}

int main(void)
{
    make_leaves();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_those_of_the_known_tree),
        cmocka_unit_test(proofs_are_those_of_the_known_tree),
        cmocka_unit_test(the_edge_has_the_root_of_every_size),
        cmocka_unit_test(every_proof_of_inclusion_holds_and_no_other),
        cmocka_unit_test(every_proof_of_consistency_holds_and_no_other),
        cmocka_unit_test(what_is_outside_the_tree_has_no_proof),
        cmocka_unit_test(leaves_of_every_length_are_hashed),
        cmocka_unit_test(a_hash_is_read_as_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
