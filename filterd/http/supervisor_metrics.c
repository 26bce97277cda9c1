#include "http/supervisor_metrics.h"

#include <inttypes.h>

static bool write_value(struct buf *out, const char *name, const char *help, const char *type, uint64_t value,
                        struct error *err)
{
    return buf_appendf(out, err, "# HELP %s %s\n# TYPE %s %s\n%s %" PRIu64 "\n", name, help, name, type, name, value);
}

bool supervisor_metrics_write(const struct supervisor *s, struct buf *out, struct error *err)
{
    static const char questions[] = "filterd_supervisor_questions_total";
    struct supervisor_counts c;

    if (s == NULL) {
        return true;
    }
    supervisor_count(s, &c);
    const struct {
        const char *name, *help, *type;
        uint64_t value;
    } values[] = {
        {"filterd_supervisor_violations_total", "Answers that found a violation.", "counter", c.violations},
        {"filterd_supervisor_cached_total", "Questions that were answered before.", "counter", c.cached},
        {"filterd_supervisor_requests_total", "Requests to endpoints.", "counter", c.calls},
        {"filterd_supervisor_retries_total", "Of those: after a failure.", "counter", c.retries},
        {"filterd_supervisor_hedges_total", "Of those: beside one that takes its time.", "counter", c.hedges},
        {"filterd_supervisor_tokens_in_total", "Tokens of questions, as endpoints count.", "counter", c.tokens_in},
        {"filterd_supervisor_tokens_out_total", "Tokens of answers, as endpoints count.", "counter", c.tokens_out},
        {"filterd_supervisor_waiting", "Questions without an answer yet.", "gauge", c.waiting},
        {"filterd_supervisor_notices_total", "Late verdicts that the webhook took.", "counter", c.notices},
        {"filterd_supervisor_notices_lost_total", "Late verdicts that it did not.", "counter", c.notices_lost},
    };
    if (!buf_appendf(out, err, "# HELP %s Questions by what came of them.\n# TYPE %s counter\n", questions, questions)) {
        return false;
    }
    for (unsigned i = 0; i < SUPERVISION_OUTCOME_COUNT; i++) {
        if (!buf_appendf(out, err, "%s{outcome=\"%s\"} %" PRIu64 "\n", questions,
                         supervision_outcome_name((enum supervision_outcome)i), c.outcomes[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < COUNT(values); i++) {
        if (!write_value(out, values[i].name, values[i].help, values[i].type, values[i].value, err)) {
            return false;
        }
    }
    return true;
}
