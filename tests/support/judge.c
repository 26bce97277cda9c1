#include "support/judge.h"

#include <string.h>

static const char default_policy[] = "policies:\n"
                                     "  default:\n"
                                     "    rules: [local]\n"
                                     "    actions:\n"
                                     "      - {category: secret, confidence: '>=0.5', action: redact}\n"
                                     "      - {category: secret, severity: critical, confidence: '>=0.9', action: block}\n"
                                     "    notice: withheld\n";

bool judge_init(struct judge *j, const char *rules, const char *policy, bool without_prefilter)
{
    const struct rule_file file = {.path = "rules.yaml", .content = span_str(rules)};
    const struct rule_set_options options = {.without_prefilter = without_prefilter};
    const struct worker_limits limits = worker_limits_default();

    memset(j, 0, sizeof(*j));
    memset(&j->keys, 7, sizeof(j->keys));
    j->rules = rule_set_load(&file, 1, &options, &j->err);
    if (j->rules != NULL) {
        j->snapshot = snapshot_load(j->rules, "policy.yaml", span_str(policy != NULL ? policy : default_policy), &j->err);
    }
    if (j->snapshot != NULL) {
        j->worker = worker_new(&limits, &j->keys, &j->err);
    }
    return j->worker != NULL;
}

void judge_deinit(struct judge *j)
{
    worker_free(j->worker);
    snapshot_unref(j->snapshot);
    rule_set_unref(j->rules);
}

struct span judge_text(struct judge *j, struct span text)
{
    (void)worker_begin(j->worker);
    struct identity who = j->x.who;
    int64_t now_ns = j->x.now_ns;
    j->channel = (struct channel){.text = text, .key = j->channel.key, .is_member_name = j->channel.is_member_name};
    j->x = (struct exchange){.snapshot = j->snapshot,
                             .policy = snapshot_policy(j->snapshot, (struct span){0}, who.tenant),
                             .who = who,
                             .now_ns = now_ns,
                             .channels = &j->channel,
                             .n_channels = 1};
    pipeline_judge(j->worker, &j->x);
    return j->channel.output;
}
