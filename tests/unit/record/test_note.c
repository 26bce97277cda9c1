#include "testing.h"

#include <sodium.h>
#include <stdio.h>

#include "record/note.h"

/* The key and the note that the package golang.org/x/mod/sumdb/note is documented with. */
static const char go_key[] = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
static const char go_note[] =
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "\xE2\x80\x94 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

static const uint8_t seed[NOTE_SEED] = {1, 2, 3};
static const char text[] = "example.com/log\n7\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";

static void make_key(const char *name, enum note_key_type type, struct note_key *key)
{
    uint8_t public[NOTE_PUBLIC];
    struct error err;

    note_public(seed, public);
    assert_true(note_key_make(span_str(name), type, public, key, &err));
}

static void sign(struct buf *b, const struct note_key *key, uint64_t time)
{
    struct error err;

    assert_true(note_sign(key, seed, span_str(text), time, b, &err));
}

static void a_note_of_another_implementation_is_verified(void **state)
{
    struct note_key key;
    struct note note;
    struct error err;
    (void)state;

    assert_true(note_key_parse(span_str(go_key), &key, &err));
    assert_true(note_parse(span_str(go_note), &note, &err));
    assert_int_equal(note.n, 1);
    assert_int_equal(note_verify(&note, &key, NULL), NOTE_GOOD);
}

static void a_changed_note_is_bad(void **state)
{
    struct note_key key;
    struct note note;
    struct error err;
    char changed[sizeof(go_note)];
    unsigned good = 0;
    (void)state;

    assert_true(note_key_parse(span_str(go_key), &key, &err));
    for (size_t i = 0; i < sizeof(go_note) - 1; i++) {
        memcpy(changed, go_note, sizeof(changed));
        changed[i] ^= 1;
        good += note_parse(span_of(changed, sizeof(changed) - 1), &note, &err) && note_verify(&note, &key, NULL) == NOTE_GOOD;
    }
    assert_int_equal(good, 0);
}

static void vkeys_are_read_as_they_are_written(void **state)
{
    char vkey[NOTE_VKEY_MAX + 1];
    struct note_key key;
    struct error err;
    (void)state;

    assert_true(note_key_parse(span_str(go_key), &key, &err));
    note_key_format(&key, vkey);
    assert_string_equal(vkey, go_key);
}

static void a_vkey_that_is_not_its_own_is_refused(void **state)
{
    static const char *const vkeys[] = {
        "", "PeterNeumann", "PeterNeumann+c74f20a3", "PeterNeumann+c74f20a3+",
        "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumanm+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+AhpcfQcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWAA==",
        "PeterNeumann+c74f20a+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    };
    struct note_key key;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(vkeys); i++) {
        if (note_key_parse(span_str(vkeys[i]), &key, &err)) {
            fail_msg("%s was accepted", vkeys[i]);
        }
    }
}

static void names_of_keys_have_no_spaces_and_no_plus(void **state)
{
    static const char *const names[] = {"",      "a b",         "a+b",          "a\nb",         "a\xC2\xA0" "b", "a\xE3\x80\x80",
                                        "\xFF",  "a\tb",        "\xC0\x80",     "\xED\xA0\x80", "\xE2\x80"};
    uint8_t public[NOTE_PUBLIC] = {0};
    char longest[NOTE_NAME_MAX + 2];
    struct note_key key;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(names); i++) {
        assert_false(note_key_make(span_str(names[i]), NOTE_ED25519, public, &key, &err));
    }
    memset(longest, 'a', sizeof(longest));
    assert_true(note_key_make(span_of(longest, NOTE_NAME_MAX), NOTE_ED25519, public, &key, &err));
    assert_false(note_key_make(span_of(longest, NOTE_NAME_MAX + 1), NOTE_ED25519, public, &key, &err));
    assert_true(note_key_make(span_str("caf\xC3\xA9.example/w"), NOTE_ED25519, public, &key, &err));
}

static void what_is_signed_is_verified(void **state)
{
    static const enum note_key_type types[] = {NOTE_ED25519, NOTE_COSIGNATURE};
    struct note_key key;
    struct note note;
    struct error err;
    struct buf b;
    uint64_t time;
    (void)state;

    for (size_t i = 0; i < COUNT(types); i++) {
        make_key("example.com/log", types[i], &key);
        buf_init(&b, NOTE_MAX);
        assert_true(buf_appendf(&b, &err, "%s\n", text));
        sign(&b, &key, 1764000000);
        assert_true(note_parse(buf_span(&b), &note, &err));
        assert_true(span_is(note.text, text));
        assert_int_equal(note_verify(&note, &key, &time), NOTE_GOOD);
        assert_true(time == (types[i] == NOTE_COSIGNATURE ? 1764000000 : 0));
        buf_deinit(&b);
    }
}

static void a_cosignature_covers_its_time(void **state)
{
    struct note_key key;
    struct note note;
    struct error err;
    struct buf b;
    (void)state;

    make_key("w1", NOTE_COSIGNATURE, &key);
    buf_init(&b, NOTE_MAX);
    assert_true(buf_appendf(&b, &err, "%s\n", text));
    sign(&b, &key, 1764000000);
    char *encoded = memchr(b.data + strlen(text) + strlen("\n\xE2\x80\x94 w1"), ' ', 9);
    assert_non_null(encoded);
    encoded[14] = encoded[14] == 'A' ? 'B' : 'A'; /* within the time's lowest bytes */
    assert_true(note_parse(buf_span(&b), &note, &err));
    assert_int_equal(note_verify(&note, &key, NULL), NOTE_BAD);
    buf_deinit(&b);
}

static void lines_of_other_keys_are_passed_over(void **state)
{
    struct note_key key, witness;
    struct note note;
    struct error err;
    struct buf b;
    (void)state;

    make_key("example.com/log", NOTE_ED25519, &key);
    make_key("example.com/log", NOTE_COSIGNATURE, &witness);
    buf_init(&b, NOTE_MAX);
    assert_true(buf_appendf(&b, &err, "%s\n\xE2\x80\x94 somebody AAAAAAAA\n", text));
    sign(&b, &key, 0);
    assert_true(note_parse(buf_span(&b), &note, &err));
    assert_int_equal(note.n, 2);
    assert_int_equal(note_verify(&note, &key, NULL), NOTE_GOOD);
    assert_int_equal(note_verify(&note, &witness, NULL), NOTE_UNSIGNED);
    /* One good line does not make up for a bad one of the same key. */
    assert_true(buf_append(&b, note.list[1].line, &err));
    b.data[b.len - 8] = b.data[b.len - 8] == 'A' ? 'B' : 'A';
    assert_true(note_parse(buf_span(&b), &note, &err));
    assert_int_equal(note_verify(&note, &key, NULL), NOTE_BAD);
    buf_deinit(&b);
}

static void what_is_no_note_is_refused(void **state)
{
    static const char *const notes[] = {
        "", "\n", "\n\n", "text\n", "text\n\n", "text\n\nsigned\n", "text\n\n\xE2\x80\x94 a AAAAAAAA", "text\n\xE2\x80\x94 a AAAAAAAA\n",
        "text\n\n\xE2\x80\x94 a AAAAAA==\n", "text\n\n\xE2\x80\x94 a\n", "text\n\n\xE2\x80\x94  AAAAAAAA\n",
        "text\n\n\xE2\x80\x94 a AAAAAAAA \n", "text\n\n- a AAAAAAAA\n", "text\n\n\xE2\x80\x94 a+b AAAAAAAA\n",
        "te\rxt\n\n\xE2\x80\x94 a AAAAAAAA\n", "te\xFFxt\n\n\xE2\x80\x94 a AAAAAAAA\n", "text\n\n\xE2\x80\x94 a AAAAAAAB=\n",
        "text\n\n\xE2\x80\x94 a AAAAAAAA\n\n",
    };
    struct note note;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(notes); i++) {
        if (note_parse(span_str(notes[i]), &note, &err)) {
            fail_msg("note %zu was accepted", i);
        }
        assert_int_equal(err.kind, ERROR_MALFORMED);
    }
    assert_true(note_parse(span_str("one\n\ntwo\n\n\xE2\x80\x94 a AAAAAAAA\n"), &note, &err));
    assert_true(span_is(note.text, "one\n\ntwo\n"));
}

static void there_is_a_most_of_signatures_and_bytes(void **state)
{
    struct note note;
    struct error err;
    struct buf b;
    (void)state;

    buf_init(&b, 2 * NOTE_MAX);
    assert_true(buf_append_str(&b, "text\n\n", &err));
    for (unsigned i = 0; i < NOTE_SIGNATURES_MAX; i++) {
        assert_true(buf_append_str(&b, "\xE2\x80\x94 a AAAAAAAA\n", &err));
    }
    assert_true(note_parse(buf_span(&b), &note, &err));
    assert_true(buf_append_str(&b, "\xE2\x80\x94 a AAAAAAAA\n", &err));
    assert_false(note_parse(buf_span(&b), &note, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    while (b.len <= NOTE_MAX) {
        assert_true(buf_append_char(&b, '\n', &err));
    }
    assert_false(note_parse(buf_span(&b), &note, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_of_another_implementation_is_verified),
        cmocka_unit_test(a_changed_note_is_bad),
        cmocka_unit_test(vkeys_are_read_as_they_are_written),
        cmocka_unit_test(a_vkey_that_is_not_its_own_is_refused),
        cmocka_unit_test(names_of_keys_have_no_spaces_and_no_plus),
        cmocka_unit_test(what_is_signed_is_verified),
        cmocka_unit_test(a_cosignature_covers_its_time),
        cmocka_unit_test(lines_of_other_keys_are_passed_over),
        cmocka_unit_test(what_is_no_note_is_refused),
        cmocka_unit_test(there_is_a_most_of_signatures_and_bytes),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
