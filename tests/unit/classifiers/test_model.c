#include "testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "classifiers/model_write.h"

static const uint32_t numbers[5] = {1, 2, 3, 4, 5};
static const struct model_part two_parts[] = {
    {"numbers", numbers, sizeof(numbers)},
    {"words", "abcdefg", 7},
};

/* A copy that begins where a model has to. */
struct bytes {
    char *at;
    size_t len;
};

static struct bytes made(void)
{
    struct buf out;
    struct error err;

    buf_init(&out, MODEL_SIZE_MAX);
    assert_true(model_write("linear", "heads", two_parts, COUNT(two_parts), &out, &err));
    struct bytes bytes = {.at = aligned_alloc(MODEL_ALIGN, (out.len + 63) / 64 * 64), .len = out.len};
    assert_non_null(bytes.at);
    memcpy(bytes.at, out.data, out.len);
    buf_deinit(&out);
    return bytes;
}

/* What an attacker can do: change anything and make the digest anew. */
static void sign(struct bytes bytes)
{
    char hex[DIGEST_SHA256_HEX + 1];
    struct error err;

    assert_true(digest_sha256(span_of(bytes.at, bytes.len - DIGEST_SHA256_HEX), hex, &err));
    memcpy(bytes.at + bytes.len - DIGEST_SHA256_HEX, hex, DIGEST_SHA256_HEX);
}

static bool opens(struct bytes bytes, struct error *err)
{
    struct model *m = model_open_bytes(span_of(bytes.at, bytes.len), "test", "linear", err);
    bool is_open = m != NULL;

    model_close(m);
    return is_open;
}

static void what_was_written_is_read(void **state)
{
    struct bytes bytes = made();
    struct error err;
    size_t n = 0;
    (void)state;
    struct model *m = model_open_bytes(span_of(bytes.at, bytes.len), "test", "linear", &err);
    assert_non_null(m);
    assert_true(span_is(model_name(m), "heads"));
    assert_int_equal(model_digest(m).len, DIGEST_SHA256_HEX);
    const uint32_t *read = model_array(m, "numbers", sizeof(*read), &n, &err);
    assert_int_equal(n, COUNT(numbers));
    assert_memory_equal(read, numbers, sizeof(numbers));
    assert_int_equal((uintptr_t)read % MODEL_ALIGN, 0);
    assert_memory_equal(model_struct(m, "words", 7, &err), "abcdefg", 7);
    assert_true(model_has(m, "words"));
    assert_false(model_has(m, "word"));
    model_close(m);
    free(bytes.at);
}

static void the_same_parts_are_the_same_bytes(void **state)
{
    struct bytes a = made(), b = made();
    (void)state;
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.at, b.at, a.len);
    free(a.at);
    free(b.at);
}

static void a_section_of_another_size_is_refused(void **state)
{
    struct bytes bytes = made();
    struct error err;
    size_t n = 0;
    (void)state;
    struct model *m = model_open_bytes(span_of(bytes.at, bytes.len), "test", "linear", &err);
    assert_non_null(m);
    assert_null(model_array(m, "words", 4, &n, &err));
    assert_null(model_array(m, "nothing", 1, &n, &err));
    assert_null(model_struct(m, "numbers", 4, &err));
    assert_int_equal(n, 0);
    model_close(m);
    free(bytes.at);
}

static void a_change_of_any_byte_is_seen(void **state)
{
    struct bytes bytes = made();
    struct error err;
    (void)state;
    for (size_t i = 0; i < bytes.len; i++) {
        bytes.at[i] ^= 1;
        assert_false(opens(bytes, &err));
        bytes.at[i] ^= 1;
    }
    assert_true(opens(bytes, &err));
    free(bytes.at);
}

static void a_model_cut_short_anywhere_is_refused(void **state)
{
    struct bytes bytes = made();
    struct error err;
    (void)state;
    for (size_t len = 0; len < bytes.len; len++) {
        char *cut = aligned_alloc(MODEL_ALIGN, (len + 64) / 64 * 64);
        assert_non_null(cut);
        memcpy(cut, bytes.at, len);
        assert_false(opens((struct bytes){cut, len}, &err));
        free(cut);
    }
    free(bytes.at);
}

static void sections_that_lie_are_refused_under_a_right_digest(void **state)
{
    static const struct {
        size_t section;
        uint64_t from, len;
    } lies[] = {
        {0, 0, 20},          {0, 64, 20},          {0, 129, 20},       {0, 128, UINT64_MAX}, {0, UINT64_MAX - 63, 64},
        {0, 128, 1 << 20},   {1, 128, 7},          {1, 1 << 30, 7},    {1, 192, 100},        {0, 192, 20},
        {1, 192, UINT64_MAX}, {0, 1ULL << 63, 64},
    };
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT(lies); i++) {
        struct bytes bytes = made();
        struct model_section section;
        char *at = bytes.at + sizeof(struct model_header) + lies[i].section * sizeof(section);
        memcpy(&section, at, sizeof(section));
        section.from = lies[i].from;
        section.len = lies[i].len;
        memcpy(at, &section, sizeof(section));
        sign(bytes);
        assert_false(opens(bytes, &err));
        assert_int_equal(err.kind, ERROR_MALFORMED);
        free(bytes.at);
    }
}

static void headers_that_lie_are_refused_under_a_right_digest(void **state)
{
    static const struct {
        size_t offset;
        unsigned char value;
    } lies[] = {{0, 'X'}, {8, 2}, {12, 0}, {12, 65}, {15, 255}, {16, 0}, {16, 'A'}, {31, 'a'}, {32, 0}, {48, 0}, {56, 1}, {64, 'w'}};
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT(lies); i++) {
        struct bytes bytes = made();
        bytes.at[lies[i].offset] = (char)lies[i].value;
        if (lies[i].offset == 64) { /* both sections of one name */
            memcpy(bytes.at + 64, bytes.at + 96, MODEL_NAME);
        }
        sign(bytes);
        assert_false(opens(bytes, &err));
        free(bytes.at);
    }
}

static void a_model_of_another_kind_is_refused(void **state)
{
    struct bytes bytes = made();
    struct error err;
    (void)state;
    assert_null(model_open_bytes(span_of(bytes.at, bytes.len), "test", "tagger", &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    free(bytes.at);
}

static void what_nobody_could_open_is_not_written(void **state)
{
    static const struct model_part empty[] = {{"a", "", 0}}, twice[] = {{"a", "x", 1}, {"a", "y", 1}}, unnamed[] = {{"A b", "x", 1}};
    struct buf out;
    struct error err;
    (void)state;
    buf_init(&out, MODEL_SIZE_MAX);
    assert_false(model_write("linear", "heads", empty, 1, &out, &err));
    buf_clear(&out);
    assert_false(model_write("linear", "heads", twice, 2, &out, &err));
    buf_clear(&out);
    assert_false(model_write("linear", "heads", unnamed, 1, &out, &err));
    buf_clear(&out);
    assert_false(model_write("a name that is too long", "heads", two_parts, 2, &out, &err));
    buf_deinit(&out);
}

static void a_file_is_read_whole_and_survives_being_cut(void **state)
{
    char path[] = "/tmp/filterd-model-XXXXXX";
    struct bytes bytes = made();
    struct error err;
    size_t n = 0;
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.at, bytes.len), bytes.len);
    struct model *m = model_open_file(path, "linear", &err);
    assert_non_null(m);
    assert_int_equal(ftruncate(fd, 0), 0);
    const uint32_t *read = model_array(m, "numbers", sizeof(*read), &n, &err);
    assert_memory_equal(read, numbers, sizeof(numbers));
    model_close(m);
    assert_null(model_open_file(path, "linear", &err));
    close(fd);
    assert_int_equal(unlink(path), 0);
    assert_null(model_open_file(path, "linear", &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    free(bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(the_same_parts_are_the_same_bytes),
        cmocka_unit_test(a_section_of_another_size_is_refused),
        cmocka_unit_test(a_change_of_any_byte_is_seen),
        cmocka_unit_test(a_model_cut_short_anywhere_is_refused),
        cmocka_unit_test(sections_that_lie_are_refused_under_a_right_digest),
        cmocka_unit_test(headers_that_lie_are_refused_under_a_right_digest),
        cmocka_unit_test(a_model_of_another_kind_is_refused),
        cmocka_unit_test(what_nobody_could_open_is_not_written),
        cmocka_unit_test(a_file_is_read_whole_and_survives_being_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
