#include "tagger_testing.h"

/* Weighs a word of a list of cities, too. */
static void know_paris(struct made_tagger *f)
{
    made_know_word(&f->parts, "paris", TAGGER_WORD_CITY);
    made_weigh(&f->parts, TAGGER_WORD_CITY, TAGGER_PLACE_BEGINS, 100);
}

static void each_class_is_sought_for_itself(void **state)
{
    static const char text[] = "we met Ann Hara in Paris";
    struct made_tagger *f = *state;
    struct error err;

    know_paris(f);
    f->n_classes = 1;
    assert_true(made_open(f, &err));
    made_find(f, span_str(text));
    assert_int_equal(f->n_found, 1);
    made_assert_found(f, 0, text, "Ann Hara");
    const struct tagger_entity alone = f->found[0];
    f->sought = 1u << TAGGER_CLASS_PLACE;
    made_find(f, span_str(text));
    assert_int_equal(f->n_found, 1);
    made_assert_found(f, 0, text, "Paris");
    assert_int_equal(f->found[0].class, TAGGER_CLASS_PLACE);
    f->sought = (1u << TAGGER_CLASSES) - 1;
    made_find(f, span_str(text));
    assert_int_equal(f->n_found, 2);
    assert_memory_equal(&f->found[0], &alone, sizeof(alone));
    assert_int_equal(f->found[1].class, TAGGER_CLASS_PLACE);
}

static void a_model_without_other_classes_finds_none(void **state)
{
    struct made_tagger *f = *state;
    struct error err;

    know_paris(f);
    assert_true(made_open(f, &err));
    f->sought = (1u << TAGGER_CLASSES) - 1;
    made_find(f, span_str("we met Ann in Paris"));
    assert_int_equal(f->n_found, 1);
    assert_int_equal(f->found[0].class, TAGGER_CLASS_PERSON);
}

static void classes_out_of_range_are_refused(void **state)
{
    struct made_tagger *f = *state;
    struct error err;

    for (unsigned i = 0; i < 5; i++) {
        f->n_classes = i == 0 ? TAGGER_CLASSES : 1; /* the first is none of them */
        f->parts.classes[0] = (struct tagger_class_settings){.floor = i == 1 ? 0 : 0.5f,
                                                             .slope = i == 2 ? -1 : 1,
                                                             .offset = i == 3 ? 1e9f : 0,
                                                             .acts = i == 4 ? 2 : 0};
        assert_false(made_open(f, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        made_close(f);
    }
    f->parts.classes[0] = (struct tagger_class_settings){.floor = 0.5f, .slope = 1, .acts = 1};
    assert_true(made_open(f, &err));
    assert_int_equal(f->tagger.n_classes, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_class_is_sought_for_itself, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(a_model_without_other_classes_finds_none, made_set_up, made_tear_down),
        cmocka_unit_test_setup_teardown(classes_out_of_range_are_refused, made_set_up, made_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
