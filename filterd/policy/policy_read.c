/* policy_read.c - policies from YAML (filterd-policy(5)). */
#include <sodium.h>

#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "base/yaml.h"
#include "policy/policy_read.h"
#include "policy/supervisor.h"

static const char *const action_names[] = {"block", "redact", "allow", NULL};
static const char *const hold_names[] = {"all", "paragraph", "sentence", "none", NULL};

const char *action_name(enum action action)
{
    return action_names[action];
}

const char *hold_name(enum hold_unit hold)
{
    return hold_names[hold];
}

/* --- conditions ----------------------------------------------------------- */

static bool read_bits(const struct yaml_node *node, const char *(*name)(unsigned), unsigned n, unsigned *bits,
                      struct error *err)
{
    const char *names[8] = {NULL};

    for (unsigned i = 0; i < n && i < COUNT(names) - 1; i++) {
        names[i] = name(i);
    }
    if (node->kind != YAML_SEQUENCE) {
        unsigned choice;
        if (!yaml_read_choice(node, names, &choice, err)) {
            return false;
        }
        *bits |= 1U << choice;
        return true;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        unsigned choice;
        if (!yaml_read_choice(c, names, &choice, err)) {
            return false;
        }
        *bits |= 1U << choice;
    }
    return *bits != 0 || yaml_error(node, err, "at least one value expected");
}

static const char *category_at(unsigned i)
{
    return category_name((enum category)i);
}

static const char *severity_at(unsigned i)
{
    return severity_name((enum severity)i);
}

/* '>=0.9', '<0.5' or '0.4..0.9'; in [min, max). A bound of 1 above is inclusive. */
static bool read_confidence(const struct yaml_node *node, struct policy_condition *when, struct error *err)
{
    char text[32];
    char *end = NULL;

    if (node->kind != YAML_SCALAR || node->text.len == 0 || node->text.len >= sizeof(text)) {
        return yaml_error(node, err, "'>=0.9', '<0.5' or '0.4..0.9' expected");
    }
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
    return is_good || yaml_error(node, err, "'>=0.9', '<0.5' or '0.4..0.9' expected");
}

static bool check_rule_names(const struct condition_reader *r, const struct yaml_node *node,
                             const struct span_list *names, struct error *err)
{
    for (size_t i = 0; i < names->n; i++) {
        if (rule_set_find(r->rules, names->items[i]) == NULL && supervisor_rule_find(names->items[i]) == NULL) {
            return yaml_error(node, err, "there is no rule '" SPAN_FMT "'", SPAN_ARG(names->items[i]));
        }
    }
    return true;
}

/* An empty list would hold for everything, which is never what its author means. */
static bool read_names(const struct condition_reader *r, const struct yaml_node *node, struct span_list *list,
                       struct error *err)
{
    if (list->n > 0) {
        return yaml_error(node, err, "either the singular or the plural of '" SPAN_FMT "' expected",
                          SPAN_ARG(node->key));
    }
    return yaml_read_texts(r->arena, node, &list->items, &list->n, err) &&
           (list->n > 0 || yaml_error(node, err, "at least one value expected"));
}

bool policy_read_condition_key(const struct condition_reader *r, const struct yaml_node *node,
                               struct policy_condition *when, bool *is_known, struct error *err)
{
    const struct {
        const char *name;
        struct span_list *list;
    } lists[] = {{"rule", &when->rules},     {"rules", &when->rules},   {"tag", &when->tags},
                 {"tags", &when->tags},      {"tenant", &when->tenants}, {"tenants", &when->tenants},
                 {"app", &when->apps},       {"apps", &when->apps},     {"route", &when->routes},
                 {"routes", &when->routes},  {"agent", &when->agents},  {"agents", &when->agents}};

    *is_known = true;
    if (span_is(node->key, "category")) {
        return read_bits(node, category_at, CATEGORY_COUNT, &when->categories, err);
    }
    if (span_is(node->key, "severity")) {
        return read_bits(node, severity_at, SEVERITY_COUNT, &when->severities, err);
    }
    if (span_is(node->key, "confidence")) {
        return read_confidence(node, when, err);
    }
    for (size_t i = 0; i < COUNT(lists); i++) {
        if (span_is(node->key, lists[i].name)) {
            return read_names(r, node, lists[i].list, err) &&
                   (lists[i].list != &when->rules || check_rule_names(r, node, &when->rules, err));
        }
    }
    *is_known = false;
    return true;
}

static bool unknown_key(const struct yaml_node *node, struct error *err)
{
    return error_set(err, ERROR_INVALID, "%s:%u:%u: key '" SPAN_FMT "' is not known here", node->file,
                     node->key_line, node->key_column, SPAN_ARG(node->key));
}

/* --- operators ------------------------------------------------------------ */

static bool read_mask(const struct yaml_node *node, struct redaction_operator *op, struct error *err)
{
    static const char *const keys[] = {"keep_last", NULL};
    const struct yaml_node *c;
    int64_t keep = 0;

    if (!yaml_expect(node, YAML_MAPPING, "mask", err) || !yaml_check_keys(node, keys, err) ||
        ((c = yaml_get(node, "keep_last")) != NULL && !yaml_read_integer(c, 0, 8, &keep, err))) {
        return false;
    }
    op->keep_last = (uint32_t)keep;
    return true;
}

/* `label`, or `{mask: {keep_last: 4}}`, or `{replace: 'text'}`. */
static bool read_operator(const struct yaml_node *node, struct redaction_operator *op, struct error *err)
{
    static const char *const names[] = {"label", "mask", "hash", "remove", "replace", "encrypt", NULL};
    struct yaml_node name = *node;
    const struct yaml_node *arguments = NULL;
    unsigned choice;

    if (node->kind == YAML_MAPPING && node->n == 1) {
        arguments = node->first;
        name.kind = YAML_SCALAR;
        name.text = arguments->key;
    }
    if (!yaml_read_choice(&name, names, &choice, err)) {
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
    return op->kind == OPERATOR_MASK ? read_mask(arguments, op, err) : yaml_error(node, err, "no arguments expected");
}

/* --- entries -------------------------------------------------------------- */

static bool read_action(const struct condition_reader *r, const struct yaml_node *node, struct policy_action *out,
                        struct error *err)
{
    bool has_action = false;

    *out = (struct policy_action){.when = {.max_confidence = 1}, .with = {.mask_char = '*'}};
    if (!yaml_expect(node, YAML_MAPPING, "action", err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        bool is_known;
        if (!policy_read_condition_key(r, c, &out->when, &is_known, err)) {
            return false;
        }
        bool is_read = is_known;
        if (span_is(c->key, "action")) {
            unsigned choice = 0;
            is_read = has_action = yaml_read_choice(c, action_names, &choice, err);
            out->action = (enum action)choice;
        } else if (span_is(c->key, "with")) {
            is_read = read_operator(c, &out->with, err);
        } else if (span_is(c->key, "shadow")) {
            is_read = yaml_read_flag(c, &out->is_shadow, err);
        } else if (!is_known) {
            return unknown_key(c, err);
        }
        if (!is_read) {
            return false;
        }
    }
    return has_action || yaml_error(node, err, "'action' expected");
}

/* A calendar date, the first instant that the exception no longer covers, UTC. */
static bool read_date(const struct yaml_node *node, int64_t *seconds, struct error *err)
{
    struct tm date = {0};
    char text[11];

    if (node->kind == YAML_SCALAR && node->text.len == sizeof(text) - 1) {
        memcpy(text, node->text.ptr, sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        const char *end = strptime(text, "%Y-%m-%d", &date);
        int day = date.tm_mday;
        if (end != NULL && *end == '\0') {
            time_t time = timegm(&date);
            if (date.tm_mday == day) { /* timegm moves the 31st of a short month on */
                *seconds = time;
                return true;
            }
        }
    }
    return yaml_error(node, err, "a date as 2027-01-31 expected");
}

static bool read_matches(const struct yaml_node *node, struct regex **matches, struct error *err)
{
    struct error reason = {0};
    struct span pattern;

    if (!yaml_read_text(node, &pattern, err)) {
        return false;
    }
    *matches = regex_new(pattern, &reason);
    return *matches != NULL || yaml_error(node, err, "%s", reason.text);
}

static bool read_exception(const struct condition_reader *r, const struct yaml_node *node,
                           struct policy_exception *out, struct error *err)
{
    *out = (struct policy_exception){.when = {.max_confidence = 1}, .until_s = INT64_MAX};
    if (!yaml_expect(node, YAML_MAPPING, "exception", err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        bool is_known;
        bool is_read = policy_read_condition_key(r, c, &out->when, &is_known, err);
        if (span_is(c->key, "matches")) {
            is_read = read_matches(c, &out->matches, err);
        } else if (span_is(c->key, "until")) {
            is_read = read_date(c, &out->until_s, err);
        } else if (span_is(c->key, "why")) {
            is_read = yaml_read_text(c, &out->why, err);
        } else if (is_read && !is_known) {
            return unknown_key(c, err);
        }
        if (!is_read) {
            return false;
        }
    }
    if (out->why.len == 0) {
        return yaml_error(node, err, "'why' expected: an exception states its reason");
    }
    bool is_narrow = out->when.rules.n > 0 || out->when.tags.n > 0 || out->matches != NULL;
    return is_narrow || yaml_error(node, err, "'rule', 'tag' or 'matches' expected: an exception covers no whole category");
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
static bool read_countries(const struct condition_reader *r, const struct yaml_node *node, struct span_list *countries,
                           struct error *err)
{
    if (!read_names(r, node, countries, err)) {
        return false;
    }
    for (size_t i = 0; i < countries->n; i++) {
        if (!has_country(r->rules, countries->items[i])) {
            return yaml_error(node, err, "there is no rule of country '" SPAN_FMT "'", SPAN_ARG(countries->items[i]));
        }
    }
    return true;
}

/* Packs by name, less the national rules of countries not chosen; or single rules by id, whatever their country. */
static bool read_rules(const struct condition_reader *r, const struct yaml_node *node,
                       const struct span_list *countries, bool *has_rule, struct error *err)
{
    const struct span *names;
    size_t n;

    if (!yaml_read_texts(r->arena, node, &names, &n, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_found = false;
        for (uint32_t k = 0; k < r->rules->n_rules; k++) {
            const struct rule *rule = &r->rules->rules[k];
            bool is_pack = span_equal(rule->pack, names[i]);
            if (is_pack || span_equal(rule->id, names[i])) {
                has_rule[k] = has_rule[k] || !is_pack || is_chosen(countries, rule);
                is_found = true;
            }
        }
        if (!is_found) {
            return yaml_error(node, err, "there is no pack or rule '" SPAN_FMT "'", SPAN_ARG(names[i]));
        }
    }
    return true;
}

static bool read_actions(const struct condition_reader *r, const struct yaml_node *node, struct policy *policy,
                         struct error *err)
{
    if (!yaml_expect(node, YAML_SEQUENCE, "actions", err)) {
        return false;
    }
    struct policy_action *actions = arena_array(r->arena, node->n, sizeof(*actions), err);
    if (actions == NULL) {
        return false;
    }
    policy->actions = actions;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!read_action(r, c, &actions[policy->n_actions++], err)) {
            return false;
        }
    }
    return true;
}

static bool read_exceptions(const struct condition_reader *r, const struct yaml_node *node, struct policy *policy,
                            struct error *err)
{
    if (!yaml_expect(node, YAML_SEQUENCE, "exceptions", err)) {
        return false;
    }
    struct policy_exception *exceptions = arena_array(r->arena, node->n, sizeof(*exceptions), err);
    if (exceptions == NULL) {
        return false;
    }
    memset(exceptions, 0, node->n * sizeof(*exceptions)); /* what was not read is still freed */
    policy->exceptions = exceptions;
    policy->n_exceptions = node->n;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!read_exception(r, c, exceptions++, err)) {
            return false;
        }
    }
    return true;
}

static bool read_hold(const struct yaml_node *node, enum hold_unit *hold, struct error *err)
{
    unsigned choice = 0;

    bool is_read = yaml_read_choice(node, hold_names, &choice, err);
    *hold = (enum hold_unit)choice;
    return is_read;
}

static bool make_digest(const struct condition_reader *r, struct span yaml, struct policy *policy, struct error *err)
{
    crypto_hash_sha256_state state;
    uint8_t digest[crypto_hash_sha256_BYTES];
    const size_t size = sizeof("sha256:") + 2 * sizeof(digest);
    char *text = arena_alloc(r->arena, size, err);

    if (text == NULL) {
        return false;
    }
    (void)crypto_hash_sha256_init(&state);
    const struct span parts[] = {r->rules->digest, policy->name, yaml};
    for (size_t i = 0; i < COUNT(parts); i++) {
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

bool policy_read(struct arena *a, const struct rule_set *rules, const struct yaml_node *node, struct span yaml,
                 struct policy *out, struct error *err)
{
    static const char *const keys[] = {"rules",  "countries", "actions", "exceptions", "hold",
                                       "shadow", "notice",    "supervisor", NULL};
    const struct condition_reader r = {.arena = a, .rules = rules};
    const struct yaml_node *c;
    struct span_list countries = {0};
    bool *has_rule = arena_array(a, (size_t)rules->n_rules + 1, sizeof(*has_rule), err);

    *out = (struct policy){.name = node->key, .hold = HOLD_PARAGRAPH, .notice = span_str("This answer was withheld by policy.")};
    if (has_rule == NULL) {
        return false;
    }
    memset(has_rule, 0, ((size_t)rules->n_rules + 1) * sizeof(*has_rule));
    out->has_rule = has_rule;
    if (!yaml_expect(node, YAML_MAPPING, "policy", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    if (yaml_get(node, "rules") == NULL || yaml_get(node, "actions") == NULL) {
        return yaml_error(node, err, "'rules' and 'actions' expected");
    }
    if ((c = yaml_get(node, "countries")) != NULL && !read_countries(&r, c, &countries, err)) {
        return false;
    }
    if (!read_rules(&r, yaml_get(node, "rules"), c == NULL ? NULL : &countries, has_rule, err)) {
        return false;
    }
    out->has_classifiers = rule_set_has_use(rules, has_rule);
    return read_actions(&r, yaml_get(node, "actions"), out, err) &&
           ((c = yaml_get(node, "exceptions")) == NULL || read_exceptions(&r, c, out, err)) &&
           ((c = yaml_get(node, "hold")) == NULL || read_hold(c, &out->hold, err)) &&
           ((c = yaml_get(node, "shadow")) == NULL || yaml_read_flag(c, &out->is_shadow, err)) &&
           ((c = yaml_get(node, "notice")) == NULL || yaml_read_text(c, &out->notice, err)) &&
           ((c = yaml_get(node, "supervisor")) == NULL ||
            policy_supervisor_read(a, rules, c, &out->supervisor, err)) &&
           make_digest(&r, yaml, out, err);
}
