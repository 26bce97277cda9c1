#include "testing.h"

#include "seal/age.h"

/* A pair that age-keygen made. */
#define PUBLIC "age1de9rkdgttec0j3urvn0cfcrt28a6x56k9lcd9tnhucmwh2p8xutqm589r3"
#define PRIVATE "AGE-SECRET-KEY-1Y3FT24GELX3KMCDC6DF7AF644PMYM7XV989M4H7YA780ZK7NCYXS5HHTGS"

static void reads_and_writes_a_pair_of_age_keygen(void **state)
{
    (void)state;
    struct age_identity identity;
    struct age_recipient read, derived;
    char text[AGE_RECIPIENT_TEXT + 1];

    assert_int_equal(AGE_RECIPIENT_TEXT, strlen(PUBLIC));
    assert_int_equal(AGE_IDENTITY_TEXT, strlen(PRIVATE));
    assert_true(age_identity_read(span_str(PRIVATE), &identity));
    assert_true(age_recipient_read(span_str(PUBLIC), &read));
    age_identity_recipient(&identity, &derived);
    assert_memory_equal(read.bytes, derived.bytes, AGE_KEY);
    age_recipient_write(&read, text);
    assert_string_equal(text, PUBLIC);
}

static void a_new_identity_reads_as_itself(void **state)
{
    (void)state;
    struct age_identity made, read;
    char text[AGE_IDENTITY_TEXT + 1];

    age_identity_make(&made, text);
    assert_true(age_identity_read(span_str(text), &read));
    assert_memory_equal(made.bytes, read.bytes, AGE_KEY);
}

/* The checksum finds every change of one character, and of two neighbours that changed places. */
static void refuses_every_change_of_a_character(void **state)
{
    (void)state;
    struct age_recipient r;
    char text[] = PUBLIC;

    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        char was = text[i];
        for (int c = 0; c < 256; c++) {
            text[i] = (char)c;
            assert_int_equal(age_recipient_read(span_of(text, sizeof(text) - 1), &r), (char)c == was);
        }
        text[i] = was;
    }
    for (size_t i = 0; i + 2 < sizeof(text); i++) {
        char a = text[i], b = text[i + 1];
        text[i] = b, text[i + 1] = a;
        assert_int_equal(age_recipient_read(span_of(text, sizeof(text) - 1), &r), a == b);
        text[i] = a, text[i + 1] = b;
    }
}

static void refuses_other_lengths_prefixes_and_cases(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", "age1", "age", PUBLIC "q", "AGE1DE9RKDGTTEC0J3URVN0CFCRT28A6X56K9LCD9TNHUCMWH2P8XUTQM589R3", PRIVATE,
        " " PUBLIC, PUBLIC "\n", "age1pq1de9rkdgttec0j3urvn0cfcrt28a6x56k9lcd9tnhucmwh2p8xutqm589r3"};
    struct age_recipient r;
    struct age_identity identity;
    char small[] = PRIVATE;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(age_recipient_read(span_str(wrong[i]), &r));
    }
    for (size_t i = 0; i < sizeof(PUBLIC) - 1; i++) {
        assert_false(age_recipient_read(span_of(PUBLIC, i), &r));
    }
    assert_false(age_identity_read(span_str(PUBLIC), &identity));
    small[16] = (char)(small[16] | 0x20);
    assert_false(age_identity_read(span_str(small), &identity));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_a_pair_of_age_keygen),
        cmocka_unit_test(a_new_identity_reads_as_itself),
        cmocka_unit_test(refuses_every_change_of_a_character),
        cmocka_unit_test(refuses_other_lengths_prefixes_and_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
