/* test_automaton.c - the longest end of a text that is in other texts, against a search by hand. */
#include "testing.h"

#include "disclosure/automaton.h"
#include "base/span.h"
#include "support/random.h"

enum { TEXTS = 300, LENGTH = 60 };

static bool is_within(struct span whole, struct span part)
{
    return part.len == 0 || memmem(whole.ptr, whole.len, part.ptr, part.len) != NULL;
}

static size_t longest_end(const struct span *texts, size_t n, struct span text)
{
    for (size_t from = 0; from < text.len; from++) {
        for (size_t i = 0; i < n; i++) {
            if (is_within(texts[i], span_slice(text, from, text.len))) {
                return text.len - from;
            }
        }
    }
    return 0;
}

static struct span make(struct random *r, char *out, size_t letters)
{
    size_t len = 1 + random_below(r, LENGTH - 1);

    for (size_t i = 0; i < len; i++) {
        out[i] = (char)('a' + random_below(r, letters));
    }
    return span_of(out, len);
}

static void each_end_is_the_longest(void **state)
{
    struct random r = {.state = 7};
    char bytes[3][LENGTH];

    (void)state;
    for (size_t i = 0; i < TEXTS; i++) {
        size_t letters = 1 + i % 4;
        const struct span texts[] = {make(&r, bytes[0], letters), make(&r, bytes[1], letters)};
        const struct span text = make(&r, bytes[2], letters);
        struct automaton a = {0};
        struct automaton_place place = {0};
        struct error err;
        for (size_t k = 0; k < COUNT(texts); k++) {
            automaton_break(&a);
            for (size_t n = 0; n < texts[k].len; n++) {
                assert_true(automaton_add(&a, (uint8_t)texts[k].ptr[n], &err));
            }
        }
        for (size_t n = 0; n < text.len; n++) {
            automaton_read(&a, &place, (uint8_t)text.ptr[n]);
            assert_int_equal(place.len, longest_end(texts, COUNT(texts), span_slice(text, 0, n + 1)));
        }
        automaton_deinit(&a);
    }
}

static void without_texts_nothing_is_in_them(void **state)
{
    struct automaton a = {0};
    struct automaton_place place = {0};

    (void)state;
    automaton_read(&a, &place, 'a');
    assert_int_equal(place.len, 0);
    automaton_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_end_is_the_longest),
        cmocka_unit_test(without_texts_nothing_is_in_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
