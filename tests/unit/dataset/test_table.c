/* test_table.c - a dataset file: what is loaded, what is refused, and what it does not say. */
#include "dataset_testing.h"

#include "dataset/first_word.h"
#include "dataset/table_build.h"
#include "support/random.h"

static const char csv[] = "name,email\nVasilisa Ognyova,vasilisa@post.example\nBaptiste Quillfeather,bq@post.example\n";
static const char kinds[] = "name:name,email:email";

static void build_and_read(struct buf *file)
{
    struct cells_built built;
    struct error err;

    buf_init(file, 1 << 20);
    if (!build_cells(csv, kinds, &built, &err) || !file_read(path_of("set.edm"), file, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(file->len, built.size);
}

static bool opens(struct error *err)
{
    struct table *t = table_open(path_of("set.edm"), path_of("key"), TABLE_CELLS, err);
    bool is_open = t != NULL;

    table_close(t);
    return is_open;
}

static void every_damage_is_noticed(void **state)
{
    struct buf file CLEANUP(buf_deinit);
    struct error err;

    (void)state;
    build_and_read(&file);
    assert_true(opens(&err));
    for (size_t at = 0; at < file.len; at += at < 256 ? 1 : 61) {
        file.data[at] = (char)(file.data[at] ^ 0x40);
        assert_true(file_write_atomic(path_of("set.edm"), buf_span(&file), 0600, &err));
        if (opens(&err)) {
            fail_msg("byte %zu", at);
        }
        file.data[at] = (char)(file.data[at] ^ 0x40);
    }
    for (size_t len = 0; len < file.len; len += 97) {
        assert_true(file_write_atomic(path_of("set.edm"), span_of(file.data, len), 0600, &err));
        assert_false(opens(&err));
    }
}

/* As cp and rsync --inplace write: into the file that was authenticated. */
static void what_is_written_into_the_file_changes_nothing(void **state)
{
    struct buf file CLEANUP(buf_deinit);
    struct error err;

    (void)state;
    build_and_read(&file);
    struct table *t = open_cells();
    assert_memory_equal(t->header, file.data, file.len);
    FILE *in_place = fopen(path_of("set.edm"), "r+");
    assert_non_null(in_place);
    for (size_t i = 0; i < file.len; i++) {
        assert_int_not_equal(fputc(0, in_place), EOF);
    }
    assert_int_equal(fclose(in_place), 0);
    assert_memory_equal(t->header, file.data, file.len);
    assert_int_equal(truncate(path_of("set.edm"), 0), 0);
    assert_memory_equal(t->header, file.data, file.len);
    table_close(t);
    assert_false(opens(&err));
}

static void the_file_has_no_value(void **state)
{
    static const char *const values[] = {"Vasilisa", "vasilisa", "ognyova", "Quillfeather", "quillfeather", "post.example"};
    struct buf file CLEANUP(buf_deinit);

    (void)state;
    build_and_read(&file);
    for (size_t i = 0; i < COUNT(values); i++) {
        assert_null(memmem(file.data, file.len, values[i], strlen(values[i])));
    }
}

static void a_key_that_others_may_read_or_another_key_is_refused(void **state)
{
    struct buf file CLEANUP(buf_deinit);
    struct dataset_key other;
    struct error err;

    (void)state;
    build_and_read(&file);
    assert_int_equal(chmod(path_of("key"), 0640), 0);
    assert_false(opens(&err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_int_equal(chmod(path_of("key"), 0600), 0);
    make_key("other.key", &other);
    assert_null(table_open(path_of("set.edm"), path_of("other.key"), TABLE_CELLS, &err));
    assert_non_null(strstr(err.text, "made with another key"));
    assert_null(table_open(path_of("set.edm"), path_of("key"), TABLE_DOCUMENTS, &err));
}

/* The first filter is hashed by what can be solved for: it is not in the file as it is. */
static void the_first_filter_is_encrypted(void **state)
{
    struct buf file CLEANUP(buf_deinit);
    struct cells_built built;
    struct error err;

    (void)state;
    buf_init(&file, 1 << 20);
    assert_true(build_cells("name\nZoe Brandt\nKarl Ehrenreich\n", "name:name", &built, &err));
    assert_true(file_read(path_of("set.edm"), &file, &err));
    struct table *t = open_cells();
    const size_t size = sizeof(uint64_t) << t->header->filter_bits[0];
    assert_true(first_word_may_begin(t, "zoe\0             ", 3) && first_word_may_begin(t, "KARL             ", 4));
    assert_false(first_word_may_begin(t, "brandt           ", 6));
    assert_null(memmem(file.data, file.len, t->first, size));
    table_close(t);
}

static void a_file_of_an_earlier_version_is_to_be_built_again(void **state)
{
    struct buf file CLEANUP(buf_deinit);
    struct table_header header;
    struct cells_built built;
    struct error err;

    (void)state;
    buf_init(&file, 1 << 20);
    assert_true(build_cells("name\nZoe Brandt\n", "name:name", &built, &err));
    assert_true(file_read(path_of("set.edm"), &file, &err));
    memcpy(&header, file.data, sizeof(header));
    header.kind = TABLE_CELLS_1;
    memcpy(file.data, &header, sizeof(header));
    assert_true(file_write_atomic(path_of("set.edm"), buf_span(&file), 0600, &err));
    assert_false(opens(&err));
    assert_non_null(strstr(err.text, "build it again"));
}

/* More values than parts and buckets, some in many rows. */
static void each_value_has_its_rows_and_common_ones_are_left_out(void **state)
{
    enum { VALUES = 20000 };
    struct dataset_key key;
    struct error err;
    struct table_header header = {.kind = TABLE_CELLS};
    char path[128];

    (void)state;
    make_key("key", &key);
    (void)snprintf(path, sizeof(path), "%s", path_of("set.edm"));
    struct table_build *b = table_build_new(path, &key, &err);
    struct random r = {.state = 7};
    assert_non_null(b);
    uint64_t *hashes = calloc(VALUES, sizeof(*hashes));
    assert_non_null(hashes);
    for (uint32_t i = 0; i < VALUES; i++) {
        hashes[i] = random_next(&r);
        for (uint32_t row = 0; row < (i == 0 ? 9U : 1 + i % 3); row++) {
            assert_true(table_build_add(b, hashes[i], i + row, 1, &err) && table_build_add(b, hashes[i], i + row, 1, &err));
        }
        assert_true(table_build_allow(b, 0, dataset_permute(&key, hashes[i]), &err) && table_build_allow(b, 1, hashes[i], &err));
    }
    assert_true(table_build_finish(b, &header, 8, &err));
    table_build_free(b);
    assert_int_equal(header.common, 1);
    struct table *t = open_cells();
    assert_int_equal(table_find(t, hashes[0]).n, 0);
    for (uint32_t i = 1; i < VALUES; i++) {
        struct table_range range = table_find(t, hashes[i]);
        uint32_t entry;
        assert_int_equal(range.n, 1 + i % 3);
        assert_true(table_has_row(t, range, i, &entry) && !table_has_row(t, range, i + 3, &entry));
        assert_true(table_may_have(t, 0, hashes[i]) && table_may_have(t, 1, hashes[i]));
        assert_int_equal(table_find(t, ~hashes[i]).n, 0);
    }
    free(hashes);
    table_close(t);
}

/* Files are read by any build: the hash is SipHash-2-4 of the kind and the value, as libsodium has it. */
static void the_hash_is_siphash(void **state)
{
    struct dataset_key key;
    struct random r = {.state = 11};
    char bytes[1 + DATASET_VALUE_MAX];

    (void)state;
    make_key("key", &key);
    for (size_t n = 0; n <= DATASET_VALUE_MAX; n++) {
        uint64_t expected;
        for (size_t i = 0; i <= n; i++) {
            bytes[i] = (char)random_next(&r);
        }
        (void)crypto_shorthash((uint8_t *)&expected, (const uint8_t *)bytes, 1 + n, key.hash);
        assert_true(dataset_hash(&key, bytes[0], span_of(bytes + 1, n)) == expected);
    }
}

static void columns_are_read_strictly(void **state)
{
    static const char *const bad[] = {"name", "name:", ":name", "name:word", "name:name,", "nobody:name", "name:phone+", "name:phone+4x", "name:id+49"};
    struct cells_built built;
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        if (build_cells(csv, bad[i], &built, &err)) {
            fail_msg("%s", bad[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_damage_is_noticed),
        cmocka_unit_test(what_is_written_into_the_file_changes_nothing),
        cmocka_unit_test(the_file_has_no_value),
        cmocka_unit_test(a_key_that_others_may_read_or_another_key_is_refused),
        cmocka_unit_test(the_first_filter_is_encrypted),
        cmocka_unit_test(a_file_of_an_earlier_version_is_to_be_built_again),
        cmocka_unit_test(each_value_has_its_rows_and_common_ones_are_left_out),
        cmocka_unit_test(the_hash_is_siphash),
        cmocka_unit_test(columns_are_read_strictly),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
