#include "testing.h"

#include <ftw.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "seal/blobs.h"
#include "seal/sealed.h"

enum { FILE_MAX = 64 * 1024 };

static const struct shred_key key = {.id = "0123456789abcdef", .key = {1, 2, 3}};
static struct age_identity identities[3];
static struct age_recipient recipients[3];

static int set_up(void **state)
{
    char text[AGE_IDENTITY_TEXT + 1];

    (void)state;
    assert_true(sodium_init() >= 0);
    for (size_t i = 0; i < COUNT(identities); i++) {
        age_identity_make(&identities[i], text);
        age_identity_recipient(&identities[i], &recipients[i]);
    }
    return 0;
}

static struct buf seal(size_t n_to, size_t n_also)
{
    const struct sealed_readers readers = {recipients, &recipients[n_to], n_to, n_also};
    struct buf out;
    struct error err;

    buf_init(&out, FILE_MAX + SEALED_OVERHEAD);
    assert_true(sealed_write(&key, &readers, span_str("{\"text\":\"planted secret\"}"), &out, &err));
    assert_null(memmem(out.data, out.len, "planted", 7));
    return out;
}

static bool is_open(const struct age_identity *with, size_t n, struct span file, const struct shred_key *k)
{
    struct secret box, plain;
    struct error err;
    char id[SHRED_ID + 1];

    if (!sealed_open_layers(with, n, file, &box, &err)) {
        return false;
    }
    bool is_box = sealed_key_id(secret_span(&box), id);
    assert_true(!is_box || strcmp(id, key.id) == 0);
    bool is_good = is_box && sealed_open_box(k, secret_span(&box), &plain, &err);
    if (is_good) {
        assert_true(span_is(secret_span(&plain), "{\"text\":\"planted secret\"}"));
        secret_deinit(&plain);
    }
    secret_deinit(&box);
    return is_good;
}

static void any_reader_of_the_group_opens_it_with_the_key(void **state)
{
    (void)state;
    struct buf file = seal(2, 0);
    const struct shred_key other = {.id = "0123456789abcdef", .key = {9}}, older = {.id = "fedcba9876543210", .key = {1, 2, 3}};

    assert_true(is_open(&identities[0], 1, buf_span(&file), &key));
    assert_true(is_open(&identities[1], 1, buf_span(&file), &key));
    assert_false(is_open(&identities[2], 1, buf_span(&file), &key));
    assert_false(is_open(identities, 1, buf_span(&file), &other));
    assert_false(is_open(identities, 1, buf_span(&file), &older));
    buf_deinit(&file);
}

static void two_groups_must_agree(void **state)
{
    (void)state;
    struct buf file = seal(1, 2);

    assert_false(is_open(&identities[0], 1, buf_span(&file), &key));
    assert_false(is_open(&identities[1], 2, buf_span(&file), &key));
    assert_true(is_open(identities, 2, buf_span(&file), &key));
    assert_true(is_open(identities, 3, buf_span(&file), &key));
    buf_deinit(&file);
}

static void every_bit_of_the_box_is_authenticated(void **state)
{
    (void)state;
    struct buf file = seal(1, 0);
    struct secret box, plain;
    struct error err;

    assert_true(sealed_open_layers(identities, 1, buf_span(&file), &box, &err));
    for (size_t i = 0; i < box.len; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            box.data[i] = (uint8_t)(box.data[i] ^ 1U << bit);
            assert_false(sealed_open_box(&key, secret_span(&box), &plain, &err));
            box.data[i] = (uint8_t)(box.data[i] ^ 1U << bit);
        }
        assert_false(sealed_open_box(&key, span_of((const char *)box.data, i), &plain, &err));
    }
    secret_deinit(&box);
    buf_deinit(&file);
}

static int drop(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

static void a_file_has_a_random_name_and_is_for_its_owner(void **state)
{
    (void)state;
    char root[] = "/tmp/filterd-blobs.XXXXXX", folder[64], path[PATH_MAX], id[BLOB_ID + 1], second[BLOB_ID + 1];
    struct error err;
    struct stat info;
    struct buf content;

    assert_non_null(mkdtemp(root));
    (void)snprintf(folder, sizeof(folder), "%s/seal", root);
    struct blobs *b = blobs_new(folder, &err);
    assert_true(blobs_add(b, span_str("content"), id, &err) && blobs_add(b, span_str(""), second, &err));
    assert_string_not_equal(id, second);
    assert_true(blobs_sync(b, &err));
    assert_true(blobs_path(folder, span_str(id), path));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    buf_init(&content, 100);
    assert_true(file_read(path, &content, &err));
    assert_true(span_is(buf_span(&content), "content"));
    buf_deinit(&content);
    for (size_t i = 0; i < 100; i++) { /* more than may wait */
        assert_true(blobs_add(b, span_str("content"), id, &err));
    }
    assert_true(blobs_sync(b, &err));
    blobs_free(b);
    assert_int_equal(nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void a_folder_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    char id[BLOB_ID + 1] = "kept", path[PATH_MAX];
    struct error err;
    struct blobs *b = blobs_new("/proc/none/seal", &err);

    assert_false(blobs_add(b, span_str("content"), id, &err));
    assert_string_equal(id, "kept");
    assert_false(blobs_path("/x", span_str("../../etc/passwd................"), path));
    assert_false(blobs_path("/x", span_str("00"), path));
    blobs_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_reader_of_the_group_opens_it_with_the_key),
        cmocka_unit_test(two_groups_must_agree),
        cmocka_unit_test(every_bit_of_the_box_is_authenticated),
        cmocka_unit_test(a_file_has_a_random_name_and_is_for_its_owner),
        cmocka_unit_test(a_folder_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
