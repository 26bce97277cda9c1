#include "policy/exceptions_file.h"

#include <time.h>

#include "base/json.h"
#include "policy/policy_read.h"
#include "policy/review.h"

struct live_exceptions {
    const struct live_exception *items;
    size_t n;
};

/* --- reading ------------------------------------------------------------------ */

static bool check_entry(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    const struct live_exception *e = out;
    int n = (e->value != NULL) + (e->app.len > 0) + (e->matches.len > 0);

    (void)r;
    if (n != 1) {
        return yaml_error(mapping, err, "one of 'value_tok', 'app' and 'matches' expected");
    }
    if (span_equal(e->by, e->approver)) {
        return yaml_error(mapping, err, "approver: another person than 'by' expected");
    }
    return e->matches.len == 0 || regex_check(e->matches, &(size_t){0}, err) || yaml_error(mapping, err, "matches: a pattern expected");
}

#define TEXT(member) &field_text, FIELD_AT(struct live_exception, member), .min = 1
const struct field live_exception_fields[] = {
    {"id", TEXT(id), .is_required = true},
    {"rule", TEXT(rule), .is_required = true},
    {"tenant", &field_text, FIELD_AT(struct live_exception, tenant), .is_required = true},
    {"value_tok", &policy_token_type, FIELD_AT(struct live_exception, value), .initial = NULL},
    {"app", TEXT(app)},
    {"matches", TEXT(matches)},
    {"until", &policy_date_type, FIELD_AT(struct live_exception, until_s), .is_required = true},
    {"by", TEXT(by), .is_required = true},
    {"approver", TEXT(approver), .is_required = true},
    {0},
};
#undef TEXT

const struct field live_exceptions_fields[] = {
    {"exceptions", &field_list, FIELD_LIST_AT(struct live_exceptions, items, n), .fields = live_exception_fields,
     .entry = sizeof(struct live_exception), .check = check_entry, .max = LIVE_EXCEPTIONS_MAX, .is_required = true},
    {0},
};

/* --- into policies ------------------------------------------------------------ */

static bool takes_exceptions(const struct policy *p)
{
    return p->review != NULL && p->review->exceptions == REVIEW_EXCEPTIONS_LIVE;
}

bool snapshot_takes_exceptions(const struct snapshot *s)
{
    for (size_t i = 0; i < s->n_policies; i++) {
        if (takes_exceptions(&s->policies[i])) {
            return true;
        }
    }
    return false;
}

static bool make_exception(const struct live_exception *live, const struct rule *rule, struct policy_exception *out, struct error *err)
{
    *out = (struct policy_exception){.value = live->value, .until_s = live->until_s, .why = live->id, .id = live->id};
    out->when.max_confidence = 1;
    out->when.rules = (struct span_list){&rule->id, 1};
    out->when.tenants = (struct span_list){&live->tenant, 1};
    out->when.apps = live->app.len > 0 ? (struct span_list){&live->app, 1} : (struct span_list){NULL, 0};
    out->matches = live->matches.len > 0 ? regex_new(live->matches, err) : NULL;
    return live->matches.len == 0 || out->matches != NULL;
}

static bool extend_policy(struct snapshot *s, struct policy *p, const struct live_exceptions *live, struct error *err)
{
    struct policy_exception *all = arena_array(&s->memory, p->n_exceptions + live->n + 1, sizeof(*all), err);

    if (all == NULL) {
        return false;
    }
    for (size_t i = 0; i < p->n_exceptions; i++) {
        all[i] = p->exceptions[i];
    }
    p->exceptions = all; /* what is added is freed with the others */
    for (size_t i = 0; i < live->n; i++) {
        const struct rule *rule = rule_set_find(s->rules, live->items[i].rule);
        if (rule == NULL) {
            continue;
        }
        if (!make_exception(&live->items[i], rule, &all[p->n_exceptions], err)) {
            return false;
        }
        p->n_exceptions++;
    }
    return true;
}

/* Not a part of the policies' digests: what people have said of findings under a policy goes on to be true. */
static bool make_digest(struct snapshot *s, struct span yaml, struct error *err)
{
    enum { SIZE = sizeof("sha256:") + DIGEST_SHA256_HEX };
    char *text = arena_alloc(&s->memory, SIZE, err);

    if (text == NULL) {
        return false;
    }
    memcpy(text, "sha256:", sizeof("sha256:"));
    s->exceptions_digest = span_of(text, SIZE - 1);
    return digest_sha256(yaml, text + sizeof("sha256:") - 1, err);
}

bool snapshot_add_exceptions(struct snapshot *s, const char *path, struct span yaml, struct error *err)
{
    const struct field_reader r = {.arena = &s->memory};
    struct live_exceptions live = {.n = 0};
    const struct yaml_node *root = NULL;
    struct span kept;

    if (!arena_copy(&s->memory, yaml, &kept, err) || !fields_parse(&s->memory, path, kept, &root, err) ||
        !fields_read(&r, live_exceptions_fields, root, &live, err)) {
        return false;
    }
    for (size_t i = 0; i < s->n_policies && live.n > 0; i++) {
        struct policy *p = &s->policies[i];
        if (takes_exceptions(p) && !extend_policy(s, p, &live, err)) {
            return false;
        }
    }
    return make_digest(s, kept, err);
}

/* --- writing ------------------------------------------------------------------ */

/* A string of JSON is one of YAML. */
static bool put(struct buf *out, const char *name, struct span text, struct error *err)
{
    return buf_appendf(out, err, "    %s: ", name) && json_append_string(out, text, err) && buf_append_char(out, '\n', err);
}

static bool put_entry(struct buf *out, const struct live_exception *e, struct error *err)
{
    const time_t until = (time_t)e->until_s;
    struct tm date;
    char day[16];

    if (gmtime_r(&until, &date) == NULL || strftime(day, sizeof(day), "%Y-%m-%d", &date) == 0) {
        return error_set(err, ERROR_INVALID, "exceptions: a day expected");
    }
    const char *name = e->value_tok.len > 0 ? "value_tok" : e->app.len > 0 ? "app" : "matches";
    struct span text = e->value_tok.len > 0 ? e->value_tok : e->app.len > 0 ? e->app : e->matches;
    return buf_append_str(out, "  -\n", err) && put(out, "id", e->id, err) && put(out, "rule", e->rule, err) &&
           put(out, "tenant", e->tenant, err) && put(out, name, text, err) && put(out, "until", span_str(day), err) &&
           put(out, "by", e->by, err) && put(out, "approver", e->approver, err);
}

bool exceptions_file_write(const struct live_exception *items, size_t n, struct buf *out, struct error *err)
{
    bool is_put = n <= LIVE_EXCEPTIONS_MAX ? buf_append_str(out, "# Written by filterd; filterctl review exceptions withdraws.\nexceptions:", err)
                                           : error_set(err, ERROR_LIMIT, "exceptions: at most %d expected", LIVE_EXCEPTIONS_MAX);

    is_put = is_put && buf_append_str(out, n == 0 ? " []\n" : "\n", err);
    for (size_t i = 0; i < n && is_put; i++) {
        is_put = put_entry(out, &items[i], err);
    }
    return is_put;
}
