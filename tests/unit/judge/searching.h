/* searching.h - one search of a text by the rules of a test, without the pipeline around it. */
#ifndef FILTERD_TESTS_UNIT_JUDGE_SEARCHING_H
#define FILTERD_TESTS_UNIT_JUDGE_SEARCHING_H

#include "testing.h"

#include "judge/find.h"
#include "pipeline/worker_parts.h"
#include "support/judge.h"

struct searching {
    struct judge judge;
    struct finding_list list; /* settled; valid until the next search */
    uint64_t stage_ns[STAGE_COUNT];
    struct error err;
};

/* For cmocka's set-up: 0, or -1 when the rules are wrong, which is printed. */
static inline int searching_init(struct searching *s, const char *rules)
{
    if (!judge_init(&s->judge, rules, NULL, false)) {
        print_error("%s\n", s->judge.err.text);
        return -1;
    }
    return 0;
}

static inline int searching_deinit(struct searching *s)
{
    judge_deinit(&s->judge);
    return 0;
}

static inline struct finder *searching_finder(struct searching *s)
{
    struct finder *f = worker_finder(s->judge.worker);

    (void)worker_begin(s->judge.worker);
    f->views = (struct view_limits){.depth = 3, .max_bytes = 1 << 20, .max_pieces = 1 << 10};
    return f;
}

/* Of the request its rules and times are filled in. */
static inline bool search_as(struct searching *s, const struct find_request *as)
{
    struct find_request request = *as;

    request.rules = s->judge.rules;
    request.stage_ns = s->stage_ns;
    s->list = (struct finding_list){0};
    bool is_found = find_in_text(searching_finder(s), &request, &s->list, &s->err);
    finding_list_settle(&s->list);
    return is_found;
}

static inline void search(struct searching *s, const char *text)
{
    const struct find_request request = {.text = span_str(text)};

    assert_true(search_as(s, &request));
}

static inline void assert_found(const struct finding *f, const char *rule, size_t from, size_t to, int percent)
{
    assert_true(span_is(f->rule->id, rule));
    assert_int_equal(f->from, from);
    assert_int_equal(f->to, to);
    assert_int_equal((int)(f->confidence * 100 + 0.5), percent);
}

#endif
