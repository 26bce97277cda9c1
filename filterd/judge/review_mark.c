#include "judge/review_mark.h"

#include <string.h>

#include "base/uuid.h"
#include "judge/decide.h"
#include "judge/review_quota.h"

/* --- exchanges ---------------------------------------------------------------- */

static enum review_why why_of(const struct review_trigger *t)
{
    bool has_band = t->when.min_confidence > 0 || t->when.max_confidence < 1;

    return has_band ? REVIEW_BAND : t->when.severities != 0 ? REVIEW_SEVERITY : REVIEW_ACTION;
}

static enum review_why queued_for(const struct exchange *x, const struct policy_review *review)
{
    for (size_t i = 0; i < review->n_queue; i++) {
        const struct review_trigger *t = &review->queue[i];
        bool is_verdict = t->actions == 0 || (t->actions & 1U << x->action) != 0;
        if (t->events == 0 && is_verdict && exchange_meets(&t->when, x)) {
            return why_of(t);
        }
    }
    return REVIEW_NOT;
}

static bool is_drawn(const struct exchange *x, double share, const uint8_t key[DIGEST_KEY], bool *out, struct error *err)
{
    static const char purpose[] = "review-sample:";
    char text[sizeof(purpose) + UUID_TEXT], hex[DIGEST_TOKEN_HEX + 1];

    *out = false;
    if (share <= 0 || x->action != ACTION_ALLOW) {
        return true;
    }
    memcpy(text, purpose, sizeof(purpose));
    uuid_format(x->id.bytes, text + sizeof(purpose) - 1);
    if (!digest_token(key, span_str(text), hex, err)) {
        return false;
    }
    *out = digest_fraction(hex) < share;
    return true;
}

/* A sample of all allowed exchanges, or else one that a rule is due; the first is independent of the second, so that it remains a
 * random one. */
static bool draw(const struct exchange *x, const struct review_sample *sample, const uint8_t key[DIGEST_KEY], struct review_mark *out,
                 struct error *err)
{
    struct review_quota *quota = x->snapshot == NULL ? NULL : x->snapshot->quota;
    bool is_sample = false;

    if (!is_drawn(x, sample->allow, key, &is_sample, err)) {
        return false;
    }
    if (quota != NULL && quota->is_on && x->action == ACTION_ALLOW &&
        !review_quota_draw(quota, x, sample->per_rule_min, key, &out->rule, err)) {
        return false;
    }
    out->why = is_sample ? REVIEW_SAMPLE : out->rule != NULL ? REVIEW_RULE_SAMPLE : REVIEW_NOT;
    return true;
}

static unsigned gravest(const struct exchange *x)
{
    unsigned severity = SEVERITY_COUNT;

    for (size_t i = 0; i < x->n_findings; i++) {
        const struct rule *rule = x->findings[i].rule;
        if (rule != NULL && (severity == SEVERITY_COUNT || (unsigned)rule->severity > severity)) {
            severity = rule->severity;
        }
    }
    return severity;
}

static double share_of_agent(const struct exchange *x)
{
    const struct violations *v = x->snapshot == NULL ? NULL : &x->snapshot->violations;
    double first = v != NULL && v->is_on && v->n_thresholds > 0 ? v->thresholds[0].at : 0;

    return first <= 0 ? 0 : x->violations >= first ? 1 : x->violations / first;
}

bool review_mark_of(const struct exchange *x, const uint8_t key[DIGEST_KEY], struct review_mark *out, struct error *err)
{
    const struct policy_review *review = x->policy == NULL ? NULL : x->policy->review;
    struct review_mark mark = {.why = REVIEW_NOT};

    *out = mark;
    if (review == NULL) {
        return true;
    }
    mark.why = queued_for(x, review);
    if (mark.why == REVIEW_NOT && !draw(x, &review->sample, key, &mark, err)) {
        return false;
    }
    if (mark.why != REVIEW_NOT) {
        mark.due_s = review_due_s(review, gravest(x));
        mark.reviewers = review->reviewers;
        mark.agent_share = share_of_agent(x);
        *out = mark;
    }
    return true;
}

/* --- events ------------------------------------------------------------------- */

struct review_mark review_mark_of_event(const struct policy *policy, const char *event)
{
    const struct policy_review *review = policy == NULL ? NULL : policy->review;
    unsigned bit = 0;

    for (unsigned i = 0; review_events[i] != NULL; i++) {
        bit |= strcmp(review_events[i], event) == 0 ? 1U << i : 0;
    }
    for (size_t i = 0; review != NULL && i < review->n_queue; i++) {
        if ((review->queue[i].events & bit) != 0) {
            return (struct review_mark){.why = REVIEW_EVENT, .due_s = review_due_s(review, SEVERITY_CRITICAL),
                                        .reviewers = review->reviewers};
        }
    }
    return (struct review_mark){.why = REVIEW_NOT};
}
