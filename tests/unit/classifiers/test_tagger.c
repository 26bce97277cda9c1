#include "testing.h"

#include <stdlib.h>

#include "base/buf.h"
#include "classifiers/model_write.h"
#include "classifiers/tagger.h"

/* A model made by hand: a word of a list of given names begins a person, one of surnames goes on
 * with it. */
enum { WORDS = 256, BUCKETS = 1 << 16 };

struct hand_made {
    struct tagger_settings settings;
    struct tagger_word words[WORDS];
    struct tagger_weights weights[BUCKETS];
};

struct fixture {
    struct hand_made parts;
    size_t n_words, n_buckets; /* as written */
    struct buf bytes;
    void *aligned;
    struct model *model;
    struct tagger tagger;
    struct tagger_scratch scratch;
    struct tagger_entity found[64];
    size_t n_found;
};

static void know_word(struct hand_made *m, const char *word, unsigned flags)
{
    uint32_t hash = 0;

    assert_true(tagger_hash_word(span_str(word), &hash));
    for (uint32_t i = hash;; i++) {
        if (m->words[i % WORDS].hash == 0) {
            m->words[i % WORDS] = (struct tagger_word){hash, (uint16_t)flags, 0, 0};
            return;
        }
    }
}

/* What is seen of a capitalised word of exactly these lists. */
static void weigh(struct hand_made *m, unsigned flags, unsigned label, int8_t weight)
{
    m->weights[tagger_mix(27, flags << 8 | TAGGER_TITLE) >> 16].of[label - 1] = weight;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->parts.settings = (struct tagger_settings){.features_version = TAGGER_FEATURES_VERSION,
                                                 .kind = TAGGER_NAMES,
                                                 .weight = 0.1f,
                                                 .floor = 0.5f,
                                                 .slope = 1};
    know_word(&f->parts, "ann", TAGGER_WORD_GIVEN);
    know_word(&f->parts, "hara", TAGGER_WORD_SURNAME);
    weigh(&f->parts, TAGGER_WORD_GIVEN, TAGGER_PERSON_BEGINS, 100);
    weigh(&f->parts, TAGGER_WORD_SURNAME, TAGGER_PERSON, 100);
    f->n_words = WORDS;
    f->n_buckets = BUCKETS;
    buf_init(&f->bytes, MODEL_SIZE_MAX);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    model_close(f->model);
    buf_deinit(&f->bytes);
    free(f->aligned);
    free(f);
    return 0;
}

/* Forgets what was opened before, so that another can be made. */
static void close_made(struct fixture *f)
{
    model_close(f->model);
    f->model = NULL;
    buf_clear(&f->bytes);
    free(f->aligned);
    f->aligned = NULL;
}

static bool open_made(struct fixture *f, struct error *err)
{
    const struct model_part parts[] = {
        {"settings", &f->parts.settings, sizeof(f->parts.settings)},
        {"words", f->parts.words, f->n_words * sizeof(struct tagger_word)},
        {"weights", f->parts.weights, f->n_buckets * sizeof(struct tagger_weights)}};

    assert_true(model_write("tagger", "test", parts, COUNT(parts), &f->bytes, err));
    f->aligned =
        aligned_alloc(MODEL_ALIGN, (f->bytes.len + MODEL_ALIGN - 1) / MODEL_ALIGN * MODEL_ALIGN);
    assert_non_null(f->aligned);
    memcpy(f->aligned, f->bytes.data, f->bytes.len);
    f->model = model_open_bytes(span_of(f->aligned, f->bytes.len), "test", "tagger", err);
    assert_non_null(f->model);
    return tagger_open(&f->tagger, f->model, err);
}

static void note(void *ctx, const struct tagger_entity *entity)
{
    struct fixture *f = ctx;

    assert_true(f->n_found < COUNT(f->found));
    f->found[f->n_found++] = *entity;
}

static void find(struct fixture *f, struct span text)
{
    f->n_found = 0;
    tagger_find(&f->tagger, &f->scratch, text, note, f);
}

static void assert_found(const struct fixture *f, size_t i, const char *text, const char *name)
{
    const struct tagger_entity *e = &f->found[i];

    assert_true(i < f->n_found && e->from < e->to && e->to <= strlen(text));
    assert_int_equal(e->to - e->from, strlen(name));
    assert_memory_equal(text + e->from, name, strlen(name));
    assert_true(e->confidence > 0.5f && e->confidence <= 1);
}

static void names_are_found_where_they_stand(void **state)
{
    static const char text[] = "we met Ann Hara, Ann, and Nobody";
    struct fixture *f = *state;
    struct error err;

    assert_true(open_made(f, &err));
    find(f, span_str(text));
    assert_int_equal(f->n_found, 2);
    assert_found(f, 0, text, "Ann Hara");
    assert_found(f, 1, text, "Ann");
    find(f, span_str("nothing of the kind"));
    assert_int_equal(f->n_found, 0);
    find(f, span_str(""));
    assert_int_equal(f->n_found, 0);
}

/* Whatever another tagger looked up with the same scratch before. */
static void a_tagger_knows_its_own_words_alone(void **state)
{
    struct fixture *f = *state;
    struct error err;

    assert_true(open_made(f, &err));
    find(f, span_str("we met Ann"));
    assert_int_equal(f->n_found, 1);
    close_made(f);
    memset(f->parts.words, 0, sizeof(f->parts.words));
    know_word(&f->parts, "bob", TAGGER_WORD_GIVEN);
    assert_true(open_made(f, &err));
    find(f, span_str("we met Ann"));
    assert_int_equal(f->n_found, 0);
    find(f, span_str("we met Bob"));
    assert_int_equal(f->n_found, 1);
}

static void one_that_begins_ends_the_one_before(void **state)
{
    static const char text[] = "Ann Hara Ann Hara";
    struct fixture *f = *state;
    struct error err;

    assert_true(open_made(f, &err));
    find(f, span_str(text));
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
    struct fixture *f = *state;
    struct error err;

    weigh_shape(&f->parts, 0, TAGGER_SYMBOL, TAGGER_PERSON);
    weigh_shape(&f->parts, 0, TAGGER_INITIAL, TAGGER_PERSON_BEGINS);
    assert_true(open_made(f, &err));
    find(f, span_str(sentences));
    assert_int_equal(f->n_found, 2);
    assert_found(f, 0, sentences, "Ann");
    assert_found(f, 1, sentences, "Hara");
    find(f, span_str(initial));
    assert_int_equal(f->n_found, 1);
    assert_found(f, 0, initial, "J. Hara");
}

/* The words around the names, so that the line is one of our tongue. */
static void know_ordinary_words(struct hand_made *m)
{
    know_word(m, "so", 3 << TAGGER_WORD_OFTEN_SHIFT);
    know_word(m, "left", 2 << TAGGER_WORD_OFTEN_SHIFT);
}

static void a_surname_in_small_letters_is_seen_behind_a_given_name(void **state)
{
    static const char both[] = "so bea oduya left";
    struct fixture *f = *state;
    struct error err;

    know_ordinary_words(&f->parts);
    know_word(&f->parts, "bea", TAGGER_WORD_GIVEN_TOP);
    know_word(&f->parts, "oduya", TAGGER_WORD_SURNAME);
    weigh_shape(&f->parts, TAGGER_WORD_GIVEN_TOP, TAGGER_LOWER, TAGGER_PERSON_BEGINS);
    weigh_shape(&f->parts, TAGGER_WORD_SURNAME, TAGGER_LOWER, TAGGER_PERSON);
    assert_true(open_made(f, &err));
    find(f, span_str(both));
    assert_int_equal(f->n_found, 1);
    assert_found(f, 0, both, "bea oduya");
    find(f, span_str("so oduya left"));
    assert_int_equal(f->n_found, 0);
    find(f, span_str("ja bea oduya ging gern")); /* words of another tongue */
    assert_int_equal(f->n_found, 0);
}

/* A word of no list that texts use as a name is one in small letters, too. */
static void what_is_a_name_elsewhere_is_seen_in_small_letters(void **state)
{
    static const char text[] = "so zorkan left";
    enum { ALWAYS = 6, SELDOM = 1 };
    struct fixture *f = *state;
    struct error err;
    uint32_t hash = 0;

    know_ordinary_words(&f->parts);
    assert_true(tagger_hash_word(span_str("zorkan"), &hash));
    for (unsigned fame = SELDOM; fame <= ALWAYS; fame += ALWAYS - SELDOM) {
        f->parts.words[hash % WORDS] = (struct tagger_word){hash, 0, 0, (uint8_t)fame};
        f->parts.weights[tagger_mix(61, fame << 8 | TAGGER_LOWER) >> 16]
            .of[TAGGER_PERSON_BEGINS - 1] = 100;
        assert_true(open_made(f, &err));
        find(f, span_str(text));
        assert_int_equal(f->n_found, fame == ALWAYS);
        close_made(f);
    }
}

static void weigh_against(struct hand_made *m, uint32_t feature)
{
    m->weights[feature >> 16].of[TAGGER_PERSON_BEGINS - 1] = -100;
}

/* Where the words around are of no text that the list was made from, a listed name may be a word.
 */
static void words_of_another_tongue_are_told_from_names(void **state)
{
    static const char ours[] = "we met Ann there";
    struct fixture *f = *state;
    struct error err;

    know_word(&f->parts, "we", 2 << TAGGER_WORD_OFTEN_SHIFT);
    know_word(&f->parts, "met", 2 << TAGGER_WORD_OFTEN_SHIFT);
    know_word(&f->parts, "there", 3 << TAGGER_WORD_OFTEN_SHIFT);
    know_word(&f->parts, "sind", 1 << TAGGER_WORD_OFTEN_SHIFT);
    weigh_against(&f->parts, tagger_mix(65, TAGGER_TONGUE_OTHER << 8 | TAGGER_TITLE));
    assert_true(open_made(f, &err));
    find(f, span_str(ours));
    assert_int_equal(f->n_found, 1);
    assert_found(f, 0, ours, "Ann");
    find(f, span_str("wir sind Ann dort"));
    assert_int_equal(f->n_found, 0);
    find(f, span_str("sind Ann")); /* too few words to tell */
    assert_int_equal(f->n_found, 1);
}

static void a_place_in_a_row_of_capitals_is_seen(void **state)
{
    enum { BEHIND = 2, FAR = 4 };
    struct fixture *f = *state;
    struct error err;

    weigh_against(&f->parts, tagger_mix(70, 0 << 16 | BEHIND << 8 | TAGGER_TITLE));
    weigh_against(&f->parts, tagger_mix(70, FAR << 16 | 0 << 8 | TAGGER_TITLE));
    assert_true(open_made(f, &err));
    find(f, span_str("Ann Big left"));
    assert_int_equal(f->n_found, 1);
    find(f, span_str("Ann Big House left"));
    assert_int_equal(f->n_found, 0);
    find(f, span_str("so Big House Of Many Ann left"));
    assert_int_equal(f->n_found, 0);
    find(f, span_str("so Big House Of Ann left"));
    assert_int_equal(f->n_found, 1);
}

/* With a capital for its place alone: it is looked at only beside another capital. */
static void an_ordinary_word_that_begins_a_sentence_is_passed_over(void **state)
{
    enum { ORDINARY = TAGGER_WORD_CASE | 2 << TAGGER_WORD_OFTEN_SHIFT };
    static const char both[] = "Bright Ann left";
    struct fixture *f = *state;
    struct error err;

    know_word(&f->parts, "bright", ORDINARY);
    know_word(&f->parts, "grace", ORDINARY | TAGGER_WORD_GIVEN);
    weigh(&f->parts, ORDINARY, TAGGER_PERSON_BEGINS, 100);
    weigh(&f->parts, ORDINARY | TAGGER_WORD_GIVEN, TAGGER_PERSON_BEGINS, 100);
    assert_true(open_made(f, &err));
    find(f, span_str("Bright left"));
    assert_int_equal(f->n_found, 0);
    find(f, span_str("Grace left"));
    assert_int_equal(f->n_found, 1);
    find(f, span_str(both));
    assert_int_equal(f->n_found, 2);
    assert_found(f, 0, both, "Bright");
}

/* Texts longer than what is looked at in one go: nothing is lost or found twice, wherever the name
 * stands. */
static void a_name_is_found_once_in_a_long_text(void **state)
{
    enum { BEFORE = 1100 };
    struct fixture *f = *state;
    struct error err;
    char text[4 * BEFORE + 32];

    assert_true(open_made(f, &err));
    for (size_t n = 480; n < BEFORE; n++) {
        size_t len = 0;
        for (size_t i = 0; i < n; i++) {
            memcpy(text + len, i % 2 == 0 ? "so " : "So ", 3);
            len += 3;
        }
        memcpy(text + len, "Ann Hara so so so", 18);
        find(f, span_of(text, len + 17));
        assert_int_equal(f->n_found, 1);
        assert_int_equal(f->found[0].from, len);
        assert_int_equal(f->found[0].to, len + 8);
    }
}

static void what_cannot_be_a_name_alone_is_cut_all_the_same(void **state)
{
    struct fixture *f = *state;
    struct error err;
    char text[3 * 2000];

    assert_true(open_made(f, &err));
    for (size_t i = 0; i < sizeof(text); i += 3) {
        memcpy(text + i, "So ", 3); /* a run without end */
    }
    find(f, span_of(text, sizeof(text)));
    assert_int_equal(f->n_found, 0);
}

static void settings_out_of_range_are_refused(void **state)
{
    struct fixture *f = *state;
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
        assert_false(open_made(f, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        close_made(f);
    }
}

/* Every hash has a place, whatever their number. */
static void any_number_of_weights_will_do(void **state)
{
    static const size_t sizes[] = {1, 3, 1000, BUCKETS - 1, BUCKETS};
    struct fixture *f = *state;
    struct error err;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        f->n_words = WORDS;
        f->n_buckets = sizes[i];
        assert_true(open_made(f, &err));
        assert_int_equal(tagger_bucket(0, (uint32_t)sizes[i]), 0);
        assert_int_equal(tagger_bucket(UINT32_MAX, (uint32_t)sizes[i]), sizes[i] - 1);
        close_made(f);
    }
    assert_int_equal(tagger_bucket(0x89abcdef, 1 << 16), 0x89ab);
}

static void tables_of_other_sizes_are_refused(void **state)
{
    static const size_t sizes[][2] = {{WORDS - 1, BUCKETS}, {1, BUCKETS}};
    struct fixture *f = *state;
    struct error err;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        f->n_words = sizes[i][0];
        f->n_buckets = sizes[i][1];
        assert_false(open_made(f, &err));
        assert_int_equal(err.kind, ERROR_MALFORMED);
        close_made(f);
    }
}

/* A table without an empty place must not make looking a word up endless. */
static void a_full_word_list_is_searched_to_a_bound(void **state)
{
    struct fixture *f = *state;
    struct error err;

    for (size_t i = 0; i < WORDS; i++) {
        f->parts.words[i].hash = 1;
    }
    assert_true(open_made(f, &err));
    find(f, span_str("Ann Hara"));
    assert_int_equal(f->n_found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_found_where_they_stand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tagger_knows_its_own_words_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_begins_ends_the_one_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_stop_is_in_a_name_behind_an_initial_alone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_surname_in_small_letters_is_seen_behind_a_given_name,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_a_name_elsewhere_is_seen_in_small_letters, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(words_of_another_tongue_are_told_from_names, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_place_in_a_row_of_capitals_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_ordinary_word_that_begins_a_sentence_is_passed_over,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_is_found_once_in_a_long_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_a_name_alone_is_cut_all_the_same, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(settings_out_of_range_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_number_of_weights_will_do, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_of_other_sizes_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_word_list_is_searched_to_a_bound, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
