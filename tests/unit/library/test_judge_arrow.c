/* test_judge_arrow.c - a row of an array says what filterd_judge says of its text, for any number of threads. */
#include "testing.h"

#include <sys/wait.h>

#include "unit/library/library_testing.h"

static filterd_engine *engine;

static int set_up(void **state)
{
    (void)state;
    make_rules();
    engine = open_library();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    filterd_close(engine);
    remove_rules();
    return 0;
}

static const char *const sample[] = {
    "nothing", "TK123456", NULL, "LC12345678", "", "they say TK123456 and TK654321", "\xff TK000000", NULL, "they say", "LC00000000 they say",
    "a longer text, without anything that a rule would find in it", "äöü TK111111 äöü"};
enum { SAMPLE = sizeof(sample) / sizeof(sample[0]) };

struct result {
    struct ArrowArray array;
    struct ArrowSchema schema;
};

static struct result judge(const char *format, size_t n, size_t offset, unsigned threads, uint32_t flags)
{
    static struct text_array t;
    struct result r;
    char error[FILTERD_ERROR_MAX];

    make_texts(&t, format, sample, n, offset);
    if (filterd_judge_arrow(engine, &t.array, &t.schema, threads, flags, &r.array, &r.schema, error, sizeof(error)) != 0) {
        fail_msg("%s", error);
    }
    assert_int_equal(t.released, 1);
    assert_non_null(t.schema.release); /* the caller's */
    return r;
}

static void release(struct result *r)
{
    r->array.release(&r->array);
    r->schema.release(&r->schema);
    assert_null(r->array.release);
    assert_null(r->schema.release);
}

static size_t column(const struct result *r, const char *name)
{
    for (int64_t i = 0; i < r->schema.n_children; i++) {
        if (strcmp(r->schema.children[i]->name, name) == 0) {
            return (size_t)i;
        }
    }
    fail_msg("no column '%s'", name);
    return 0;
}

static bool is_there(const struct ArrowArray *a, size_t row)
{
    const uint8_t *valid = a->buffers[0];

    return valid == NULL || (valid[row / 8] >> row % 8 & 1) != 0;
}

/* A string of the column, or what its number means; NULL: null. */
static struct span string_at(const struct ArrowArray *a, const char *format, size_t row)
{
    if (!is_there(a, row)) {
        return span_of(NULL, 0);
    }
    if (a->dictionary != NULL) {
        size_t code = format[0] == 'c' ? (size_t)((const int8_t *)a->buffers[1])[row] : (size_t)((const int16_t *)a->buffers[1])[row];
        assert_true((int64_t)code < a->dictionary->length);
        return string_at(a->dictionary, "u", code);
    }
    int64_t from, to;
    if (format[0] == 'U') {
        from = ((const int64_t *)a->buffers[1])[row], to = ((const int64_t *)a->buffers[1])[row + 1];
    } else {
        from = ((const int32_t *)a->buffers[1])[row], to = ((const int32_t *)a->buffers[1])[row + 1];
    }
    return to > from ? span_of((const char *)a->buffers[2] + from, (size_t)(to - from)) : span_of("", 0);
}

static struct span value(const struct result *r, const char *name, size_t row)
{
    size_t i = column(r, name);

    return string_at(r->array.children[i], r->schema.children[i]->format, row);
}

static void assert_findings(const struct result *r, size_t row, const struct filterd_verdict *v)
{
    size_t at = column(r, "findings");
    const struct ArrowArray *list = r->array.children[at], *item = list->children[0];
    const struct ArrowSchema *forms = r->schema.children[at]->children[0];
    const int32_t *offsets = list->buffers[1];

    assert_int_equal(offsets[row + 1] - offsets[row], v->n_findings);
    for (size_t i = 0; i < v->n_findings; i++) {
        const struct filterd_finding *f = filterd_verdict_finding(v, i);
        size_t n = (size_t)offsets[row] + i;
        assert_true(span_is(string_at(item->children[0], forms->children[0]->format, n), filterd_rule_name(engine, f->rule)));
        assert_int_equal(((const int32_t *)item->children[1]->buffers[1])[n], f->start);
        assert_int_equal(((const int32_t *)item->children[2]->buffers[1])[n], f->end);
        assert_float_equal(((const float *)item->children[3]->buffers[1])[n], f->confidence, 0);
        assert_true(span_is(string_at(item->children[4], "c", n), filterd_action_name(f->action)));
        assert_true(span_is(string_at(item->children[5], "c", n), filterd_category_name(f->category)));
        assert_true(span_is(string_at(item->children[6], "c", n), filterd_severity_name(f->severity)));
        assert_true(span_is(string_at(item->children[7], "u", n), f->view));
    }
}

static void assert_row(const struct result *r, size_t row, bool with_text, filterd_worker *worker)
{
    struct filterd_verdict v = {.size = sizeof(v)};

    if (sample[row] == NULL) {
        assert_false(is_there(&r->array, row));
        for (int64_t i = 0; i < r->array.n_children; i++) {
            assert_false(is_there(r->array.children[i], row));
        }
        return;
    }
    (void)filterd_judge(worker, sample[row], strlen(sample[row]), 0, &v);
    assert_true(is_there(&r->array, row));
    assert_true(span_is(value(r, "action", row), filterd_action_name(v.action)));
    struct span rule = value(r, "rule", row);
    assert_int_equal(rule.ptr == NULL, v.rule == FILTERD_NO_RULE);
    assert_true(rule.ptr == NULL || span_is(rule, filterd_rule_name(engine, v.rule)));
    if (with_text) {
        struct span text = value(r, "text", row);
        assert_int_equal(text.ptr == NULL, v.text == NULL);
        assert_true(text.ptr == NULL || span_equal(text, span_of(v.text, v.text_length)));
    }
    assert_null(value(r, "error", row).ptr);
    assert_findings(r, row, &v);
}

static void each_row_is_what_its_text_alone_gives(void **state)
{
    static const char *const formats[] = {"u", "U", "vu"};
    filterd_worker *worker = filterd_worker_new(engine);

    (void)state;
    for (size_t f = 0; f < 3; f++) {
        for (unsigned threads = 0; threads < 6; threads++) {
            uint32_t flags = threads % 2 == 0 ? 0 : FILTERD_NO_TEXT;
            struct result r = judge(formats[f], SAMPLE, threads * 5, threads, flags);
            assert_int_equal(r.array.length, SAMPLE);
            assert_int_equal(r.array.null_count, 2);
            assert_int_equal(r.schema.n_children, flags == 0 ? 5 : 4);
            assert_string_equal(r.schema.format, "+s");
            if (flags == 0) {
                assert_string_equal(r.schema.children[column(&r, "text")]->format, f == 1 ? "U" : "u");
            }
            for (size_t i = 0; i < SAMPLE; i++) {
                assert_row(&r, i, flags == 0, worker);
            }
            release(&r);
        }
    }
    filterd_worker_free(worker);
}

static void an_empty_array_gives_an_empty_one(void **state)
{
    struct result r = judge("u", 0, 0, 4, 0);

    (void)state;
    assert_int_equal(r.array.length, 0);
    assert_int_equal(r.array.children[0]->length, 0);
    release(&r);
}

static void a_child_may_outlive_its_parent(void **state)
{
    struct result r = judge("u", SAMPLE, 0, 1, 0);
    size_t at = column(&r, "text");
    struct ArrowArray text = *r.array.children[at];

    (void)state;
    r.array.children[at]->release = NULL; /* moved, as the interface says */
    release(&r);
    assert_true(span_is(string_at(&text, "u", 1), "[ticket]"));
    text.release(&text);
}

static void a_lie_is_refused_and_released(void **state)
{
    static struct text_array t;
    struct result r;
    char error[FILTERD_ERROR_MAX] = "";

    (void)state;
    make_texts(&t, "u", sample, SAMPLE, 0);
    t.offsets[3] = -7;
    memset(&r, 0x5a, sizeof(r));
    assert_int_equal(filterd_judge_arrow(engine, &t.array, &t.schema, 2, 0, &r.array, &r.schema, error, sizeof(error)), -1);
    assert_int_equal(t.released, 1);
    assert_non_null(strstr(error, "row"));
    assert_int_equal(*(unsigned char *)&r, 0x5a);
}

static int judge_in_child(void)
{
    static struct text_array t;
    struct result r;
    char error[FILTERD_ERROR_MAX] = "";

    make_texts(&t, "u", sample, SAMPLE, 0);
    int code = filterd_judge_arrow(engine, &t.array, &t.schema, 2, 0, &r.array, &r.schema, error, sizeof(error));
    return code == -1 && t.released == 1 && strstr(error, "fork") != NULL ? 0 : 1;
}

static void after_fork_it_fails_and_says_so(void **state)
{
    int status = 0;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        _exit(judge_in_child());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_what_its_text_alone_gives),
        cmocka_unit_test(an_empty_array_gives_an_empty_one),
        cmocka_unit_test(a_child_may_outlive_its_parent),
        cmocka_unit_test(a_lie_is_refused_and_released),
        cmocka_unit_test(after_fork_it_fails_and_says_so),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
