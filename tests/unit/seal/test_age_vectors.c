/* C2SP's test vectors of age files, where FILTERD_AGE_VECTORS names their folder (tests/clients/age_vectors). */
#include "testing.h"

#include <dirent.h>
#include <sodium.h>
#include <zlib.h>

#include "base/file.h"
#include "base/digest.h"
#include "seal/age.h"

enum { VECTOR_MAX = 64 * 1024 * 1024 };

struct vector {
    struct span expect, payload, identity;
    bool is_foreign; /* of a kind of file that is not read here: armored, for a passphrase */
    bool is_compressed;
    struct span file;
};

static void read_vector(struct span text, struct vector *v)
{
    *v = (struct vector){0};
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        assert_non_null(end);
        struct span line = span_slice(text, 0, (size_t)(end - text.ptr));
        text = span_slice(text, line.len + 1, text.len);
        const struct {
            const char *name;
            struct span *value;
        } members[] = {{"expect: ", &v->expect}, {"payload: ", &v->payload}, {"identity: ", &v->identity}};
        for (size_t i = 0; i < COUNT(members); i++) {
            if (span_starts_with(line, span_str(members[i].name))) {
                *members[i].value = span_slice(line, strlen(members[i].name), line.len);
            }
        }
        v->is_foreign |= span_starts_with(line, span_str("armored: ")) || span_starts_with(line, span_str("passphrase: "));
        v->is_compressed |= span_is(line, "compressed: zlib");
        if (line.len == 0) {
            break;
        }
    }
    v->file = text;
}

static void inflate_file(struct vector *v, char *room)
{
    uLongf len = VECTOR_MAX;

    if (v->is_compressed) {
        assert_int_equal(uncompress((Bytef *)room, &len, (const Bytef *)v->file.ptr, v->file.len), Z_OK);
        v->file = span_of(room, len);
    }
}

static void check(const char *name, const struct vector *v)
{
    struct age_identity identity;
    struct secret opened;
    struct error err;
    char hex[DIGEST_SHA256_HEX + 1] = "";

    bool is_open = age_identity_read(v->identity, &identity) && age_open(&identity, 1, v->file, &opened, &err);
    if (is_open) {
        assert_true(digest_sha256(secret_span(&opened), hex, &err));
        secret_deinit(&opened);
    }
    bool is_right = is_open == span_is(v->expect, "success") && (!is_open || span_is(v->payload, hex));
    if (!is_right) {
        print_message("%s: %s\n", name, is_open ? "opened" : err.text);
    }
    assert_true(is_right);
}

static void each_vector_has_the_result_that_it_names(void **state)
{
    (void)state;
    const char *folder = getenv("FILTERD_AGE_VECTORS");
    DIR *files = folder == NULL ? NULL : opendir(folder);
    static char room[VECTOR_MAX];
    unsigned n = 0;

    if (folder == NULL) {
        skip();
    }
    assert_non_null(files);
    for (const struct dirent *e = readdir(files); e != NULL; e = readdir(files)) {
        char path[512];
        struct error err;
        struct vector v;
        struct buf text;
        (void)snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        buf_init(&text, VECTOR_MAX);
        if (e->d_name[0] != '.' && file_read(path, &text, &err)) {
            read_vector(buf_span(&text), &v);
            if (!v.is_foreign && span_starts_with(v.identity, span_str("AGE-SECRET-KEY-1"))) {
                inflate_file(&v, room);
                check(e->d_name, &v);
                n++;
            }
        }
        buf_deinit(&text);
    }
    (void)closedir(files);
    print_message("%u vectors\n", n);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_vector_has_the_result_that_it_names)};

    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
