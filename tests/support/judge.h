/* judge.h - a snapshot from YAML in a test, and one text through the pipeline. */
#ifndef FILTERD_TESTS_SUPPORT_JUDGE_H
#define FILTERD_TESTS_SUPPORT_JUDGE_H

#include "pipeline/pipeline.h"

struct judge {
    struct rule_set *rules;
    struct snapshot *snapshot;
    struct worker *worker;
    struct channel channel;
    struct exchange x;
    struct error err;
    struct redaction_keys keys;
};

/* policy NULL: every secret from 0.5 is redacted, critical ones from 0.9 block. False with j->err. */
bool judge_init(struct judge *j, const char *rules, const char *policy, bool without_prefilter);
void judge_deinit(struct judge *j);
/* The delivered text; empty when blocked. */
struct span judge_text(struct judge *j, struct span text);

/* One rule as YAML, with examples that fit nothing in particular: for tests that never run them. */
#define TEST_RULE(id, category, severity, confidence, more)                                                            \
    "  - {id: " id ", title: t, category: " category ", severity: " severity ", confidence: " confidence ", " more     \
    ", match: [a, b, c], no_match: [a, b, c]}\n"

#endif
