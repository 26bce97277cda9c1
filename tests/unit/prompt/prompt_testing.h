/* prompt_testing.h - requests that are judged under three rules, for tests of prompt_judge and of what it knows from earlier ones. */
#ifndef FILTERD_TESTS_UNIT_PROMPT_PROMPT_TESTING_H
#define FILTERD_TESTS_UNIT_PROMPT_PROMPT_TESTING_H

#include "testing.h"

#include <sodium.h>

#include "mask/masking.h"
#include "policy/request_policy.h"
#include "prompt/prompt_judge.h"
#include "support/judge.h"

#define SECRET "sesame-7Q2X"
#define NAME   "Mallory"
#define ORDER  "OVERRIDE"

static const char rules[] = "rules:\n"
                            TEST_RULE("key", "secret", "high", "0.9", "pattern: sesame-7Q2X")
                            TEST_RULE("name", "pii", "medium", "0.8", "pattern: Mallory")
                            TEST_RULE("order", "injection", "high", "0.9", "pattern: OVERRIDE");

struct fixture {
    struct judge judge;
    struct masking *masking;
    struct history *history;
    struct exchange x;
    struct buf out;
    struct prompt_outcome outcome;
};

#define HEAD "policies: {default: {rules: [key, name, order], actions: [{category: secret, action: block}]"

static inline void begin(struct fixture *f, const char *request)
{
    char policy[1024];

    *f = (struct fixture){0};
    (void)snprintf(policy, sizeof(policy), HEAD "%s%s}}\n", request[0] == '\0' ? "" : ", request: ", request);
    if (!judge_init(&f->judge, rules, policy, false)) {
        fail_msg("%s", f->judge.err.text);
    }
    f->masking = masking_new(NULL, &masking_limits_default, &f->judge.err);
    /* Room for all: with 256 sets of four one random key in sixty would have five of a hundred messages in one set. */
    f->history = history_new(1 << 16, &f->judge.err);
    assert_true(f->masking != NULL && f->history != NULL);
    buf_init(&f->out, 1 << 20);
}

static inline void end(struct fixture *f)
{
    buf_deinit(&f->out);
    history_free(f->history);
    masking_unref(f->masking);
    judge_deinit(&f->judge);
}

static inline struct span judge(struct fixture *f, const char *route, const char *body)
{
    const struct prompt_input q = {.route = route, .body = span_str(body), .history = f->history};

    f->x = (struct exchange){.snapshot = f->judge.snapshot,
                             .policy = snapshot_policy(f->judge.snapshot, span_of("", 0), span_of("", 0)),
                             .masking = f->masking};
    prompt_judge(f->judge.worker, &q, &f->x, &f->out, &f->outcome);
    return f->outcome.is_changed ? buf_span(&f->out) : q.body;
}

static inline bool has(struct span text, const char *what)
{
    return memmem(text.ptr, text.len, what, strlen(what)) != NULL;
}

#define SAYS(role, text) "{\"messages\":[{\"role\":\"" role "\",\"content\":\"" text "\"}]}"

#endif
