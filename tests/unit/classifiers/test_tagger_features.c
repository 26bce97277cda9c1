#include "testing.h"

#include "classifiers/tagger.h"

/* A line as the tagger of names sees it, by a word list of a few words. */
enum { WORDS = 64 };

struct fixture {
    struct tagger_word words[WORDS];
    struct tagger_scratch scratch;
    struct tagger_line line;
};

static struct fixture fixture;

static int set_up(void **state)
{
    memset(&fixture, 0, sizeof(fixture));
    *state = &fixture;
    return 0;
}

static void know_word(struct fixture *f, const char *word, unsigned flags, uint8_t group)
{
    uint32_t hash = 0;

    assert_true(tagger_hash_word(span_str(word), &hash));
    assert_int_equal(f->words[hash % WORDS].hash, 0);
    f->words[hash % WORDS] = (struct tagger_word){hash, (uint16_t)flags, group, 0};
}

static void read_line(struct fixture *f, const char *text)
{
    const struct tagger_words words = {f->words, WORDS - 1};
    size_t next = 0;

    f->line = tagger_read_line(&tagger_names, &words, &f->scratch, span_str(text), 0, &next);
}

static bool sees(const struct fixture *f, size_t token, uint32_t template_id, uint32_t value)
{
    uint32_t hashes[TAGGER_FEATURES_MAX];

    assert_true(token < f->line.n && f->line.tokens[token].is_candidate);
    size_t n = tagger_names.features(&f->line, token, hashes);
    assert_true(n <= TAGGER_FEATURES_MAX);
    for (size_t i = 0; i < n; i++) {
        if (hashes[i] == tagger_mix(template_id, value)) {
            return true;
        }
    }
    return false;
}

static uint32_t letters_of(const char *letters)
{
    uint32_t value = 0;

    while (*letters != '\0') {
        value = value << 8 | (unsigned char)*letters++;
    }
    return value;
}

/* Each beginning and each end by itself, apart for words that are known and those that are not. */
static void how_a_word_begins_and_ends_is_seen(void **state)
{
    enum { NOT_KNOWN = 0, A_NAME = 4, AN_ORDINARY_WORD = 3 };
    static const struct {
        uint32_t template_id;
        const char *letters;
    } seen[] = {{73, "n"}, {74, "an"}, {68, "kan"}, {75, "rkan"}, {76, "rka"},
                {77, "z"}, {78, "zo"}, {69, "zor"}, {79, "zork"}, {80, "ork"}};
    struct fixture *f = *state;

    know_word(f, "zorbirkan", TAGGER_WORD_SURNAME, 0);
    know_word(f, "zorkimerkan", 3 << TAGGER_WORD_OFTEN_SHIFT, 0);
    read_line(f, "Zorkan Zorbirkan Zorkimerkan Emelute");
    for (size_t i = 0; i < COUNT(seen); i++) {
        uint32_t letters = letters_of(seen[i].letters);
        uint32_t id = seen[i].template_id;
        assert_true(sees(f, 0, id, tagger_pair(letters, NOT_KNOWN)));
        assert_false(sees(f, 0, id, tagger_pair(letters, A_NAME)));
        assert_false(sees(f, 1, id, tagger_pair(letters, NOT_KNOWN)));
        assert_true(sees(f, 2, id, tagger_pair(letters, AN_ORDINARY_WORD)));
        assert_false(sees(f, 3, id, tagger_pair(letters, NOT_KNOWN)));
    }
    uint32_t ends = letters_of("an");
    assert_true(sees(f, 0, 81, tagger_pair(ends, letters_of("zo"))));
    assert_true(sees(f, 1, 81, tagger_pair(ends, letters_of("zo") | A_NAME << 16)));
}

/* Each word of a name sees the groups of the words before and behind the whole of it. */
static void what_stands_around_a_row_of_capitals_is_seen(void **state)
{
    enum { MET = 7, LEFT = 9, STOP_AND_NAMES = 3 };
    struct fixture *f = *state;

    know_word(f, "met", 0, MET);
    know_word(f, "left", 0, LEFT);
    read_line(f, "met J. Zorka Danlo left");
    for (size_t i = 1; i <= 4; i++) {
        assert_true(sees(f, i, 82, MET << 16 | LEFT));
        assert_true(sees(f, i, 83,
                         tagger_pair(MET << 8 | TAGGER_LOWER, LEFT << 8 | TAGGER_LOWER)));
    }
    assert_true(sees(f, 1, 84, tagger_pair(MET, STOP_AND_NAMES << 8 | TAGGER_INITIAL)));
    assert_true(sees(f, 4, 85, tagger_pair(LEFT, STOP_AND_NAMES << 16 | TAGGER_TITLE)));
    read_line(f, "met a Zorka Danlo left");
    assert_false(sees(f, 2, 82, MET << 16 | LEFT));
    assert_true(sees(f, 2, 82, LEFT));
}

/* The row is followed so far and no farther, and to the line's ends. */
static void a_long_row_of_capitals_has_bounds(void **state)
{
    enum { MET = 7, FAR = 6 };
    struct fixture *f = *state;

    know_word(f, "met", 0, MET);
    read_line(f, "met Aa Bb Cc Dd Ee Ff Gg Hh");
    assert_true(sees(f, 1 + FAR, 84, tagger_pair(MET, FAR << 16 | 1 << 8 | TAGGER_TITLE)));
    assert_true(sees(f, 2 + FAR, 84, tagger_pair(0, FAR << 16 | TAGGER_TITLE)));
    assert_true(sees(f, 2 + FAR, 83, tagger_pair(TAGGER_TITLE, TAGGER_EDGE)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(how_a_word_begins_and_ends_is_seen, set_up),
        cmocka_unit_test_setup(what_stands_around_a_row_of_capitals_is_seen, set_up),
        cmocka_unit_test_setup(a_long_row_of_capitals_has_bounds, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
