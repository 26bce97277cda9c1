#include "testing.h"

#include <string.h>

#include "regex/byte_lookup.h"

enum { N_SETS = 200, SEED = 7 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

#ifdef __x86_64__
/* Every byte at every place of a step; bytes of ASCII by the look-up that knows no others, too. */
static void assert_finds_its_bytes(const struct byte_set *set, const bool is_in[UINT8_MAX + 1])
{
    const struct byte_lookup lookup = byte_lookup_of(set);
    const struct byte_lookup ascii = byte_lookup_of(&(const struct byte_set){{set->bits[0], set->bits[1], 0, 0}});
    char bytes[BYTE_LOOKUP_STEP];

    for (unsigned first = 0; first <= UINT8_MAX; first++) {
        uint64_t wanted = 0, wanted_ascii = 0;
        for (unsigned i = 0; i < BYTE_LOOKUP_STEP; i++) {
            unsigned byte = (first + i) % (UINT8_MAX + 1);
            bytes[i] = (char)byte;
            wanted |= (uint64_t)is_in[byte] << i;
            wanted_ascii |= (uint64_t)(is_in[byte] && byte < 128) << i;
        }
        assert_true(byte_lookup_bits(&lookup, bytes) == wanted);
        assert_true(byte_lookup_ascii_bits(&ascii, bytes) == wanted_ascii);
    }
}

static void bytes_of_any_set_are_found(void **state)
{
    uint32_t random = SEED;

    (void)state;
    if (!byte_lookup_is_possible()) {
        skip();
    }
    for (unsigned n = 0; n < N_SETS; n++) {
        struct byte_set set = {{0}};
        bool is_in[UINT8_MAX + 1];
        for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
            is_in[byte] = next_random(&random) % N_SETS < n;
            if (is_in[byte]) {
                byte_set_add(&set, byte);
            }
        }
        assert_finds_its_bytes(&set, is_in);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef __x86_64__
        cmocka_unit_test(bytes_of_any_set_are_found),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
