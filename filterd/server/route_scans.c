/* route_scans.c - POST /v1/scans: the report of a job that judged an archive with libfilterd becomes a line of the record. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "decision_log/decision_line.h"
#include "http/identities.h"
#include "http/members.h"
#include "decision_log/scan_record.h"
#include "record/note_text.h"
#include "server/feedback_json.h"
#include "server/record_job.h"
#include "service/access.h"

enum { MEMORY_MAX = 256 * 1024, BODY_MAX = 64 * 1024, DIGEST_TEXT = 71, RULE_ID_MAX = 64 };

static const char json[] = "application/json", no_store[] = "no-store";

static bool is_digest(struct span text)
{
    static const char prefix[] = "sha256:";

    bool is_good = text.len == DIGEST_TEXT && span_starts_with(text, span_str(prefix));
    for (size_t i = sizeof(prefix) - 1; is_good && i < text.len; i++) {
        is_good = memchr("0123456789abcdef", text.ptr[i], 16) != NULL;
    }
    return is_good;
}

/* Ids of rules, and versions: nothing that could be a value. */
static bool is_id(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_')) {
            return false;
        }
    }
    return text.len > 0 && text.len <= RULE_ID_MAX;
}

static bool read_digest(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct span *digest = member_of(r, m);
    struct error err;

    return (value.kind == JSON_KIND_STRING && json_unquote(r->arena, value, digest, &err) && is_digest(*digest)) ||
           member_refuse(r, m, "sha256: and 64 hexadecimal digits");
}

static bool read_version(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct span *version = member_of(r, m);
    struct error err;

    return (value.kind == JSON_KIND_STRING && json_unquote(r->arena, value, version, &err) && is_id(*version)) || member_refuse(r, m, "a version");
}

static bool read_count(struct json_value value, uint64_t *out)
{
    return value.kind == JSON_KIND_NUMBER && note_read_number(value.raw, out);
}

static int find_action(struct span name)
{
    for (int i = 0; i <= ACTION_ALLOW; i++) {
        if (span_is(name, action_names[i])) {
            return i;
        }
    }
    return -1;
}

static bool read_actions(struct member_reader *r, const struct member *m, struct json_value value)
{
    uint64_t *actions = member_of(r, m);
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span name;
    unsigned seen = 0;

    while (json_next(&it, &name, &item)) {
        int action = find_action(name);
        if (action < 0 || (seen & 1u << action) != 0 || !read_count(item, &actions[action])) {
            return member_refuse(r, m, "counts of block, redact and allow");
        }
        seen |= 1u << action;
    }
    return seen == (1u << (ACTION_ALLOW + 1)) - 1 || member_refuse(r, m, "counts of block, redact and allow");
}

static bool read_rules(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct scan_event *e = r->out;
    struct error err;
    struct scan_rule *rules = arena_array(r->arena, SCAN_RULES_MAX, sizeof(*rules), &err);
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span name;

    if (rules == NULL) {
        return fault_set_error(r->fault, &err);
    }
    bool is_good = value.kind == JSON_KIND_OBJECT;
    while (is_good && json_next(&it, &name, &item)) {
        is_good = e->n_rules < SCAN_RULES_MAX && is_id(name) && read_count(item, &rules[e->n_rules].findings);
        if (is_good) {
            rules[e->n_rules++].id = name;
        }
    }
    e->rules = rules;
    return is_good || member_refuse(r, m, "ids of at most 512 rules, each with its count");
}

static const struct member_type digest_type = {read_digest, NULL}, version_type = {read_version, NULL}, actions_type = {read_actions, NULL},
                                rules_type = {read_rules, NULL};

#define AT(member) offsetof(struct scan_event, member), 0
static const struct member members[] = {
    {"source", &member_text, AT(source)},   {"snapshot", &member_text, AT(snapshot)}, {"digest", &digest_type, AT(digest)},
    {"engine", &version_type, AT(engine)},  {"rows", &member_number, AT(rows)},       {"nulls", &member_number, AT(nulls)},
    {"unjudged", &member_number, AT(unjudged)}, {"bytes", &member_number, AT(bytes)}, {"actions", &actions_type, AT(actions)},
    {"rules", &rules_type, AT(rules)},      {0},
};
#undef AT

static bool has_all(const struct member_reader *reader, struct filter_fault *fault)
{
    static const char *const needed[] = {"source", "digest", "engine", "rows", "unjudged", "actions", "rules"};

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (!members_has(reader, needed[i])) {
            return fault_set(fault, 422, "", "the member '%s' expected", needed[i]);
        }
    }
    return true;
}

static bool check_sums(const struct scan_event *e, struct filter_fault *fault)
{
    uint64_t sum = e->nulls;

    for (size_t i = 0; i <= ACTION_ALLOW; i++) {
        if (e->actions[i] > e->rows || sum > e->rows) {
            return fault_set(fault, 422, "/actions", "counts whose sum is rows expected");
        }
        sum += e->actions[i];
    }
    return (sum == e->rows && e->unjudged <= e->actions[ACTION_BLOCK]) ||
           fault_set(fault, 422, "/rows", "the sum of nulls and actions expected, and no more unjudged than blocked");
}

/* Names of archives are people's words: judged, like any name in the record. */
static bool show_names(struct request *r, struct arena *memory, struct scan_event *e, struct filter_fault *fault)
{
    if (e->source.len == 0 || e->source.len > DECISION_TEXT_MAX || e->snapshot.len > DECISION_TEXT_MAX) {
        return fault_set(fault, 422, "", "source and snapshot: at most %d bytes expected", DECISION_TEXT_MAX);
    }
    r->snapshot = service_snapshot(r->service);
    return identity_show_text(r->service->identities, r->snapshot, memory, &e->source, fault) &&
           (e->snapshot.len == 0 || identity_show_text(r->service->identities, r->snapshot, memory, &e->snapshot, fault));
}

static bool read_scan(struct request *r, struct arena *memory, struct scan_event *e, struct filter_fault *fault)
{
    struct member_reader reader = {.arena = memory, .members = members, .out = e, .fault = fault};

    if (r->body.len > BODY_MAX) {
        return fault_set(fault, 413, "", "at most %d bytes expected", BODY_MAX);
    }
    return members_read(&reader, buf_span(&r->body)) && has_all(&reader, fault) && check_sums(e, fault) && show_names(r, memory, e, fault);
}

static bool record_scan(struct request *r, struct scan_event *e, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);
    char name[ACCESS_NAME];

    access_name(r, name);
    e->by = name;
    e->role = access_role(r);
    e->now_ns = clock_utc_ns();
    buf_init(&line, DECISION_RECORD_MAX);
    return scan_record_format(e, &line, err) && decision_log_append_wait(r->service->log, buf_span(&line), err);
}

static bool take_scan(struct request *r, struct error *err)
{
    struct arena memory CLEANUP(arena_deinit);
    struct scan_event e = {.source = {"", 0}, .snapshot = {"", 0}};
    struct filter_fault fault;

    arena_init(&memory, 0, MEMORY_MAX);
    if (!read_scan(r, &memory, &e, &fault)) {
        request_problem(r, fault.status, fault.detail, fault.pointer);
        return false;
    }
    if (!record_scan(r, &e, err)) {
        request_overload(r, "the scan could not be recorded");
        return false;
    }
    return buf_append_str(&r->answer, "{\"recorded\":true}\n", err);
}

static void scan_job(void *context, struct worker *w)
{
    record_job_run(context, w, take_scan, json, no_store);
}

enum step route_scans_run(struct request *r)
{
    return record_job_queue(r, scan_job);
}
