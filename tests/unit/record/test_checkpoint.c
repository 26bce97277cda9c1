#include "testing.h"

#include <sodium.h>

#include "record/checkpoint.h"

static const char text[] = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
static const uint8_t seed[NOTE_SEED] = {4, 5, 6};

static void make_key(const char *name, struct note_key *key)
{
    uint8_t public[NOTE_PUBLIC];
    struct error err;

    note_public(seed, public);
    assert_true(note_key_make(span_str(name), NOTE_ED25519, public, key, &err));
}

static void the_lines_are_read(void **state)
{
    struct checkpoint c;
    struct error err;
    char root[TREE_HASH_TEXT + 1];
    (void)state;

    assert_true(checkpoint_parse_text(span_str(text), &c, &err));
    assert_true(span_is(c.origin, "example.com/behind-the-sofa"));
    assert_true(c.size == 20852163);
    tree_hash_format(&c.root, root);
    assert_string_equal(root, "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=");
    assert_int_equal(c.extensions.len, 0);
}

static void what_is_written_is_read_again(void **state)
{
    struct checkpoint c;
    struct error err;
    struct buf b;
    (void)state;

    assert_true(checkpoint_parse_text(span_str(text), &c, &err));
    buf_init(&b, NOTE_MAX);
    assert_true(checkpoint_format(c.origin, c.size, &c.root, &b, &err));
    assert_true(span_is(buf_span(&b), text));
    assert_false(checkpoint_format(span_str("an origin"), c.size, &c.root, &b, &err));
    buf_deinit(&b);
}

static void what_is_no_checkpoint_is_refused(void **state)
{
#define ROOT "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    static const char *const texts[] = {
        "", "a\n", "a\n1\n", "\n1\n" ROOT, "a\n\n" ROOT, "a\n01\n" ROOT, "a\n-1\n" ROOT, "a\n+1\n" ROOT, "a\n1 \n" ROOT,
        "a\n18446744073709551616\n" ROOT, "a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I\n", "a\n1\n" ROOT "\n",
        "a\n1\n" ROOT "extension\n\n", "a\n1\n" ROOT "extension", "a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
        "a\r\n1\n" ROOT, "a\n1\n" ROOT "\x01\n", "a\n0x1\n" ROOT,
    };
    struct checkpoint c;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(texts); i++) {
        if (checkpoint_parse_text(span_str(texts[i]), &c, &err)) {
            fail_msg("checkpoint %zu was accepted", i);
        }
        assert_int_equal(err.kind, ERROR_MALFORMED);
    }
    assert_true(checkpoint_parse_text(span_str("a\n0\n" ROOT "extension\nanother\n"), &c, &err));
    assert_true(span_is(c.extensions, "extension\nanother\n"));
    assert_true(checkpoint_parse_text(span_str("a\n18446744073709551615\n" ROOT), &c, &err));
    assert_true(c.size == UINT64_MAX);
}

static void a_log_signs_under_its_origin_alone(void **state)
{
    struct note_key key, other;
    struct checkpoint c;
    struct error err;
    struct buf b;
    (void)state;

    make_key("example.com/behind-the-sofa", &key);
    make_key("example.com/elsewhere", &other);
    buf_init(&b, NOTE_MAX);
    assert_true(buf_appendf(&b, &err, "%s\n", text));
    assert_true(note_sign(&key, seed, span_str(text), 0, &b, &err));
    assert_true(note_sign(&other, seed, span_str(text), 0, &b, &err));
    assert_true(checkpoint_parse(buf_span(&b), &c, &err));
    assert_true(checkpoint_verify(&c, &key, &err));
    assert_false(checkpoint_verify(&c, &other, &err));
    b.data[strlen("example.com/behind-the-sofa\n")] = '3'; /* the size */
    assert_true(checkpoint_parse(buf_span(&b), &c, &err));
    assert_false(checkpoint_verify(&c, &key, &err));
    buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lines_are_read),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(what_is_no_checkpoint_is_refused),
        cmocka_unit_test(a_log_signs_under_its_origin_alone),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
