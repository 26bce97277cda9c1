/* The manuals and the JSON Schemas say of each key of a configuration file what its table says, and of no other. */
#include "testing.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "formats/base_url.h"
#include "jail/egress/policy_values.h"
#include "jail/policy/options.h"
#include "policy/exceptions_file.h"
#include "policy/names.h"
#include "policy/policy_read.h"
#include "policy/rule_read_parts.h"
#include "link/config.h"
#include "policy/supervisor.h"
#include "service/page_identity.h"
#include "ship/config.h"
#include "supervisor-llm/endpoint_read.h"
#include "support/manual.h"
#include "upstream/upstream_read.h"
#include "witness/config.h"

enum { NAME_MAX_LEN = 64 };

#define POLICY "docs/man/filterd-policy.5", "rules/policy.schema.json"
#define RULES "docs/man/filterd-rules.5", "rules/rule.schema.json"
#define EGRESS "docs/man/filterd-egress.1", "rules/egress.schema.json"
#define JAIL "docs/man/filterd-jail.1", "jail/policy/schema.json"
#define SHIP "docs/man/filterd-ship.8", "rules/ship.schema.json"
#define SUPERVISORS "docs/man/filterd-supervisors.5", "rules/supervisors.schema.json"

static const struct table {
    const struct field *fields;
    const char *page, *schema;
    /* Its heading; behind a slash the key below which the list stands, behind a colon the key whose own text says it all.
     * Behind a plus another place, for what is not in the first. */
    const char *section;
    const char *object;  /* a JSON pointer */
} tables[] = {
    {upstream_fields, "docs/man/filterd-upstreams.5", "rules/upstreams.schema.json", "KEYS OF AN UPSTREAM", "/$defs/upstream"},
    {endpoint_fields, SUPERVISORS, "KEYS OF A SUPERVISOR", "/$defs/supervisor"},
    {endpoints_fields, SUPERVISORS, "KEYS OF THE FILE", ""},
    {webhook_fields, SUPERVISORS, "KEYS OF THE FILE:webhook", "/properties/webhook"},
    {link_config_fields, "docs/man/filterd-link.8", "rules/link.schema.json", "KEYS OF THE FILE", ""},
    {ship_config_fields, SHIP, "KEYS OF THE FILE", ""},
    {ship_sink_fields, SHIP, "KEYS OF A SINK", "/$defs/sink"},
    {ship_header_fields, SHIP, "KEYS OF A SINK:headers", "/$defs/header"},
    {snapshot_fields, POLICY, "KEYS OF THE FILE", ""},
    {tenant_fields, POLICY, "KEYS OF THE FILE:tenants", "/properties/tenants/additionalProperties"},
    {policy_fields, POLICY, "KEYS OF A POLICY", "/$defs/policy"},
    {policy_supervisor_fields, POLICY, "KEYS OF A SUPERVISOR", "/$defs/supervisor"},
    {supervisor_trigger_fields, POLICY, "KEYS OF A SUPERVISOR:when+CONDITIONS", "/$defs/trigger"},
    {policy_seal_fields, POLICY, "KEYS OF A SEAL", "/$defs/seal"},
    {seal_trigger_fields, POLICY, "KEYS OF A SEAL:when+CONDITIONS", "/$defs/sealTrigger"},
    {policy_review_fields, POLICY, "KEYS OF A REVIEW", "/$defs/review"},
    {review_trigger_fields, POLICY, "KEYS OF A REVIEW:queue+CONDITIONS", "/$defs/reviewTrigger"},
    {review_sample_fields, POLICY, "KEYS OF A REVIEW:sample", "/$defs/review/properties/sample"},
    {review_due_fields, POLICY, "KEYS OF A REVIEW:due", "/$defs/review/properties/due"},
    {policy_budget_fields, POLICY, "KEYS OF A BUDGET+CONDITIONS", "/$defs/budget"},
    {policy_links_fields, POLICY, "KEYS OF LINKS", "/$defs/policy/properties/links"},
    {policy_system_prompt_fields, POLICY, "KEYS OF A SYSTEM PROMPT", "/$defs/policy/properties/system_prompt"},
    {policy_request_fields, POLICY, "KEYS OF REQUESTS", "/$defs/request"},
    {request_action_fields, POLICY, "KEYS OF A REQUEST'S ENTRY+CONDITIONS", "/$defs/requestAction"},
    {request_result_fields, POLICY, "KEYS OF A TOOL RESULT'S ENTRY+CONDITIONS", "/$defs/resultAction"},
    {policy_action_fields, POLICY, "KEYS OF AN ENTRY OF ACTIONS+CONDITIONS", "/$defs/action"},
    {policy_exception_fields, POLICY, "KEYS OF AN EXCEPTION+CONDITIONS", "/$defs/exception"},
    {live_exceptions_fields, "docs/man/filterd-policy.5", "rules/exceptions.schema.json", "THE FILE OF LIVE EXCEPTIONS", ""},
    {live_exception_fields, "docs/man/filterd-policy.5", "rules/exceptions.schema.json", "THE FILE OF LIVE EXCEPTIONS/exceptions",
     "/$defs/exception"},
    {violations_fields, POLICY, "VIOLATIONS", "/$defs/violations"},
    {violation_threshold_fields, POLICY, "VIOLATIONS:actions", "/$defs/violations/properties/actions/items"},
    {violation_hook_fields, POLICY, "VIOLATIONS/hooks", "/$defs/violations/properties/hooks/items"},
    {violation_ask_fields, POLICY, "VIOLATIONS:ask", "/$defs/violations/properties/ask"},
    {policy_mask_fields, POLICY, "REDACTION OPERATORS:mask", "/$defs/operator/oneOf/1/properties/mask"},
    {rule_fields, RULES, "KEYS OF A RULE", "/$defs/rule"},
    {rule_requires_fields, RULES, "KEYS OF A RULE:requires", "/$defs/rule/properties/requires"},
    {rule_exact_fields, RULES, "KEYS OF A RULE:exact_data", "/$defs/rule/properties/exact_data"},
    {rule_documents_fields, RULES, "KEYS OF A RULE:documents", "/$defs/rule/properties/documents"},
    {rule_context_fields, RULES, "CONTEXT", "/$defs/context"},
    {rule_check_fields, RULES, "CHECKS", "/$defs/check/oneOf/2/properties/luhn"},
    {names_entry_fields, NULL, "rules/names.schema.json", "NAMES", "/$defs/entry"}, /* a table of the page */
    {egress_policy_fields, EGRESS, "POLICY", ""},
    {egress_rule_fields, EGRESS, "rules", "/$defs/rule"},
    {egress_credential_fields, EGRESS, "credentials", "/$defs/credential"},
    {egress_limit_fields, EGRESS, "limits", "/properties/limits"},
    {jail_policy_fields, JAIL, "POLICY", ""},
    {jail_network_fields, JAIL, "POLICY:network", "/properties/network/oneOf/1"},
    {jail_environment_fields, JAIL, "POLICY:environment", "/properties/environment"},
    {jail_input_fields, JAIL, "POLICY:inputs", "/properties/inputs/items"},
    {jail_syscalls_fields, JAIL, "POLICY:syscalls", "/properties/syscalls"},
    {jail_work_fields, JAIL, "POLICY/work", "/properties/work"},
    {jail_tmp_fields, JAIL, "POLICY:tmp", "/properties/tmp"},
    {jail_snapshots_fields, JAIL, "POLICY:snapshots", "/properties/snapshots"},
    {jail_outputs_fields, JAIL, "POLICY/outputs", "/properties/outputs"},
    {jail_filter_fields, JAIL, "POLICY/filter", "/properties/filter"},
    {jail_report_fields, JAIL, "POLICY:report", "/properties/report"},
    {jail_limits_fields, JAIL, "POLICY/limits", "/properties/limits"},
    {page_identity_fields, "docs/man/filterd-page.7", "rules/page-identity.schema.json", "IDENTITY FROM A PROXY", ""},
    {page_group_fields, "docs/man/filterd-page.7", "rules/page-identity.schema.json", "IDENTITY FROM A PROXY:map",
     "/$defs/group"},
    {witness_config_fields, "docs/man/filterd-witness.8", "rules/witness.schema.json", "CONFIGURATION", ""},
};

static unsigned complaints;

static void complain(const struct table *t, const char *file, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void complain(const struct table *t, const char *file, const char *key, const char *format, ...)
{
    va_list args;

    (void)fprintf(stderr, "%s, %s: %s: ", file, t->section, key);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    complaints++;
}

/* --- what a table says -------------------------------------------------------- */

static void print_bound(const struct field *f, double value, char out[NAME_MAX_LEN])
{
    static const struct {
        const char *suffix;
        double factor;
    } sizes[] = {{"T", 0x1p40}, {"G", 0x1p30}, {"M", 0x1p20}, {"K", 0x1p10}},
      times[] = {{"d", 86400e3}, {"h", 3600e3}, {"m", 60e3}, {"s", 1e3}, {"ms", 1}};
    bool is_size = f->type == &field_size, is_time = f->type == &field_ms || f->type == &field_ns;
    size_t n = is_size ? COUNT(sizes) : is_time ? COUNT(times) : 0;

    (void)snprintf(out, NAME_MAX_LEN, value >= 1e6 ? "%.0f" : "%g", value);
    for (size_t i = 0; i < n; i++) {
        double units = value / (is_size ? sizes[i].factor : times[i].factor);
        if (units >= 1 && units == (double)(int64_t)units) {
            (void)snprintf(out, NAME_MAX_LEN, "%.0f%s", units, is_size ? sizes[i].suffix : times[i].suffix);
            return;
        }
    }
}

static bool has_range(const struct field *f)
{
    const struct field_type *const ranged[] = {&field_integer, &field_number, &field_size, &field_ms, &field_ns, &jail_cpu};

    for (size_t i = 0; i < COUNT(ranged); i++) {
        if (f->type == ranged[i]) {
            return true;
        }
    }
    return false;
}

static void check_entry(const struct table *t, const struct field *f, const struct manual_entry *e)
{
    char expected[4 * NAME_MAX_LEN], min[NAME_MAX_LEN], max[NAME_MAX_LEN];

    print_bound(f, f->min, min);
    print_bound(f, f->max, max);
    (void)snprintf(expected, sizeof(expected), "%s to %s", min, max);
    if (has_range(f) && strstr(e->tag, expected) == NULL) {
        complain(t, t->page, f->name, "'%s' expected in its tag", expected);
    }
    if (!has_range(f) && f->max > 1 && strstr(e->tag, max) == NULL && strstr(e->text, max) == NULL) {
        complain(t, t->page, f->name, "the most, %s, expected", max);
    }
    if (f->type == &field_flag && strstr(e->tag, "true or false") == NULL) {
        complain(t, t->page, f->name, "'true or false' expected in its tag");
    }
    if (f->is_required && strstr(e->tag, "required") == NULL) {
        complain(t, t->page, f->name, "'required' expected in its tag");
    }
    if (f->may_be_none && strstr(e->tag, "none") == NULL) {
        complain(t, t->page, f->name, "'none' expected in its tag");
    }
    (void)snprintf(expected, sizeof(expected), "default: %s", f->initial == NULL ? "" : f->initial);
    if (f->initial != NULL && strstr(e->tag, expected) == NULL) {
        complain(t, t->page, f->name, "'%s' expected in its tag", expected);
    }
    for (size_t i = 0; f->names != NULL && f->names[i] != NULL; i++) {
        if (strstr(e->tag, f->names[i]) == NULL && strstr(e->text, f->names[i]) == NULL) {
            complain(t, t->page, f->name, "the value '%s' expected", f->names[i]);
        }
    }
}

static const struct field *find_field(const struct field *f, const char *name)
{
    for (; f->name != NULL && strcmp(f->name, name) != 0; f++) {
    }
    return f->name == NULL ? NULL : f;
}

/* Each name of a tag is a key. */
static void check_tag(const struct table *t, const char *tag)
{
    char names[MANUAL_TEXT_MAX], *rest = NULL;

    (void)snprintf(names, sizeof(names), "%.*s", (int)strcspn(tag, "({["), tag);
    for (char *one = strtok_r(names, " ,", &rest); one != NULL; one = strtok_r(NULL, " ,", &rest)) {
        if (find_field(t->fields, one) == NULL && strcmp(one, "or") != 0 && strcmp(one, "and") != 0) {
            complain(t, t->page, one, "there is no such key");
        }
    }
}

static bool has_word(const char *text, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    size_t len = strlen(word);

    for (const char *at = text; (at = strstr(at, word)) != NULL; at += len) {
        if ((at == text || strchr(letters, at[-1]) == NULL) && (at[len] == '\0' || strchr(letters, at[len]) == NULL)) {
            return true;
        }
    }
    return false;
}

/* The text of one key says of each key in its mapping what a tag would. */
static void check_text(const struct table *t, const struct manual_entry *e, uint64_t *found)
{
    static struct manual_entry whole;

    (void)snprintf(whole.tag, sizeof(whole.tag), "%.8000s %.8000s", e->tag, e->text);
    for (const struct field *f = t->fields; f->name != NULL; f++) {
        if (!has_word(whole.tag, f->name)) {
            continue;
        }
        *found |= UINT64_C(1) << (unsigned)(f - t->fields);
        if (strchr(t->section, '+') == NULL) { /* else it may be a word like any other here */
            check_entry(t, f, &whole);
        }
    }
}

static void check_tags(const struct table *t, const struct manual_entry *e, uint64_t *found)
{
    check_tag(t, e->tag);
    for (const struct field *f = t->fields; f->name != NULL; f++) {
        if (manual_has_name(e->tag, f->name)) {
            *found |= UINT64_C(1) << (unsigned)(f - t->fields);
            check_entry(t, f, e);
        }
    }
}

/* One place of a page; bits of `found` for the table's rows. */
static void check_place(const struct table *t, const char *place, uint64_t *found)
{
    static struct manual_entry e;
    struct manual m = {0};
    struct error err;
    struct buf text;
    char section[NAME_MAX_LEN];
    size_t len = strcspn(place, "/:");
    const char *key = place[len] == '\0' ? "" : place + len + 1;
    bool is_text = place[len] == ':';

    buf_init(&text, 1 << 20);
    if (!file_read(t->page, &text, &err) || !buf_append_char(&text, '\0', &err)) {
        fail_msg("%s", err.text);
    }
    m.at = text.data;
    (void)snprintf(section, sizeof(section), "%.*s", (int)len, place);
    if (!manual_seek(&m, section, is_text ? "" : key)) {
        complain(t, t->page, place, "there is no such list");
    }
    for (unsigned depth = m.depth; manual_next(&m, depth, &e);) {
        if (!is_text) {
            check_tags(t, &e, found);
        } else if (has_word(e.tag, key)) {
            check_text(t, &e, found);
        }
    }
    buf_deinit(&text);
}

static void manuals_have_each_key_with_its_bounds_and_no_other(void **state)
{
    (void)state;
    complaints = 0;
    for (size_t i = 0; i < COUNT(tables); i++) {
        const struct table *t = &tables[i];
        char places[4 * NAME_MAX_LEN], *rest = NULL;
        uint64_t found = 0;
        (void)snprintf(places, sizeof(places), "%s", t->section);
        for (char *place = t->page == NULL ? NULL : strtok_r(places, "+", &rest); place != NULL; place = strtok_r(NULL, "+", &rest)) {
            check_place(t, place, &found);
        }
        for (const struct field *f = t->fields; f->name != NULL; f++) {
            if (t->page != NULL && (found >> (unsigned)(f - t->fields) & 1U) == 0) {
                complain(t, t->page, f->name, "the key is missing");
            }
        }
    }
    assert_int_equal(complaints, 0);
}

/* --- schemas -------------------------------------------------------------------- */

static json_t *at_pointer(json_t *root, const char *pointer)
{
    char parts[4 * NAME_MAX_LEN], *rest = NULL;

    (void)snprintf(parts, sizeof(parts), "%s", pointer);
    for (char *part = strtok_r(parts, "/", &rest); part != NULL; part = strtok_r(NULL, "/", &rest)) {
        root = json_is_array(root) ? json_array_get(root, (size_t)strtoul(part, NULL, 10)) : json_object_get(root, part);
    }
    return root;
}

/* Of the value, or of what it refers to. */
static json_t *property(json_t *root, json_t *value, const char *name)
{
    json_t *found = json_object_get(value, name);
    const char *other = json_string_value(json_object_get(value, "$ref"));

    return found != NULL || other == NULL ? found : json_object_get(at_pointer(root, other + 1), name);
}

static void check_enum(const struct table *t, const struct field *f, json_t *names)
{
    size_t n = 0;

    for (; f->names[n] != NULL; n++) {
        bool is_there = false;
        for (size_t i = 0; i < json_array_size(names); i++) {
            is_there |= strcmp(json_string_value(json_array_get(names, i)), f->names[n]) == 0;
        }
        if (!is_there) {
            complain(t, t->schema, f->name, "the value '%s' expected", f->names[n]);
        }
    }
    if (n != json_array_size(names)) {
        complain(t, t->schema, f->name, "it has other values");
    }
}

static void check_default(const struct table *t, const struct field *f, json_t *value)
{
    char text[NAME_MAX_LEN] = "";

    if (json_is_string(value)) {
        (void)snprintf(text, sizeof(text), "%s", json_string_value(value));
    } else if (json_is_number(value)) {
        (void)snprintf(text, sizeof(text), "%g", json_number_value(value));
    } else if (json_is_boolean(value)) {
        (void)snprintf(text, sizeof(text), "%s", json_is_true(value) ? "true" : "false");
    }
    if (f->initial != NULL && strcmp(text, f->initial) != 0) {
        complain(t, t->schema, f->name, "the default %s expected", f->initial);
    }
}

static void check_property(const struct table *t, const struct field *f, json_t *root, json_t *value)
{
    json_t *least = property(root, value, "minimum"), *most = property(root, value, "maximum");
    json_t *names = property(root, value, "enum"), *initial = property(root, value, "default");
    bool is_number = f->type == &field_integer || f->type == &field_number;

    if (is_number && least != NULL && json_number_value(least) != f->min) {
        complain(t, t->schema, f->name, "a minimum of %g expected", f->min);
    }
    if (is_number && most != NULL && json_number_value(most) != f->max) {
        complain(t, t->schema, f->name, "a maximum of %g expected", f->max);
    }
    if (f->type == &field_choices && names == NULL) {
        names = property(root, json_array_get(property(root, value, "oneOf"), 0), "enum");
    }
    if (f->names != NULL && names != NULL) {
        check_enum(t, f, names);
    }
    if (initial != NULL) {
        check_default(t, f, initial);
    }
}

static bool is_required(json_t *object, const char *name)
{
    json_t *required = json_object_get(object, "required");

    for (size_t i = 0; i < json_array_size(required); i++) {
        if (strcmp(json_string_value(json_array_get(required, i)), name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_schema(const struct table *t, json_t *root)
{
    json_t *object = at_pointer(root, t->object), *properties = json_object_get(object, "properties"), *value;
    const char *name;

    json_object_foreach(properties, name, value) {
        const struct field *f = find_field(t->fields, name);
        if (f == NULL && t->fields != rule_check_fields) {
            complain(t, t->schema, name, "there is no such key");
        } else if (f != NULL && !f->is_required && is_required(object, name) && strstr(name, "match") == NULL) {
            complain(t, t->schema, name, "it is not required"); /* but of the examples of rules: without them there is a warning */
        }
    }
    for (const struct field *f = t->fields; f->name != NULL; f++) {
        value = json_object_get(properties, f->name);
        if (value == NULL || (f->is_required && !is_required(object, f->name))) {
            complain(t, t->schema, f->name, value == NULL ? "the key is missing" : "'required' expected");
        } else {
            check_property(t, f, root, value);
        }
    }
}

static void schemas_have_each_key_with_its_bounds_and_no_other(void **state)
{
    (void)state;
    complaints = 0;
    for (size_t i = 0; i < COUNT(tables); i++) {
        json_error_t why;
        json_t *root = json_load_file(tables[i].schema, 0, &why);
        if (root == NULL) {
            fail_msg("%s: %s", tables[i].schema, why.text);
        }
        check_schema(&tables[i], root);
        json_decref(root);
    }
    assert_int_equal(complaints, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manuals_have_each_key_with_its_bounds_and_no_other),
        cmocka_unit_test(schemas_have_each_key_with_its_bounds_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
