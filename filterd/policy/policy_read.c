/* policy_read.c - policies from YAML (filterd-policy(5)). */
#include <sodium.h>

#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "policy/budget_policy.h"
#include "policy/policy_read.h"
#include "policy/request_policy.h"
#include "policy/seal.h"
#include "policy/supervisor.h"
#include "policy/system_prompt_policy.h"

const char *const action_names[] = {"block", "redact", "allow", NULL};
const char *const hold_names[] = {"all", "paragraph", "sentence", "none", NULL};

const char *action_name(enum action action)
{
    return action_names[action];
}

const char *hold_name(enum hold_unit hold)
{
    return hold_names[hold];
}

/* --- conditions ----------------------------------------------------------- */

/* '>=0.9', '<0.5' or '0.4..0.9'; in [min, max). A bound of 1 above is inclusive. */
static bool read_confidence(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                            struct error *err)
{
    struct policy_condition *when = out;
    char text[32];
    char *end = NULL;

    (void)r, (void)f;
    if (node->kind != YAML_SCALAR || node->text.len == 0 || node->text.len >= sizeof(text)) {
        return yaml_expected(node, err, "'>=0.9', '<0.5' or '0.4..0.9'");
    }
    when->min_confidence = 0;
    when->max_confidence = 1;
    memcpy(text, node->text.ptr, node->text.len);
    text[node->text.len] = '\0';
    if (strncmp(text, ">=", 2) == 0) {
        when->min_confidence = strtod(text + 2, &end);
    } else if (text[0] == '<') {
        when->max_confidence = strtod(text + 1, &end);
    } else {
        char *dots = strstr(text, "..");
        if (dots != NULL) {
            *dots = '\0';
            when->min_confidence = strtod(text, &end);
            bool is_good = end == dots && end != text;
            when->max_confidence = strtod(dots + 2, &end);
            end = is_good ? end : NULL;
        }
    }
    bool is_good = end != NULL && end != text && *end == '\0' && when->min_confidence >= 0 &&
                   when->max_confidence <= 1 && when->min_confidence <= when->max_confidence;
    return is_good || yaml_expected(node, err, "'>=0.9', '<0.5' or '0.4..0.9'");
}

/* An empty list would match everything, which is never intended. */
static bool read_names(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    const struct span_list *list = out;

    if (list->n > 0) {
        return yaml_error(node, err, "either the singular or the plural of '" SPAN_FMT "' expected",
                          SPAN_ARG(node->key));
    }
    return field_texts.read(r, &(struct field){.type = &field_texts, .size = f->size, .min = f->min}, node, out, err);
}

static bool read_rule_ids(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                          struct error *err)
{
    const struct span_list *ids = out;

    if (!read_names(r, f, node, out, err)) {
        return false;
    }
    for (size_t i = 0; i < ids->n; i++) {
        if (rule_set_find(policy_reader(r)->snapshot->rules, ids->items[i]) == NULL &&
            supervisor_rule_find(ids->items[i]) == NULL && !span_equal(ids->items[i], system_prompt_rule.id)) {
            return yaml_error(node, err, "there is no rule '" SPAN_FMT "'", SPAN_ARG(ids->items[i]));
        }
    }
    return true;
}

const struct field_type condition_confidence = {"confidence", read_confidence, NULL, 0},
                        condition_names = {"text list", read_names, NULL, 0},
                        condition_rules = {"text list", read_rule_ids, NULL, 0};

/* --- operators ------------------------------------------------------------ */

const struct field policy_mask_fields[] = {
    {"keep_last", &field_integer, FIELD_AT(struct redaction_operator, keep_last), 0, 8, .initial = "0"},
    {0},
};

/* `label`, or `{mask: {keep_last: 4}}`, or `{replace: 'text'}`. */
static bool read_operator(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                          struct error *err)
{
    struct redaction_operator *op = out;
    struct yaml_node name = *node;
    const struct yaml_node *arguments = NULL;
    unsigned choice;

    if (node->kind == YAML_MAPPING && node->n == 1) {
        arguments = node->first;
        name.kind = YAML_SCALAR;
        name.text = arguments->key;
    }
    if (!yaml_read_choice(&name, f->names, &choice, err)) {
        return false;
    }
    *op = (struct redaction_operator){.kind = (enum operator_kind)choice, .mask_char = '*'};
    if (op->kind == OPERATOR_REPLACE) {
        return arguments != NULL ? yaml_read_text(arguments, &op->text, err)
                                 : yaml_error(node, err, "{replace: 'text'} expected");
    }
    if (arguments == NULL) {
        return true;
    }
    return op->kind == OPERATOR_MASK ? fields_read(r, policy_mask_fields, arguments, op, err)
                                     : yaml_error(node, err, "no arguments expected");
}

/* --- entries -------------------------------------------------------------- */

/* A calendar date, the first instant that the exception no longer covers, UTC. */
static bool read_date(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    struct tm date = {0};
    char text[11];

    (void)r, (void)f;
    if (node->kind == YAML_SCALAR && node->text.len == sizeof(text) - 1) {
        memcpy(text, node->text.ptr, sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        const char *end = strptime(text, "%Y-%m-%d", &date);
        int day = date.tm_mday;
        if (end != NULL && *end == '\0') {
            time_t time = timegm(&date);
            if (date.tm_mday == day) { /* timegm moves the 31st of a short month on */
                *(int64_t *)out = time;
                return true;
            }
        }
    }
    return yaml_expected(node, err, "a date as 2027-01-31");
}

static bool read_matches(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    struct regex **matches = out;
    struct error reason = {0};
    struct span pattern;

    (void)r, (void)f;
    if (!yaml_read_text(node, &pattern, err)) {
        return false;
    }
    *matches = regex_new(pattern, &reason);
    return *matches != NULL || yaml_error(node, err, "%s", reason.text);
}

static bool read_token(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    struct policy_token **value = out;
    struct span text;

    (void)f;
    if (!yaml_read_text(node, &text, err)) {
        return false;
    }
    const char *colon = text.len == 0 ? NULL : memchr(text.ptr, ':', text.len);
    size_t before = colon == NULL ? 0 : (size_t)(colon - text.ptr);
    bool is_token = before > 0 && text.len == before + 1 + DIGEST_TOKEN_HEX;
    for (size_t i = before + 1; is_token && i < text.len; i++) {
        is_token = text.ptr[i] != '\0' && strchr("0123456789abcdef", text.ptr[i]) != NULL;
    }
    if (!is_token) {
        return yaml_expected(node, err, "a value_tok of the record, as 'e229-1a2b3c4d:' and %d hexadecimal digits",
                             DIGEST_TOKEN_HEX);
    }
    *value = arena_array(r->arena, 1, sizeof(**value), err);
    if (*value != NULL) {
        **value = (struct policy_token){.text = text, .key_id = span_slice(text, 0, before)};
    }
    return *value != NULL;
}

static bool check_exception(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    struct policy_exception *e = out;

    (void)r;
    if (yaml_get(mapping, "until") == NULL) {
        e->until_s = INT64_MAX;
    }
    bool is_narrow = e->when.rules.n > 0 || e->when.tags.n > 0 || e->matches != NULL || e->value != NULL;
    return is_narrow || yaml_error(mapping, err, "'rule', 'tag', 'matches' or 'value_tok' expected: an exception covers no whole category");
}

/* An entry that redacts or blocks names no rule that only reports, or that judges all of a text where parts are judged. */
static bool check_action(const struct rule_set *rules, const struct policy *policy, const struct policy_action *entry,
                         const struct yaml_node *node, struct error *err)
{
    for (size_t i = 0; i < entry->when.rules.n; i++) {
        const struct rule *rule = rule_set_find(rules, entry->when.rules.items[i]);
        if (rule == NULL || policy_action_is_for(policy, entry, rule)) {
            continue;
        }
        return rule->only_reports
                   ? yaml_error(node, err, "rule '" SPAN_FMT "' only reports, as its classifier '" SPAN_FMT
                                "' is unreliable on unseen texts: 'action: allow' or 'shadow: true' expected",
                                SPAN_ARG(rule->id), SPAN_ARG(rule->classifier))
                   : yaml_error(node, err, "rule '" SPAN_FMT "' acts on whole texts alone, as its classifier '" SPAN_FMT
                                "' judges all of a text: 'hold: all' of the policy, 'action: allow' or 'shadow: true' expected",
                                SPAN_ARG(rule->id), SPAN_ARG(rule->classifier));
    }
    return true;
}

/* `entries` are those of the list. */
static bool check_actions(const struct rule_set *rules, const struct policy *policy, const struct policy_action *entries,
                          const struct yaml_node *list, struct error *err)
{
    size_t i = 0;

    for (const struct yaml_node *node = list != NULL ? list->first : NULL; node != NULL; node = node->next) {
        if (!check_action(rules, policy, &entries[i++], node, err)) {
            return false;
        }
    }
    return true;
}

static bool check_all_actions(const struct rule_set *rules, const struct policy *policy, const struct yaml_node *mapping,
                              struct error *err)
{
    const struct yaml_node *request = yaml_get(mapping, "request");

    return check_actions(rules, policy, policy->actions, yaml_get(mapping, "actions"), err) &&
           (request == NULL ||
            (check_actions(rules, policy, policy->request->actions, yaml_get(request, "actions"), err) &&
             check_actions(rules, policy, policy->request->tool_results, yaml_get(request, "tool_results"), err)));
}

/* --- a policy ------------------------------------------------------------- */

/* A national rule says so by its tags; one may be of several countries. */
static bool is_country_tag(struct span tag, struct span *country)
{
    const struct span prefix = span_str("country-");

    if (!span_starts_with(tag, prefix)) {
        return false;
    }
    *country = span_slice(tag, prefix.len, tag.len);
    return true;
}

/* NULL chooses every country. What has no country applies everywhere. */
static bool is_chosen(const struct span_list *countries, const struct rule *rule)
{
    bool is_national = false;

    for (size_t i = 0; countries != NULL && i < rule->tags.n; i++) {
        struct span country;
        if (!is_country_tag(rule->tags.items[i], &country)) {
            continue;
        }
        is_national = true;
        for (size_t k = 0; k < countries->n; k++) {
            if (span_equal(countries->items[k], country)) {
                return true;
            }
        }
    }
    return !is_national;
}

static bool has_country(const struct rule_set *rules, struct span wanted)
{
    for (uint32_t i = 0; i < rules->n_rules; i++) {
        const struct span_list *tags = &rules->rules[i].tags;
        for (size_t k = 0; k < tags->n; k++) {
            struct span country;
            if (is_country_tag(tags->items[k], &country) && span_equal(country, wanted)) {
                return true;
            }
        }
    }
    return false;
}

/* A country without rules is a mistake (uk for gb), and would silently choose fewer rules. */
static bool check_countries(const struct rule_set *rules, const struct yaml_node *node, const struct span_list *countries,
                            struct error *err)
{
    for (size_t i = 0; i < countries->n; i++) {
        if (!has_country(rules, countries->items[i])) {
            return yaml_error(node, err, "there is no rule of country '" SPAN_FMT "'", SPAN_ARG(countries->items[i]));
        }
    }
    return true;
}

/* Packs by name, less the national rules of countries not chosen; or single rules by id, whatever their country. */
static bool choose_rules(const struct rule_set *rules, const struct yaml_node *node, const struct policy *policy,
                         bool *has_rule, struct error *err)
{
    const struct span_list *countries = policy->countries.n == 0 ? NULL : &policy->countries;

    for (size_t i = 0; i < policy->names.n; i++) {
        struct span name = policy->names.items[i];
        bool is_found = false;
        for (uint32_t k = 0; k < rules->n_rules; k++) {
            const struct rule *rule = &rules->rules[k];
            bool is_pack = span_equal(rule->pack, name);
            if (is_pack || span_equal(rule->id, name)) {
                has_rule[k] = has_rule[k] || !is_pack || is_chosen(countries, rule);
                is_found = true;
            }
            if (has_rule[k] && !rule_set_can_find(rules, k)) {
                return error_set(err, ERROR_INTERNAL, "rules: '" SPAN_FMT "' is not compiled", SPAN_ARG(rule->id));
            }
        }
        if (!is_found) {
            return yaml_error(node, err, "there is no pack or rule '" SPAN_FMT "'", SPAN_ARG(name));
        }
    }
    return true;
}

static bool make_digest(const struct field_reader *r, struct policy *policy, struct error *err)
{
    const struct policy_reader *reader = policy_reader(r);
    crypto_hash_sha256_state state;
    uint8_t digest[crypto_hash_sha256_BYTES];
    const size_t size = sizeof("sha256:") + 2 * sizeof(digest);
    char *text = arena_alloc(r->arena, size, err);

    if (text == NULL) {
        return false;
    }
    (void)crypto_hash_sha256_init(&state);
    /* Recipients are read from files of their own. */
    const struct span recipients = policy->seal != NULL ? policy->seal->digest : span_of(NULL, 0);
    const struct span parts[] = {reader->snapshot->rules->digest, policy->name, reader->yaml, recipients};
    for (size_t i = 0; i < COUNT(parts) - (policy->seal == NULL); i++) {
        uint64_t len = parts[i].len;
        (void)crypto_hash_sha256_update(&state, (const uint8_t *)&len, sizeof(len));
        (void)crypto_hash_sha256_update(&state, (const uint8_t *)parts[i].ptr, parts[i].len);
    }
    (void)crypto_hash_sha256_final(&state, digest);
    memcpy(text, "sha256:", sizeof("sha256:"));
    (void)sodium_bin2hex(text + strlen(text), size - strlen(text), digest, sizeof(digest));
    policy->digest = span_str(text);
    return true;
}

bool policy_check(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    const struct rule_set *rules = policy_reader(r)->snapshot->rules;
    struct policy *policy = out;
    bool *has_rule = arena_array(r->arena, (size_t)rules->n_rules + 1, sizeof(*has_rule), err);

    if (has_rule == NULL) {
        return false;
    }
    memset(has_rule, 0, ((size_t)rules->n_rules + 1) * sizeof(*has_rule));
    policy->has_rule = has_rule;
    if (!check_countries(rules, yaml_get(mapping, "countries"), &policy->countries, err) ||
        !choose_rules(rules, yaml_get(mapping, "rules"), policy, has_rule, err)) {
        return false;
    }
    policy->has_classifiers = rule_set_has_use(rules, has_rule);
    return check_all_actions(rules, policy, mapping, err) && policy_budgets_check(mapping, policy, err) &&
           make_digest(r, policy, err) && policy_request_complete(r, policy, err);
}

/* --- the keys ---------------------------------------------------------------- */

const char *const policy_operator_names[] = {"label", "mask", "hash", "remove", "replace", "encrypt", "text", NULL};
const struct field_type policy_operator_type = {"way to redact", read_operator, NULL, 0};
static const struct field_type matches_type = {"text", read_matches, NULL, 0};
const struct field_type policy_date_type = {"date", read_date, NULL, 0}, policy_token_type = {"text", read_token, NULL, 0};

_Static_assert(offsetof(struct policy_action, when) == 0 && offsetof(struct policy_exception, when) == 0,
               "CONDITION_FIELDS");

#define AT(member) FIELD_AT(struct policy_action, member)
const struct field policy_action_fields[] = {
    CONDITION_FIELDS,
    {"action", &field_choice, AT(action), .names = action_names, .is_required = true},
    {"with", &policy_operator_type, AT(with), .names = policy_operator_names, .initial = "label"},
    {"shadow", &field_flag, AT(is_shadow), .initial = "false"},
    {0},
};
#undef AT

#define AT(member) FIELD_AT(struct policy_exception, member)
const struct field policy_exception_fields[] = {
    CONDITION_FIELDS,
    {"matches", &matches_type, AT(matches), .initial = NULL},
    {"value_tok", &policy_token_type, AT(value), .initial = NULL},
    {"until", &policy_date_type, AT(until_s), .initial = NULL},
    {"why", &field_text, AT(why), .min = 1, .is_required = true},
    {0},
};
#undef AT

#define AT(member) FIELD_AT(struct policy, member)
const struct field policy_fields[] = {
    {"rules", &field_texts, AT(names), .is_required = true},
    {"countries", &field_texts, AT(countries), .min = 1},
    {"actions", &field_list, FIELD_LIST_AT(struct policy, actions, n_actions), .fields = policy_action_fields,
     .entry = sizeof(struct policy_action), .is_required = true},
    {"exceptions", &field_list, FIELD_LIST_AT(struct policy, exceptions, n_exceptions), .fields = policy_exception_fields,
     .entry = sizeof(struct policy_exception), .check = check_exception},
    {"hold", &field_choice, AT(hold), .names = hold_names, .initial = "paragraph"},
    {"shadow", &field_flag, AT(is_shadow), .initial = "false"},
    {"notice", &field_text, AT(notice), .initial = "This answer was withheld by policy."},
    {"supervisor", &policy_supervisor_type, AT(supervisor), .fields = policy_supervisor_fields},
    {"seal", &policy_seal_type, AT(seal), .fields = policy_seal_fields},
    {"links", &policy_links_type, AT(links), .fields = policy_links_fields},
    {"system_prompt", &policy_system_prompt_type, AT(system_prompt), .fields = policy_system_prompt_fields},
    {"keep_masked", &field_choices, AT(withheld), .names = category_names},
    {"review", &policy_review_type, AT(review), .fields = policy_review_fields},
    {"budgets", &field_list, FIELD_LIST_AT(struct policy, budgets, n_budgets), .fields = policy_budget_fields,
     .entry = sizeof(struct policy_budget), .max = POLICY_BUDGETS_MAX, .check = policy_budget_check},
    {"request", &policy_request_type, AT(request), .fields = policy_request_fields},
    {0},
};
