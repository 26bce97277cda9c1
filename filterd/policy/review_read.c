/* review_read.c - the key `review` of a policy. */
#include "policy/policy_read.h"
#include "policy/review.h"
#include "review/item.h"

const char *const review_events[] = {"alert", "throttle", "cut_network", "freeze", "ask", "kill", "revoke", "killed", "not_killed",
                                     "honeytoken", NULL};

int64_t review_due_s(const struct policy_review *review, unsigned severity)
{
    int64_t ns = severity == SEVERITY_CRITICAL ? review->due.critical_ns
                 : severity == SEVERITY_HIGH   ? review->due.high_ns
                                               : review->due.else_ns;

    return ns / 1000000000;
}

/* An event has no verdict and no findings. */
static bool check_trigger(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    const struct review_trigger *t = out;

    (void)r;
    if (mapping->n == 0) {
        return yaml_error(mapping, err, "'event', 'action' or a condition expected: else everything would be reviewed");
    }
    return t->events == 0 || mapping->n == 1 || yaml_error(mapping, err, "'event' expected alone");
}

static bool read_review(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    struct policy_review *review = arena_alloc(r->arena, sizeof(*review), err);

    if (review == NULL) {
        return false;
    }
    *review = (struct policy_review){0};
    if (!fields_read(r, f->fields, node, review, err)) {
        return false;
    }
    *(const struct policy_review **)out = review;
    return true;
}

const struct field_type policy_review_type = {"mapping", read_review, NULL, 0};

_Static_assert(offsetof(struct review_trigger, when) == 0, "CONDITION_FIELDS");

const struct field review_trigger_fields[] = {
    CONDITION_FIELDS,
    {"action", &field_choices, FIELD_AT(struct review_trigger, actions), .names = action_names},
    {"event", &field_choices, FIELD_AT(struct review_trigger, events), .names = review_events},
    {0},
};

const struct field review_sample_fields[] = {
    {"allow", &field_number, FIELD_AT(struct review_sample, allow), 0, 1, .initial = "0"},
    {"per_rule_min", &field_integer, FIELD_AT(struct review_sample, per_rule_min), 0, 1000, .initial = "0"},
    {0},
};

#define AT(member) FIELD_AT(struct review_due, member)
const struct field review_due_fields[] = {
    {"critical", &field_ns, AT(critical_ns), 60e3, 365 * 86400e3, .initial = "4h"},
    {"high", &field_ns, AT(high_ns), 60e3, 365 * 86400e3, .initial = "1d"},
    {"else", &field_ns, AT(else_ns), 60e3, 365 * 86400e3, .initial = "5d"},
    {0},
};
#undef AT

static const char *const exceptions_names[] = {"off", "live", NULL};

#define AT(member) FIELD_AT(struct policy_review, member)
const struct field policy_review_fields[] = {
    {"queue", &field_list, FIELD_LIST_AT(struct policy_review, queue, n_queue), .fields = review_trigger_fields,
     .entry = sizeof(struct review_trigger), .check = check_trigger},
    {"sample", &field_mapping, AT(sample), .fields = review_sample_fields},
    {"due", &field_mapping, AT(due), .fields = review_due_fields},
    {"reviewers", &field_integer, AT(reviewers), 1, ITEM_REVIEWERS_MAX, .initial = "1"},
    {"exceptions", &field_choice, AT(exceptions), .names = exceptions_names, .initial = "off"},
    {0},
};
