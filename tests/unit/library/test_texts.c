/* test_texts.c - texts of Arrow arrays: each form, slices, nulls, and arrays that lie. */
#include "testing.h"

#include "library/texts.h"
#include "unit/library/library_testing.h"

static const char *const sample[] = {"", "short", NULL, "exactly 12 b", "a text that is longer than a view", "äöü", NULL};
enum { SAMPLE = sizeof(sample) / sizeof(sample[0]) };

static void assert_sample(const char *format, size_t offset)
{
    static struct text_array t;
    struct texts texts;
    struct span text;
    struct error err;

    make_texts(&t, format, sample, SAMPLE, offset);
    assert_true(texts_open(&t.array, &t.schema, &texts, &err));
    assert_int_equal(texts.n, SAMPLE);
    for (size_t i = 0; i < SAMPLE; i++) {
        assert_int_equal(texts_get(&texts, i, &text), sample[i] != NULL);
        if (sample[i] != NULL) {
            assert_true(span_is(text, sample[i]));
        }
    }
}

static void each_form_gives_its_texts(void **state)
{
    (void)state;
    for (size_t offset = 0; offset < 12; offset += 3) {
        assert_sample("u", offset);
        assert_sample("U", offset);
        assert_sample("vu", offset);
    }
}

static void an_empty_array_needs_no_buffers(void **state)
{
    static struct text_array t;
    struct texts texts;
    struct error err;

    (void)state;
    make_texts(&t, "u", sample, 0, 0);
    memset(t.buffers, 0, sizeof(t.buffers));
    assert_true(texts_open(&t.array, &t.schema, &texts, &err));
    assert_int_equal(texts.n, 0);
}

static void assert_lie(struct text_array *t, const char *expected)
{
    struct texts texts;
    struct error err;

    assert_false(texts_open(&t->array, &t->schema, &texts, &err));
    if (strstr(err.text, expected) == NULL) {
        fail_msg("'%s' expected in: %s", expected, err.text);
    }
}

static void other_types_are_refused(void **state)
{
    static const char *const formats[] = {"i", "z", "Z", "vz", "+s", "+l", "n", "", "uu"};
    static struct text_array t;

    (void)state;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        make_texts(&t, "u", sample, SAMPLE, 0);
        t.schema.format = formats[i];
        assert_lie(&t, "utf8");
    }
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.schema.dictionary = &t.schema;
    assert_lie(&t, "dictionary");
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.schema.release = NULL;
    assert_lie(&t, "released");
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.array.release = NULL;
    assert_lie(&t, "released");
}

static void numbers_that_cannot_be_are_refused(void **state)
{
    static struct text_array t;
    int64_t *const numbers[] = {&t.array.length, &t.array.offset};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        make_texts(&t, "u", sample, SAMPLE, 0);
        *numbers[i] = -1;
        assert_lie(&t, "length");
        make_texts(&t, "u", sample, SAMPLE, 0);
        *numbers[i] = INT64_MAX;
        assert_lie(&t, "length");
    }
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.array.null_count = SAMPLE + 1;
    assert_lie(&t, "null count");
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.array.n_children = 1;
    assert_lie(&t, "children");
}

static void buffers_that_are_missing_are_refused(void **state)
{
    static struct text_array t;

    (void)state;
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.array.n_buffers = 2;
    assert_lie(&t, "buffers");
    make_texts(&t, "vu", sample, SAMPLE, 0);
    t.array.n_buffers = 2;
    assert_lie(&t, "buffers");
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.buffers[1] = NULL;
    assert_lie(&t, "offsets");
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.buffers[2] = NULL;
    assert_lie(&t, "row 1");
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.array.null_count = 2;
    t.buffers[0] = NULL;
    assert_lie(&t, "nulls");
    make_texts(&t, "vu", sample, SAMPLE, 0);
    t.buffers[2] = NULL;
    assert_lie(&t, "row 4");
    make_texts(&t, "vu", sample, SAMPLE, 0);
    t.buffers[3] = NULL;
    assert_lie(&t, "row 4");
}

static void offsets_that_run_backward_are_refused(void **state)
{
    static struct text_array t;

    (void)state;
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.offsets[0] = -1;
    assert_lie(&t, "row 0");
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.offsets[4] = 1;
    assert_lie(&t, "row 3");
    make_texts(&t, "U", sample, SAMPLE, 0);
    t.large_offsets[5] = INT64_MIN;
    assert_lie(&t, "row 4");
}

static void views_outside_their_buffer_are_refused(void **state)
{
    static const struct {
        size_t at;
        int32_t value;
    } lies[] = {{0, -1}, {0, INT32_MAX}, {8, 1}, {8, -1}, {12, -1}, {12, 1 << 20}, {12, INT32_MAX}};
    static struct text_array t;

    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        make_texts(&t, "vu", sample, SAMPLE, 0);
        memcpy(t.views[4] + lies[i].at, &lies[i].value, sizeof(lies[i].value));
        assert_lie(&t, "row 4");
    }
    make_texts(&t, "vu", sample, SAMPLE, 0);
    t.lengths[0] = -1;
    assert_lie(&t, "row 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_gives_its_texts),
        cmocka_unit_test(an_empty_array_needs_no_buffers),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(buffers_that_are_missing_are_refused),
        cmocka_unit_test(offsets_that_run_backward_are_refused),
        cmocka_unit_test(views_outside_their_buffer_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
