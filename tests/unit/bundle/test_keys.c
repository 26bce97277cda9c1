#include "testing.h"

#include <sodium.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "bundle/keys.h"

enum { PEOPLE = 4, TEXT = 2048 };

/* Person i signs by a seed of bytes i + 1. */
static void make_person(size_t i, struct note_key *key, uint8_t seed[NOTE_SEED])
{
    uint8_t public[NOTE_PUBLIC];
    char name[16];
    struct error err;

    memset(seed, (int)i + 1, NOTE_SEED);
    note_public(seed, public);
    (void)snprintf(name, sizeof(name), "person%zu", i);
    assert_true(note_key_make(span_str(name), NOTE_ED25519, public, key, &err));
}

/* The keys of people first..last. */
static void write_keys(struct buf *out, unsigned generation, unsigned threshold, size_t first, size_t last)
{
    struct error err;

    assert_true(buf_appendf(out, &err, "example.com/policy\ngeneration %u\nthreshold %u\n", generation, threshold));
    for (size_t i = first; i <= last; i++) {
        char vkey[NOTE_VKEY_MAX + 1];
        uint8_t seed[NOTE_SEED];
        struct note_key key;
        make_person(i, &key, seed);
        note_key_format(&key, vkey);
        assert_true(buf_appendf(out, &err, "key %s\n", vkey));
    }
}

static void read_keys(unsigned generation, unsigned threshold, size_t first, size_t last, struct policy_bundle_keys *keys)
{
    struct buf text CLEANUP(buf_deinit);
    struct error err;

    buf_init(&text, TEXT);
    write_keys(&text, generation, threshold, first, last);
    assert_true(policy_bundle_keys_parse(buf_span(&text), keys, &err));
}

/* `signers` has a bit for each person. */
static void sign(struct buf *bytes, unsigned signers, struct note *note)
{
    struct error err;
    struct span text = buf_span(bytes);
    size_t len = text.len;

    assert_true(buf_append_char(bytes, '\n', &err));
    for (size_t i = 0; i < PEOPLE; i++) {
        uint8_t seed[NOTE_SEED];
        struct note_key key;
        make_person(i, &key, seed);
        assert_true((signers >> i & 1) == 0 || note_sign(&key, seed, span_of(bytes->data, len), 0, bytes, &err));
    }
    assert_true(note_parse(buf_span(bytes), note, &err));
}

static unsigned count_bits(unsigned set)
{
    return (unsigned)__builtin_popcount(set);
}

static void the_threshold_counts_different_known_keys(void **state)
{
    struct policy_bundle_keys keys;
    struct error err;
    (void)state;

    read_keys(1, 2, 0, 2, &keys); /* person 3 is unknown */
    for (unsigned signers = 1; signers < 1U << PEOPLE; signers++) {
        struct buf bytes CLEANUP(buf_deinit);
        struct note note;
        buf_init(&bytes, TEXT);
        assert_true(buf_append_str(&bytes, "a text\n", &err));
        sign(&bytes, signers, &note);
        assert_int_equal(policy_bundle_keys_verify(&keys, &note, &err), count_bits(signers & 7) >= 2);
    }
}

static void one_key_twice_is_one(void **state)
{
    struct buf bytes CLEANUP(buf_deinit);
    struct policy_bundle_keys keys;
    struct note note;
    struct error err;
    uint8_t seed[NOTE_SEED];
    struct note_key key;
    (void)state;

    buf_init(&bytes, TEXT);
    read_keys(1, 2, 0, 2, &keys);
    make_person(0, &key, seed);
    assert_true(buf_append_str(&bytes, "a text\n\n", &err));
    for (int i = 0; i < 2; i++) {
        assert_true(note_sign(&key, seed, span_str("a text\n"), 0, &bytes, &err));
    }
    assert_true(note_parse(buf_span(&bytes), &note, &err));
    assert_false(policy_bundle_keys_verify(&keys, &note, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
}

static void a_bad_signature_refuses_whatever_the_others(void **state)
{
    struct buf bytes CLEANUP(buf_deinit);
    struct policy_bundle_keys keys;
    struct note note;
    struct error err;
    uint8_t seed[NOTE_SEED];
    struct note_key key;
    (void)state;

    buf_init(&bytes, TEXT);
    read_keys(1, 2, 0, 2, &keys);
    assert_true(buf_append_str(&bytes, "a text\n", &err));
    sign(&bytes, 3, &note);
    make_person(2, &key, seed);
    assert_true(note_sign(&key, seed, span_str("another\n"), 0, &bytes, &err));
    assert_true(note_parse(buf_span(&bytes), &note, &err));
    assert_false(policy_bundle_keys_verify(&keys, &note, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
}

static void keys_follow_when_both_generations_sign(void **state)
{
    struct error err;
    (void)state;

    for (unsigned signers = 1; signers < 1U << PEOPLE; signers++) {
        struct buf bytes CLEANUP(buf_deinit);
        struct policy_bundle_keys keys;
        struct note note;
        buf_init(&bytes, TEXT);
        read_keys(1, 2, 0, 2, &keys);
        write_keys(&bytes, 2, 1, 2, 3);
        sign(&bytes, signers, &note);
        bool is_expected = count_bits(signers & 7) >= 2 && count_bits(signers & 12) >= 1;
        assert_int_equal(policy_bundle_keys_follow(&keys, &note, &err), is_expected);
        assert_int_equal(keys.generation, is_expected ? 2 : 1);
    }
}

static void a_generation_is_not_left_out(void **state)
{
    struct buf bytes CLEANUP(buf_deinit);
    struct policy_bundle_keys keys;
    struct note note;
    struct error err;
    (void)state;

    buf_init(&bytes, TEXT);
    read_keys(1, 1, 0, 1, &keys);
    write_keys(&bytes, 3, 1, 0, 1);
    sign(&bytes, 3, &note);
    assert_false(policy_bundle_keys_follow(&keys, &note, &err));
    assert_int_equal(keys.generation, 1);
}

static void other_texts_are_refused(void **state)
{
    static const char *const bad[] = {
        "", "a b\ngeneration 1\nthreshold 1\n", "a\ngeneration 0\nthreshold 1\n", "a\ngeneration 1\nthreshold 0\n",
        "a\ngeneration 1\nthreshold 1\n", "a\ngeneration 1\nthreshold 33\n", "a\ngeneration 1\nthreshold 1\nkey x\n",
        "a\ngeneration 1\nthreshold 1\nkey ", "a\nthreshold 1\ngeneration 1\n",
    };
    struct policy_bundle_keys keys;
    struct buf twice CLEANUP(buf_deinit);
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(policy_bundle_keys_parse(span_str(bad[i]), &keys, &err));
    }
    buf_init(&twice, TEXT);
    write_keys(&twice, 1, 2, 0, 0);
    const char *line = strstr(twice.data, "key ");
    char copy[NOTE_VKEY_MAX + 8];
    (void)snprintf(copy, sizeof(copy), "%.*s", (int)(twice.data + twice.len - line), line);
    assert_true(buf_append_str(&twice, copy, &err));
    assert_false(policy_bundle_keys_parse(buf_span(&twice), &keys, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
}

static int start_sodium(void **state)
{
    (void)state;
    return sodium_init() < 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_threshold_counts_different_known_keys),
        cmocka_unit_test(one_key_twice_is_one),
        cmocka_unit_test(a_bad_signature_refuses_whatever_the_others),
        cmocka_unit_test(keys_follow_when_both_generations_sign),
        cmocka_unit_test(a_generation_is_not_left_out),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, start_sodium, NULL);
}
