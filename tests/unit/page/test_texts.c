#include "testing.h"

#include "page/texts.h"

static size_t places_of(struct span text)
{
    size_t n = 0;

    for (size_t i = 0; i + 1 < text.len; i++) {
        n += text.ptr[i] == '%' && text.ptr[i + 1] == 's';
    }
    return n;
}

static void every_text_is_in_every_language_with_the_same_places(void **state)
{
    (void)state;
    for (int t = TEXT_NONE + 1; t < TEXT_COUNT; t++) {
        size_t places = places_of(word_of(LANGUAGE_ENGLISH, (enum text)t));
        assert_true(places <= 1);
        for (int l = 0; l < LANGUAGE_COUNT; l++) {
            struct span text = word_of((enum language)l, (enum text)t);
            if (text.len == 0 || places_of(text) != places) {
                fail_msg("text %d in %s", t, language_code((enum language)l));
            }
        }
    }
}

static void a_reader_gets_the_best_language_that_there_is(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        enum language expected;
    } cases[] = {
        {"", LANGUAGE_ENGLISH},
        {"de", LANGUAGE_GERMAN},
        {"de-AT,de;q=0.9,en;q=0.8", LANGUAGE_GERMAN},
        {"en-GB,en;q=0.9,de;q=0.8", LANGUAGE_ENGLISH},
        {"fr;q=1, DE;q=0.5, en;q=0.4", LANGUAGE_GERMAN},
        {"de;q=0, en;q=0.1", LANGUAGE_ENGLISH},
        {"de;q=0.05, en;q=0.1", LANGUAGE_ENGLISH},
        {"deu", LANGUAGE_ENGLISH},
        {",;q=,,de;q", LANGUAGE_GERMAN},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (language_accepted(span_str(cases[i].header)) != cases[i].expected) {
            fail_msg("%s", cases[i].header);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_is_in_every_language_with_the_same_places),
        cmocka_unit_test(a_reader_gets_the_best_language_that_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
