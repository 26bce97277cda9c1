/* A log whose key was rotated: every checkpoint needs the key of its size, and the chain of keys has no gap. */
#include "unit/record/proven_testing.h"

enum { BEFORE = 20, ANNOUNCED = 21, AFTER = 40 };

static struct proven log_;
static uint8_t old_seed[NOTE_SEED], new_seed[NOTE_SEED];
static struct note_key old_key, new_key, other_key;
static struct error err;

static void make_key(uint8_t fill, uint8_t seed[NOTE_SEED], struct note_key *key)
{
    uint8_t public[NOTE_PUBLIC];

    memset(seed, fill, NOTE_SEED);
    note_public(seed, public);
    must(note_key_make(span_str(ORIGIN), NOTE_ED25519, public, key, &err), &err);
}

static int open_log(void **state)
{
    uint8_t other[NOTE_SEED];
    (void)state;

    make_key(7, old_seed, &old_key);
    make_key(8, new_seed, &new_key);
    make_key(9, other, &other_key);
    (void)empty_folder(NULL);
    proven_init(&log_, 7);
    return 0;
}

static int close_log(void **state)
{
    proven_deinit(&log_);
    return empty_folder(state);
}

static void announce(const struct note_key *key)
{
    char vkey[NOTE_VKEY_MAX + 1];
    struct tree_hash leaf;
    size_t at = log_.text.len;

    log_.n++;
    note_key_format(key, vkey);
    must(buf_appendf(&log_.text, &err,
                     "{\"seq\":%llu,\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"admin\",\"what\":\"signer\",\"vkey\":\"%s\",\"by\":\"start\"}\n",
                     (unsigned long long)log_.n, vkey),
         &err);
    tree_hash_leaf(span_of(log_.text.data + at, log_.text.len - at - 1), &leaf);
    must(tile_writer_add(log_.tiles, &leaf, &err), &err);
}

enum { BY_OLD = 1, BY_NEW = 2 };

static void sign(const struct note_key *key, const uint8_t seed[NOTE_SEED], struct buf *note, struct span text)
{
    must(note_sign(key, seed, text, 0, note, &err), &err);
}

/* A checkpoint of all lines. */
static void checkpoint(unsigned by)
{
    struct tree_hash root;
    struct buf note, text;

    buf_init(&note, NOTE_MAX);
    buf_init(&text, NOTE_MAX);
    must(tile_writer_commit(log_.tiles, &err), &err);
    tile_writer_root(log_.tiles, &root);
    must(checkpoint_format(span_str(ORIGIN), log_.n, &root, &text, &err) && buf_append(&note, buf_span(&text), &err) &&
             buf_append_char(&note, '\n', &err),
         &err);
    if ((by & BY_OLD) != 0) {
        sign(&old_key, old_seed, &note, buf_span(&text));
    }
    if ((by & BY_NEW) != 0) {
        sign(&new_key, new_seed, &note, buf_span(&text));
    }
    must(checkpoint_store_add(in_folder("record"), buf_span(&note), &err), &err);
    buf_deinit(&note);
    buf_deinit(&text);
}

/* Checkpoints: before the announcement, the first that covers it, and one after that. */
static void rotate(unsigned before, unsigned first, unsigned after)
{
    proven_add(&log_, BEFORE);
    checkpoint(before);
    announce(&new_key);
    proven_add(&log_, 3);
    checkpoint(first);
    proven_add(&log_, AFTER - ANNOUNCED - 3);
    checkpoint(after);
    write_log("decisions.jsonl", LOG_PLAIN, buf_span(&log_.text));
}

/* What verifying finds: "" when all holds. `has_file`: record/keys is there. */
static const char *check(bool has_file)
{
    static char finding[512];
    struct log_files files = {0};
    struct log_check_result result;
    struct checkpoint newest;
    struct log_keys keys;
    struct buf note;

    if (has_file) {
        must(log_keys_add(in_folder("record"), &new_key, ANNOUNCED, &err), &err);
    }
    buf_init(&note, NOTE_MAX);
    must(checkpoint_store_newest(in_folder("record"), &note, &err) && checkpoint_parse(buf_span(&note), &newest, &err) &&
             log_files_scan(&files, folder, &err) && log_keys_read(in_folder("record"), &files, &old_key, &keys, &err),
         &err);
    log_files_select(&files, span_str(ORIGIN));
    const struct log_check all = {.files = &files, .record = in_folder("record"), .newest = &newest, .keys = &keys};
    must(log_check(&all, &result, &err), &err);
    (void)snprintf(finding, sizeof(finding), "%s", result.finding.is_there ? result.finding.text : "");
    log_files_deinit(&files);
    buf_deinit(&note);
    return finding;
}

static void every_pair_of_signers_is_judged_alike_with_and_without_the_file(void **state)
{
    for (unsigned before = 1; before <= 3; before++) {
        for (unsigned first = 1; first <= 3; first++) {
            for (unsigned after = 1; after <= 3; after++) {
                bool is_right = (before & BY_OLD) != 0 && first == (BY_OLD | BY_NEW) && (after & BY_NEW) != 0;
                (void)close_log(state);
                (void)open_log(state);
                rotate(before, first, after);
                assert_int_equal(check(false)[0] == '\0', is_right);
                assert_int_equal(check(true)[0] == '\0', is_right);
            }
        }
    }
}

static void the_next_rotation_goes_on_from_the_new_key(void **state)
{
    struct log_keys keys;
    (void)state;

    log_keys_set(&keys, &old_key);
    must(log_keys_announce(&keys, &other_key, 50, &err) && log_keys_announce(&keys, &new_key, 30, &err), &err);
    must(log_keys_announce(&keys, &new_key, 40, &err), &err); /* a start that announces again */
    assert_int_equal(keys.n, 3);
    assert_true(note_key_same(log_keys_at(&keys, 29), &old_key));
    assert_true(note_key_same(log_keys_at(&keys, 30), &new_key));
    assert_true(note_key_same(log_keys_at(&keys, 49), &new_key));
    assert_true(note_key_same(log_keys_at(&keys, 50), &other_key));
    assert_true(note_key_same(log_keys_at(&keys, UINT64_MAX), &other_key));
    must(log_keys_announce(&keys, &other_key, 20, &err), &err); /* an earlier announcement counts */
    assert_true(note_key_same(log_keys_at(&keys, 29), &other_key));
    assert_true(note_key_same(log_keys_at(&keys, 30), &new_key));
}

static void a_key_that_no_line_announces_is_found(void **state)
{
    (void)state;
    proven_add(&log_, BEFORE);
    checkpoint(BY_OLD);
    proven_add(&log_, AFTER - BEFORE);
    checkpoint(BY_OLD | BY_NEW);
    write_log("decisions.jsonl", LOG_PLAIN, buf_span(&log_.text));
    assert_string_equal(check(false), "");
    assert_non_null(strstr(check(true), "keys has a key that line 21 does not announce"));
}

static void only_a_line_of_the_signer_announces(void **state)
{
    static const char *const lines[] = {
        "{\"seq\":2,\"type\":\"admin\",\"what\":\"policy\",\"vkey\":\"%s\"}",
        "{\"seq\":2,\"type\":\"decision\",\"what\":\"signer\",\"vkey\":\"%s\",\"type\":\"admin\"}",
        "{\"seq\":2,\"type\":\"decision\",\"agent\":\"\\\"type\\\":\\\"admin\\\"\",\"what\":\"signer\",\"vkey\":\"%s\"}",
        "{\"seq\":2,\"type\":\"admin\",\"what\":\"signer\",\"vkey\":\"x%s\"}",
        "{\"seq\":2,\"type\":\"admin\",\"what\":\"signer\"}",
    };
    char vkey[NOTE_VKEY_MAX + 1], line[1024];
    struct note_key key;
    (void)state;

    note_key_format(&new_key, vkey);
    for (size_t i = 0; i < COUNT(lines); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(line, sizeof(line), lines[i], vkey);
#pragma GCC diagnostic pop
        assert_false(log_keys_announcement(span_str(line), span_str(ORIGIN), &key));
    }
    (void)snprintf(line, sizeof(line), "{\"seq\":2,\"type\":\"admin\",\"what\":\"signer\",\"vkey\":\"%s\"}", vkey);
    assert_true(log_keys_announcement(span_str(line), span_str(ORIGIN), &key));
    assert_true(note_key_same(&key, &new_key));
    assert_false(log_keys_announcement(span_str(line), span_str("another/log"), &key));
}

static void the_file_is_read_strictly(void **state)
{
    static const char *const texts[] = {"x", "1\n", "0 v\n", "1 v\n", " \n", "\n", "1 "};
    char vkey[NOTE_VKEY_MAX + 1], text[1024];
    struct log_keys keys;
    (void)state;

    for (size_t i = 0; i < COUNT(texts); i++) {
        must(file_write_atomic(in_folder("record/keys"), span_str(texts[i]), 0600, &err), &err);
        assert_false(log_keys_read_announced(in_folder("record"), &keys, &err));
        assert_int_equal(err.kind, ERROR_MALFORMED);
    }
    note_key_format(&new_key, vkey);
    (void)snprintf(text, sizeof(text), "21 %s", vkey); /* without its newline */
    must(file_write_atomic(in_folder("record/keys"), span_str(text), 0600, &err), &err);
    assert_false(log_keys_read_announced(in_folder("record"), &keys, &err));
    assert_int_equal(unlink(in_folder("record/keys")), 0);
    must(log_keys_read_announced(in_folder("record"), &keys, &err), &err);
    assert_int_equal(keys.n, 0);
    for (unsigned i = 0; i < 2; i++) { /* the same key again stays where it was */
        must(log_keys_add(in_folder("record"), &new_key, 21 + i, &err) && log_keys_read_announced(in_folder("record"), &keys, &err), &err);
        assert_int_equal(keys.n, 1);
        assert_int_equal(keys.list[0].from, 21);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_pair_of_signers_is_judged_alike_with_and_without_the_file, open_log, close_log),
        cmocka_unit_test_setup_teardown(the_next_rotation_goes_on_from_the_new_key, open_log, close_log),
        cmocka_unit_test_setup_teardown(a_key_that_no_line_announces_is_found, open_log, close_log),
        cmocka_unit_test_setup_teardown(only_a_line_of_the_signer_announces, open_log, close_log),
        cmocka_unit_test_setup_teardown(the_file_is_read_strictly, open_log, close_log),
    };
    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
