/* The bounds of recognizers of a request, at them and behind them. tests/clients/presidio compares what they find with Presidio. */
#include "testing.h"

#include "contracts/presidio_ad_hoc.h"
#include "contracts/shape.h"

static struct arena arena;

static struct span header(const void *context, const char *name)
{
    (void)context, (void)name;
    return span_of("", 0);
}

static bool find(const char *recognizers, const char *text, struct ad_hoc_results *out, struct filter_fault *fault)
{
    struct contract_call call = {.arena = &arena, .body = span_str(recognizers), .text_max = 1 << 20, .header = header};
    struct channel channel = {.text = span_str(text)};
    struct ad_hoc_scope scope = {.language = span_str("en"), .channels = &channel, .n_channels = 1};
    struct caller_budget budget = caller_budget_for(channel.text.len);
    struct error err;

    assert_true(json_validate(call.body, &err));
    *fault = (struct filter_fault){0};
    return presidio_ad_hoc_find(&call, json_root(call.body), &scope, &budget, out, fault);
}

/* `item`, `n` times, between `before` and `after`. */
static const char *repeated(const char *before, const char *item, size_t n, const char *after)
{
    struct error err;
    size_t len = strlen(before) + n * (strlen(item) + 1) + strlen(after) + 1;
    char *text = arena_alloc(&arena, len, &err), *at = text;

    assert_non_null(text);
    at = stpcpy(at, before);
    for (size_t i = 0; i < n; i++) {
        at = stpcpy(at, i == 0 ? "" : ",");
        at = stpcpy(at, item);
    }
    (void)stpcpy(at, after);
    return text;
}

static void bounds(void **state)
{
    static const char recognizer[] = "{\"supported_entity\":\"A\",\"patterns\":[{\"name\":\"a\",\"regex\":\"b\",\"score\":1}]}";
    static const char pattern[] = "{\"name\":\"a\",\"regex\":\"b\",\"score\":1}";
    static const struct {
        const char *before, *item, *after;
        size_t most;
    } rows[] = {
        {"[", recognizer, "]", AD_HOC_RECOGNIZERS_MAX},
        {"[{\"supported_entity\":\"A\",\"patterns\":[", pattern, "]}]", AD_HOC_PATTERNS_MAX},
        {"[{\"supported_entity\":\"A\",\"deny_list\":[", "\"b\"", "]}]", AD_HOC_WORDS_MAX},
        {"[{\"supported_entity\":\"A\",\"deny_list\":[\"b\"],\"context\":[", "\"b\"", "]}]", AD_HOC_CONTEXT_MAX},
    };
    struct ad_hoc_results out;
    struct filter_fault fault;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(find(repeated(rows[i].before, rows[i].item, rows[i].most, rows[i].after), "a", &out, &fault));
        assert_false(find(repeated(rows[i].before, rows[i].item, rows[i].most + 1, rows[i].after), "a", &out, &fault));
        assert_int_equal(fault.status, 400);
    }
}

static void results_are_counted(void **state)
{
    static const char recognizer[] = "[{\"supported_entity\":\"A\",\"patterns\":[{\"name\":\"a\",\"regex\":\"a\",\"score\":1}]}]";
    struct ad_hoc_results out;
    struct filter_fault fault;

    (void)state;
    assert_true(find(recognizer, repeated("", "a", AD_HOC_RESULTS_MAX, ""), &out, &fault));
    assert_int_equal(out.n, AD_HOC_RESULTS_MAX);
    assert_int_equal(out.items[1].from, 2);
    assert_false(find(recognizer, repeated("", "a", AD_HOC_RESULTS_MAX + 1, ""), &out, &fault));
    assert_int_equal(fault.status, 400);
}

/* Patterns that are cheap one by one, and contexts, are paid from one budget. */
static void many_are_too_dear_together(void **state)
{
    static const char pattern[] = "{\"name\":\"a\",\"regex\":\"(?:a|,)+z\",\"score\":1}";
    const char *text = repeated("", "a", 300, " z");
    struct ad_hoc_results out;
    struct filter_fault fault;

    (void)state;
    assert_true(find(repeated("[{\"supported_entity\":\"A\",\"patterns\":[", pattern, 2, "]}]"), text, &out, &fault));
    assert_false(find(repeated("[{\"supported_entity\":\"A\",\"patterns\":[", pattern, 64, "]}]"), text, &out, &fault));
    assert_non_null(strstr(fault.detail, "too many steps"));
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 1 << 16, 1 << 26);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds), cmocka_unit_test(results_are_counted), cmocka_unit_test(many_are_too_dear_together),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
