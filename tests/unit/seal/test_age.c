#include "testing.h"

#include <sodium.h>

#include "seal/age.h"

enum { CHUNK = 64 * 1024, KEYS = 3 };

struct fixture {
    struct age_identity identities[KEYS];
    struct age_recipient recipients[KEYS];
    struct buf file;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    char text[AGE_IDENTITY_TEXT + 1];

    assert_true(sodium_init() >= 0);
    for (size_t i = 0; i < KEYS; i++) {
        age_identity_make(&f->identities[i], text);
        age_identity_recipient(&f->identities[i], &f->recipients[i]);
    }
    buf_init(&f->file, 8 * CHUNK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    buf_deinit(&f->file);
    free(f);
    return 0;
}

static void seal(struct fixture *f, size_t n, struct span plain)
{
    struct error err;

    buf_clear(&f->file);
    assert_true(age_seal(f->recipients, n, plain, &f->file, &err));
}

static void assert_opens(const struct fixture *f, size_t identity, struct span plain)
{
    struct secret opened;
    struct error err;

    assert_true(age_open(&f->identities[identity], 1, buf_span(&f->file), &opened, &err));
    assert_int_equal(opened.len, plain.len);
    assert_memory_equal(opened.data, plain.ptr, plain.len);
    secret_deinit(&opened);
}

static enum error_kind refusal(const struct age_identity *identities, size_t n, struct span file)
{
    struct secret opened = {0};
    struct error err;

    assert_false(age_open(identities, n, file, &opened, &err));
    assert_null(opened.data);
    return err.kind;
}

static void each_recipient_opens_a_file_of_any_length(void **state)
{
    static const size_t lengths[] = {0, 1, 15, 16, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 7};
    static char plain[3 * CHUNK];
    struct fixture *f = *state;

    randombytes_buf(plain, sizeof(plain));
    for (size_t i = 0; i < COUNT(lengths); i++) {
        seal(f, KEYS - 1, span_of(plain, lengths[i]));
        assert_opens(f, 0, span_of(plain, lengths[i]));
        assert_opens(f, 1, span_of(plain, lengths[i]));
        assert_int_equal(refusal(&f->identities[2], 1, buf_span(&f->file)), ERROR_DENIED);
        assert_int_equal(refusal(NULL, 0, buf_span(&f->file)), ERROR_DENIED);
    }
}

static void two_files_of_one_text_have_nothing_in_common(void **state)
{
    struct fixture *f = *state;
    struct buf first;
    struct error err;
    const struct span plain = span_str("the same text in both");

    buf_init(&first, CHUNK);
    assert_true(age_seal(f->recipients, 1, plain, &first, &err));
    seal(f, 1, plain);
    assert_int_equal(first.len, f->file.len);
    assert_memory_not_equal(first.data + first.len - plain.len - 16, f->file.data + f->file.len - plain.len - 16, plain.len);
    buf_deinit(&first);
}

static void every_bit_flip_is_refused(void **state)
{
    struct fixture *f = *state;

    seal(f, 2, span_str("a short payload"));
    for (size_t i = 0; i < f->file.len; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            f->file.data[i] = (char)(f->file.data[i] ^ 1 << bit);
            (void)refusal(f->identities, 1, buf_span(&f->file));
            f->file.data[i] = (char)(f->file.data[i] ^ 1 << bit);
        }
    }
    assert_opens(f, 0, span_str("a short payload"));
}

/* Of a payload of several chunks each of their ends is where a cut could be overlooked. */
static void every_truncation_is_refused(void **state)
{
    static char plain[2 * CHUNK + 1];
    struct fixture *f = *state;

    seal(f, 2, span_str("a short payload"));
    for (size_t i = 0; i < f->file.len; i++) {
        (void)refusal(f->identities, 1, span_of(f->file.data, i));
    }
    seal(f, 1, span_of(plain, sizeof(plain)));
    size_t payload = f->file.len - sizeof(plain) - 3 * 16 - 16;
    for (size_t n = 0; n <= 2; n++) {
        size_t end = payload + 16 + n * (CHUNK + 16);
        for (size_t cut = end - 17; cut <= end + 17 && cut < f->file.len; cut++) {
            (void)refusal(f->identities, 1, span_of(f->file.data, cut));
        }
    }
}

static void what_is_added_or_moved_is_refused(void **state)
{
    static char plain[3 * CHUNK];
    struct fixture *f = *state;
    struct error err;
    char chunk[CHUNK + 16];

    seal(f, 1, span_str("text"));
    assert_true(buf_append_char(&f->file, '\0', &err));
    (void)refusal(f->identities, 1, buf_span(&f->file));
    randombytes_buf(plain, sizeof(plain));
    seal(f, 1, span_of(plain, sizeof(plain)));
    char *first = f->file.data + f->file.len - 3 * sizeof(chunk), *second = first + sizeof(chunk);
    memcpy(chunk, first, sizeof(chunk));
    memcpy(first, second, sizeof(chunk));
    memcpy(second, chunk, sizeof(chunk));
    (void)refusal(f->identities, 1, buf_span(&f->file));
}

static void rewrap_gives_the_same_payload_to_others(void **state)
{
    struct fixture *f = *state;
    struct buf again;
    struct error err;
    const struct span plain = span_str("the payload stays");

    buf_init(&again, CHUNK);
    seal(f, 1, plain);
    assert_false(age_rewrap(&f->identities[1], 1, buf_span(&f->file), &f->recipients[1], 2, &again, &err));
    assert_int_equal(again.len, 0);
    assert_true(age_rewrap(f->identities, 1, buf_span(&f->file), &f->recipients[1], 2, &again, &err));
    size_t len = 16 + plain.len + 16;
    assert_memory_equal(again.data + again.len - len, f->file.data + f->file.len - len, len);
    assert_int_equal(refusal(f->identities, 1, buf_span(&again)), ERROR_DENIED);
    struct buf old = f->file;
    f->file = again;
    assert_opens(f, 1, plain);
    assert_opens(f, 2, plain);
    f->file = old;
    buf_deinit(&again);
}

static void a_stanza_that_is_added_is_refused(void **state)
{
    struct fixture *f = *state;
    struct secret opened = {0};
    struct error err;
    char text[4096];

    seal(f, 1, span_str("text"));
    const char *begin = f->file.data, *after = strchr(begin, '\n') + 1;
    int len = snprintf(text, sizeof(text), "%.*s-> grease a b c\nAAAA\n", (int)(after - begin), begin);
    memcpy(text + len, after, f->file.len - (size_t)(after - begin));
    assert_false(age_open(f->identities, 1, span_of(text, (size_t)len + f->file.len - (size_t)(after - begin)), &opened, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
}

static void refuses_a_recipient_of_low_order_and_too_many(void **state)
{
    static struct age_recipient many[AGE_STANZAS_MAX + 1];
    struct fixture *f = *state;
    const struct age_recipient zero = {{0}}, one = {{1}};
    struct error err;

    assert_false(age_seal(&zero, 1, span_str("text"), &f->file, &err));
    assert_false(age_seal(&one, 1, span_str("text"), &f->file, &err));
    assert_false(age_seal(f->recipients, 0, span_str("text"), &f->file, &err));
    for (size_t i = 0; i < COUNT(many); i++) {
        many[i] = f->recipients[i % KEYS];
    }
    assert_false(age_seal(many, COUNT(many), span_str("text"), &f->file, &err));
    assert_int_equal(f->file.len, 0);
    assert_true(age_seal(many, AGE_STANZAS_MAX, span_str("text"), &f->file, &err));
    assert_opens(f, 2, span_str("text"));
}

static void identities_are_read_as_age_keygen_writes_them(void **state)
{
    struct fixture *f = *state;
    struct age_identity read[AGE_IDENTITIES_MAX];
    struct error err;
    char text[512], key[AGE_IDENTITY_TEXT + 1];
    size_t n = 0;

    age_identity_make(&f->identities[0], key);
    (void)snprintf(text, sizeof(text), "# created: today\r\n# public key: age1…\n\n%s\r\n", key);
    assert_true(age_identities_read("key.txt", span_str(text), read, &n, &err));
    assert_int_equal(n, 1);
    assert_memory_equal(read[0].bytes, f->identities[0].bytes, AGE_KEY);
    (void)snprintf(text, sizeof(text), "# none\n%.40s\n", key);
    assert_false(age_identities_read("key.txt", span_str(text), read, &n, &err));
    assert_non_null(strstr(err.text, "key.txt:2:1: "));
    assert_null(strstr(err.text, "SECRET-KEY-1Q"));
    assert_false(age_identities_read("key.txt", span_str("# none\n"), read, &n, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_recipient_opens_a_file_of_any_length, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_files_of_one_text_have_nothing_in_common, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_bit_flip_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_truncation_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_added_or_moved_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rewrap_gives_the_same_payload_to_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stanza_that_is_added_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_a_recipient_of_low_order_and_too_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(identities_are_read_as_age_keygen_writes_them, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
