/* request_read.c - the key `request` of a policy. */
#include "policy/policy_read.h"
#include "policy/request_policy.h"

static const char *const request_words[] = {"block", "mask", "redact", "report", NULL};
static const char *const result_words[] = {"block", "withhold", "redact", "label", "report", NULL};
static const char *const unread_words[] = {"block", "report", NULL};
static const char *const lines_words[] = {"all", "findings", "acted", NULL};

/* What a word is to the pipeline. */
static const struct {
    const char *word;
    enum action action;
    enum operator_kind kind; /* of a redaction; LABEL: that of `with` */
} meanings[] = {
    {"block", ACTION_BLOCK, OPERATOR_LABEL},       {"redact", ACTION_REDACT, OPERATOR_LABEL},
    {"mask", ACTION_REDACT, OPERATOR_PSEUDONYM},   {"withhold", ACTION_REDACT, OPERATOR_WITHHOLD},
    {"label", ACTION_REDACT, OPERATOR_QUOTE},      {"report", ACTION_ALLOW, OPERATOR_LABEL},
};

static bool read_action(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    struct policy_action *entry = out;
    unsigned choice;

    (void)r;
    if (!yaml_read_choice(node, f->names, &choice, err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(meanings); i++) {
        if (strcmp(meanings[i].word, f->names[choice]) == 0) {
            entry->action = meanings[i].action;
            entry->with.kind = meanings[i].kind != OPERATOR_LABEL ? meanings[i].kind : entry->with.kind;
        }
    }
    return true;
}

/* `with` is of redact alone. */
static bool check_action(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    const struct yaml_node *with = yaml_get(mapping, "with"), *action = yaml_get(mapping, "action");

    (void)r;
    (void)out;
    if (with != NULL && (action == NULL || !span_is(action->text, "redact"))) {
        return yaml_error(with, err, "'with' expected beside 'action: redact' alone");
    }
    return true;
}

static bool check_result(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    struct policy_action *entry = out;

    entry->when.roles = 1U << TEXT_ROLE_TOOL_RESULT;
    return check_action(r, mapping, out, err);
}

static const struct field_type action_type = {"choice", read_action, NULL, 0};

#define ACTION(words)                                                                                                      \
    {"with", &policy_operator_type, FIELD_AT(struct policy_action, with), .names = policy_operator_names, .initial = "label"}, \
        {"action", &action_type, FIELD_WHOLE, .names = words, .is_required = true},                                        \
    {                                                                                                                      \
        "shadow", &field_flag, FIELD_AT(struct policy_action, is_shadow), .initial = "false"                               \
    }

const struct field request_action_fields[] = {
    CONDITION_FIELDS,
    {"role", &field_choices, CONDITION_AT(roles), .names = text_role_names},
    ACTION(request_words),
    {0},
};

const struct field request_result_fields[] = {
    CONDITION_FIELDS,
    ACTION(result_words),
    {0},
};

#define AT(member) FIELD_AT(struct policy_request, member)
const struct field policy_request_fields[] = {
    {"judge", &field_flag, AT(is_judged), .initial = "true"},
    {"actions", &field_list, FIELD_LIST_AT(struct policy_request, actions, n_actions), .fields = request_action_fields,
     .entry = sizeof(struct policy_action), .max = REQUEST_ACTIONS_MAX, .check = check_action},
    {"tool_results", &field_list, FIELD_LIST_AT(struct policy_request, tool_results, n_tool_results),
     .fields = request_result_fields, .entry = sizeof(struct policy_action), .max = REQUEST_ACTIONS_MAX, .check = check_result},
    {"unread", &field_choice, AT(unread), .names = unread_words, .initial = "report"},
    {"record", &field_choice, AT(lines), .names = lines_words, .initial = "findings"},
    {"violations", &field_flag, AT(is_counted), .initial = "false"},
    {"notice", &field_text, AT(notice), .min = 1, .initial = "This request was withheld by policy."},
    {"withheld", &field_text, AT(withheld), .min = 1, .initial = "[This tool result was withheld by policy.]"},
    {0},
};
#undef AT

/* Secrets are masked, the rest is reported. */
static bool set_actions(const struct field_reader *r, struct policy_request *request, struct error *err)
{
    struct policy_action *actions = arena_array(r->arena, 1, sizeof(*actions), err);

    if (actions == NULL) {
        return false;
    }
    actions[0] = (struct policy_action){
        .when = {.categories = 1U << CATEGORY_SECRET, .min_confidence = 0.5, .max_confidence = 1},
        .action = ACTION_REDACT,
        .with = {.kind = OPERATOR_PSEUDONYM},
    };
    request->actions = actions;
    request->n_actions = 1;
    request->has_default_actions = true;
    return true;
}

static bool read_request(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    struct policy_request *request = arena_alloc(r->arena, sizeof(*request), err);

    if (request == NULL) {
        return false;
    }
    *request = (struct policy_request){0};
    if (!(node != NULL ? fields_read(r, f->fields, node, request, err)
                       : fields_set_defaults(r, policy_request_fields, request, err))) {
        return false;
    }
    bool has_actions = node != NULL && yaml_get(node, "actions") != NULL;
    if (!has_actions && !set_actions(r, request, err)) {
        return false;
    }
    *(const struct policy_request **)out = request;
    return true;
}

const struct field_type policy_request_type = {"mapping", read_request, NULL, 0};

/* Both lists in one, as the pipeline has one. */
static bool join(const struct field_reader *r, const struct policy_request *request, struct policy *as, struct error *err)
{
    size_t n = request->n_actions + request->n_tool_results;
    struct policy_action *all = arena_array(r->arena, n + 1, sizeof(*all), err);

    if (all == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        all[i] = i < request->n_actions ? request->actions[i] : request->tool_results[i - request->n_actions];
    }
    as->actions = all;
    as->n_actions = n;
    return true;
}

bool policy_request_complete(const struct field_reader *r, struct policy *policy, struct error *err)
{
    if (policy->request == NULL && !read_request(r, NULL, NULL, &policy->request, err)) {
        return false;
    }
    struct policy_request *request = arena_alloc(r->arena, sizeof(*request), err);
    if (request == NULL) {
        return false;
    }
    *request = *policy->request;
    request->as = *policy;
    request->as.notice = request->notice;
    request->as.supervisor = NULL; /* what people wrote is shown to no other model */
    request->as.seal = NULL;       /* nor kept */
    policy->request = request;
    return join(r, request, &request->as, err);
}
