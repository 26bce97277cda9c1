#include "tagger_testing.h"

static void names_are_found_where_they_stand(void **state)
{
    static const char text[] = "we met Ann Hara, Ann, and Nobody";
    struct made_tagger *f = *state;
    struct error err;

    assert_true(made_open(f, &err));
    made_find(f, span_str(text));
    assert_int_equal(f->n_found, 2);
    made_assert_found(f, 0, text, "Ann Hara");
    made_assert_found(f, 1, text, "Ann");
    made_find(f, span_str("nothing of the kind"));
    assert_int_equal(f->n_found, 0);
    made_find(f, span_str(""));
    assert_int_equal(f->n_found, 0);
}

/* Whatever another tagger looked up with the same scratch before. */
static void a_tagger_knows_its_own_words_alone(void **state)
{
    struct made_tagger *f = *state;
    struct error err;

    assert_true(made_open(f, &err));
    made_find(f, span_str("we met Ann"));
    assert_int_equal(f->n_found, 1);
    made_close(f);
    memset(f->parts.words, 0, sizeof(f->parts.words));
    made_know_word(&f->parts, "bob", TAGGER_WORD_GIVEN);
    assert_true(made_open(f, &err));
    made_find(f, span_str("we met Ann"));
    assert_int_equal(f->n_found, 0);
    made_find(f, span_str("we met Bob"));
    assert_int_equal(f->n_found, 1);
}

static void one_that_begins_ends_the_one_before(void **state)
{
    static const char text[] = "Ann Hara Ann Hara";
    struct made_tagger *f = *state;
    struct error err;

    assert_true(made_open(f, &err));
    made_find(f, span_str(text));
    assert_int_equal(f->n_found, 2);
    assert_int_equal(f->found[1].from, 9);
}

static void weigh_shape(struct hand_made *m, unsigned flags, enum tagger_shape shape,
                        unsigned label)
{
    m->weights[tagger_mix(27, flags << 8 | shape) >> 16].of[label - 1] = 100;
}

static void a_full_stop_is_in_a_name_behind_an_initial_alone(void **state)
{
    static const char sentences[] = "we met Ann. Hara left";
    static const char initial[] = "we met J. Hara";
    struct made_tagger *f = *state;
    struct error err;

    weigh_shape(&f->parts, 0, TAGGER_SYMBOL, TAGGER_PERSON);
    weigh_shape(&f->parts, 0, TAGGER_INITIAL, TAGGER_PERSON_BEGINS);
    assert_true(made_open(f, &err));
    made_find(f, span_str(sentences));
    assert_int_equal(f->n_found, 2);
    made_assert_found(f, 0, sentences, "Ann");
    made_assert_found(f, 1, sentences, "Hara");
    made_find(f, span_str(initial));
    assert_int_equal(f->n_found, 1);
    made_assert_found(f, 0, initial, "J. Hara");
}

/* The words around the names, so that the line is one of our language. */
static void know_ordinary_words(struct hand_made *m)
{
    made_know_word(m, "so", 3 << TAGGER_WORD_OFTEN_SHIFT);
    made_know_word(m, "left", 2 << TAGGER_WORD_OFTEN_SHIFT);
}

static void a_surname_in_small_letters_is_seen_behind_a_given_name(void **state)
{
    static const char both[] = "so bea oduya left";
    struct made_tagger *f = *state;
    struct error err;

    know_ordinary_words(&f->parts);
    made_know_word(&f->parts, "bea", TAGGER_WORD_GIVEN_TOP);
    made_know_word(&f->parts, "oduya", TAGGER_WORD_SURNAME);
    weigh_shape(&f->parts, TAGGER_WORD_GIVEN_TOP, TAGGER_LOWER, TAGGER_PERSON_BEGINS);
    weigh_shape(&f->parts, TAGGER_WORD_SURNAME, TAGGER_LOWER, TAGGER_PERSON);
    assert_true(made_open(f, &err));
    made_find(f, span_str(both));
    assert_int_equal(f->n_found, 1);
    made_assert_found(f, 0, both, "bea oduya");
    made_find(f, span_str("so oduya left"));
    assert_int_equal(f->n_found, 0);
    made_find(f, span_str("ja bea oduya ging gern")); /* words of another language */
    assert_int_equal(f->n_found, 0);
}

/* A word of no list that texts use as a name is one in small letters, too. */
static void what_is_a_name_elsewhere_is_seen_in_small_letters(void **state)
{
    static const char text[] = "so zorkan left";
    enum { ALWAYS = 6, SELDOM = 1 };
    struct made_tagger *f = *state;
    struct error err;
    uint32_t hash = 0;

    know_ordinary_words(&f->parts);
    assert_true(tagger_hash_word(span_str("zorkan"), &hash));
    for (unsigned fame = SELDOM; fame <= ALWAYS; fame += ALWAYS - SELDOM) {
        f->parts.words[hash % MADE_WORDS] = (struct tagger_word){hash, 0, 0, (uint8_t)fame};
        f->parts.weights[tagger_mix(61, fame << 8 | TAGGER_LOWER) >> 16]
            .of[TAGGER_PERSON_BEGINS - 1] = 100;
        assert_true(made_open(f, &err));
        made_find(f, span_str(text));
        assert_int_equal(f->n_found, fame == ALWAYS);
        made_close(f);
    }
}

static void weigh_against(struct hand_made *m, uint32_t feature)
{
    m->weights[feature >> 16].of[TAGGER_PERSON_BEGINS - 1] = -100;
}

/* Where the words around are of no text that the list was made from, a listed name may be a word.
 */
static void words_of_another_language_are_distinguished_from_names(void **state)
{
    static const char ours[] = "we met Ann there";
    struct made_tagger *f = *state;
    struct error err;

    made_know_word(&f->parts, "we", 2 << TAGGER_WORD_OFTEN_SHIFT);
    made_know_word(&f->parts, "met", 2 << TAGGER_WORD_OFTEN_SHIFT);
    made_know_word(&f->parts, "there", 3 << TAGGER_WORD_OFTEN_SHIFT);
    made_know_word(&f->parts, "sind", 1 << TAGGER_WORD_OFTEN_SHIFT);
    weigh_against(&f->parts, tagger_mix(65, TAGGER_LANGUAGE_OTHER << 8 | TAGGER_TITLE));
    assert_true(made_open(f, &err));
    made_find(f, span_str(ours));
    assert_int_equal(f->n_found, 1);
    made_assert_found(f, 0, ours, "Ann");
    made_find(f, span_str("wir sind Ann dort"));
    assert_int_equal(f->n_found, 0);
    made_find(f, span_str("sind Ann")); /* too few words to tell */
    assert_int_equal(f->n_found, 1);
}

static void a_place_in_a_row_of_capitals_is_seen(void **state)
{
    enum { BEHIND = 2, FAR = 4 };
    struct made_tagger *f = *state;
    struct error err;

    weigh_against(&f->parts, tagger_mix(70, 0 << 16 | BEHIND << 8 | TAGGER_TITLE));
    weigh_against(&f->parts, tagger_mix(70, FAR << 16 | 0 << 8 | TAGGER_TITLE));
    assert_true(made_open(f, &err));
    made_find(f, span_str("Ann Big left"));
    assert_int_equal(f->n_found, 1);
    made_find(f, span_str("Ann Big House left"));
    assert_int_equal(f->n_found, 0);
    made_find(f, span_str("so Big House Of Many Ann left"));
    assert_int_equal(f->n_found, 0);
    made_find(f, span_str("so Big House Of Ann left"));
    assert_int_equal(f->n_found, 1);
}

/* With a capital for its place alone: it is looked at only beside another capital. */
static void an_ordinary_word_that_begins_a_sentence_is_passed_over(void **state)
{
    enum { ORDINARY = TAGGER_WORD_CASE | 2 << TAGGER_WORD_OFTEN_SHIFT };
    static const char both[] = "Bright Ann left";
    struct made_tagger *f = *state;
    struct error err;

    made_know_word(&f->parts, "bright", ORDINARY);
    made_know_word(&f->parts, "grace", ORDINARY | TAGGER_WORD_GIVEN);
    made_weigh(&f->parts, ORDINARY, TAGGER_PERSON_BEGINS, 100);
    made_weigh(&f->parts, ORDINARY | TAGGER_WORD_GIVEN, TAGGER_PERSON_BEGINS, 100);
    assert_true(made_open(f, &err));
    made_find(f, span_str("Bright left"));
    assert_int_equal(f->n_found, 0);
    made_find(f, span_str("Grace left"));
    assert_int_equal(f->n_found, 1);
    made_find(f, span_str(both));
    assert_int_equal(f->n_found, 2);
    made_assert_found(f, 0, both, "Bright");
}

/* Texts longer than what is looked at in one go: nothing is lost or found twice, wherever the name
 * stands. */
static void a_name_is_found_once_in_a_long_text(void **state)
{
    enum { BEFORE = 1100 };
    struct made_tagger *f = *state;
    struct error err;
    char text[4 * BEFORE + 32];

    assert_true(made_open(f, &err));
    for (size_t n = 480; n < BEFORE; n++) {
        size_t len = 0;
        for (size_t i = 0; i < n; i++) {
            memcpy(text + len, i % 2 == 0 ? "so " : "So ", 3);
            len += 3;
        }
        memcpy(text + len, "Ann Hara so so so", 18);
        made_find(f, span_of(text, len + 17));
        assert_int_equal(f->n_found, 1);
        assert_int_equal(f->found[0].from, len);
        assert_int_equal(f->found[0].to, len + 8);
    }
}

static void what_cannot_be_a_name_alone_is_cut_all_the_same(void **state)
{
    struct made_tagger *f = *state;
    struct error err;
    char text[3 * 2000];

    assert_true(made_open(f, &err));
    for (size_t i = 0; i < sizeof(text); i += 3) {
        memcpy(text + i, "So ", 3); /* a run without end */
    }
    made_find(f, span_of(text, sizeof(text)));
    assert_int_equal(f->n_found, 0);
}

static void settings_out_of_range_are_refused(void **state)
{
    struct made_tagger *f = *state;
    struct tagger_settings *s = &f->parts.settings;
    const struct tagger_settings good = *s;
    struct error err;
    const float not_a_number = __builtin_nanf("");

    for (unsigned i = 0; i < 9; i++) {
        *s = good;
        s->features_version += i == 0;
        s->kind = i == 1 ? TAGGER_KINDS : s->kind;
        s->weight = i == 2 ? not_a_number : s->weight;
        s->floor = i == 3 ? 0 : s->floor;
        s->slope = i == 4 ? -1 : s->slope;
        s->offset = i == 5 ? 1e9f : s->offset;
        s->step[8][8] = i == 6 ? not_a_number : 0;
        s->step[0][1] = i == 7 ? 1e9f : 0;
        s->zero = i == 8;
        assert_false(made_open(f, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        made_close(f);
    }
}

/* Every hash has a place, whatever their number. */
static void any_number_of_weights_will_do(void **state)
{
    static const size_t sizes[] = {1, 3, 1000, MADE_BUCKETS - 1, MADE_BUCKETS};
    struct made_tagger *f = *state;
    struct error err;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        f->n_words = MADE_WORDS;
        f->n_buckets = sizes[i];
        assert_true(made_open(f, &err));
        assert_int_equal(tagger_bucket(0, (uint32_t)sizes[i]), 0);
        assert_int_equal(tagger_bucket(UINT32_MAX, (uint32_t)sizes[i]), sizes[i] - 1);
        made_close(f);
    }
    assert_int_equal(tagger_bucket(0x89abcdef, 1 << 16), 0x89ab);
}

static void tables_of_other_sizes_are_refused(void **state)
{
    static const size_t sizes[][2] = {{MADE_WORDS - 1, MADE_BUCKETS}, {1, MADE_BUCKETS}};
    struct made_tagger *f = *state;
    struct error err;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        f->n_words = sizes[i][0];
        f->n_buckets = sizes[i][1];
        assert_false(made_open(f, &err));
        assert_int_equal(err.kind, ERROR_MALFORMED);
        made_close(f);
    }
}

/* A table without an empty place must not make looking a word up endless. */
static void a_full_word_list_is_searched_to_a_bound(void **state)
{
    struct made_tagger *f = *state;
    struct error err;

    for (size_t i = 0; i < MADE_WORDS; i++) {
        f->parts.words[i].hash = 1;
    }
    assert_true(made_open(f, &err));
    made_find(f, span_str("Ann Hara"));
    assert_int_equal(f->n_found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_found_where_they_stand, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(a_tagger_knows_its_own_words_alone, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(one_that_begins_ends_the_one_before, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(a_full_stop_is_in_a_name_behind_an_initial_alone, made_set_up,
                                        made_tear_down),
        cmocka_unit_test_setup_teardown(a_surname_in_small_letters_is_seen_behind_a_given_name,
                                        made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(what_is_a_name_elsewhere_is_seen_in_small_letters, made_set_up,
                                        made_tear_down),
        cmocka_unit_test_setup_teardown(words_of_another_language_are_distinguished_from_names, made_set_up,
                                        made_tear_down),
        cmocka_unit_test_setup_teardown(a_place_in_a_row_of_capitals_is_seen, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(an_ordinary_word_that_begins_a_sentence_is_passed_over,
                                        made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(a_name_is_found_once_in_a_long_text, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_a_name_alone_is_cut_all_the_same, made_set_up,
                                        made_tear_down),
        cmocka_unit_test_setup_teardown(settings_out_of_range_are_refused, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(any_number_of_weights_will_do, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(tables_of_other_sizes_are_refused, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(a_full_word_list_is_searched_to_a_bound, made_set_up, made_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
