/* format_ocsf.c - OCSF 1.8.0 events, one JSON object a line.
 *
 * One event for each rule of a decision: Data Security Finding (2006) for secrets and personal data, Detection Finding
 * (2004) for injections, content, decisions without findings, and kills. Lines that report no finding have no event.
 * pattern_match and texts of prompts or answers are never written; the record does not have them either. */
#include "ship/format.h"
#include "ship/out.h"

enum { CLASS_DATA_SECURITY = 2006, CLASS_DETECTION = 2004, CATEGORY_FINDINGS = 2, SYSTEM_DLP = 10, STATUS_NEW = 1 };
enum { ACTIVITY_CREATE = 1, ACTIVITY_UPDATE = 2, ACTIVITY_CLOSE = 3 };
enum { RULES_MAX = 64 };

/* One event of a line. */
struct event {
    const struct ship_line *line;
    const char *leaf;
    struct json_value rule, category, score; /* of the finding */
    struct span uid_head, uid_tail; /* of the finding: the exchange or the agent, and the rule */
    int64_t class, activity, severity, action, disposition, count, number;
    const char *title; /* NULL: the rule */
    bool is_alert;
};

/* --- what it says ---------------------------------------------------------------- */

static int64_t severity_of(struct json_value severity)
{
    static const char *const names[] = {"low", "medium", "high", "critical"};

    for (size_t i = 0; i < COUNT(names); i++) {
        if (ship_value_is(severity, names[i])) {
            return (int64_t)i + 2;
        }
    }
    return 1;
}

/* action_id and disposition_id. A finding that only is recorded is logged. */
static void set_action(struct event *e, struct json_value action, bool is_shadow)
{
    static const struct {
        const char *action;
        int action_id, disposition_id;
    } known[] = {{"block", 2, 2}, {"redact", 4, 11}, {"allow", 1, 1}};

    e->action = is_shadow ? 1 : 0;
    e->disposition = is_shadow ? 17 : 0;
    for (size_t i = 0; i < COUNT(known) && !is_shadow; i++) {
        if (ship_value_is(action, known[i].action)) {
            e->action = known[i].action_id;
            e->disposition = known[i].disposition_id;
            e->is_alert = i == 0;
        }
    }
}

static struct json_value member_or(struct json_value object, const char *name, struct json_value other)
{
    struct json_value found = ship_member(object, name);

    return ship_value_is_there(found) ? found : other;
}

/* --- the event ---------------------------------------------------------------------- */

static void put_field(struct out *o, const char *name, int64_t number)
{
    out_str(o, ",\"");
    out_str(o, name);
    out_str(o, "\":");
    out_number(o, number);
}

/* "title", or the rule's id as the line has it. */
static void put_title(struct out *o, const struct event *e)
{
    if (e->title != NULL) {
        out_text(o, span_str(e->title));
    } else {
        out_raw(o, e->rule.kind == JSON_KIND_STRING ? e->rule.raw : span_str("\"filterd\""));
    }
}

static void put_finding_info(struct out *o, const struct event *e)
{
    out_str(o, ",\"finding_info\":{\"uid\":\"");
    out_raw(o, e->uid_head.len > 0 ? e->uid_head : span_str(e->leaf));
    out_str(o, ":");
    out_raw(o, e->uid_tail);
    out_str(o, "\",\"title\":");
    put_title(o, e);
    put_field(o, "created_time", e->line->time_ns / 1000000);
    if (e->category.kind == JSON_KIND_STRING) {
        out_str(o, ",\"types\":[");
        out_raw(o, e->category.raw);
        out_str(o, "]");
    }
    out_str(o, "}");
}

static void put_metadata(struct out *o, const struct event *e)
{
    const struct ship_line *l = e->line;

    out_str(o, ",\"metadata\":{\"version\":\"1.8.0\",\"product\":{\"name\":\"filterd\",\"vendor_name\":\"filterd\"");
    out_member(o, "version", l->engine);
    out_str(o, "},\"profiles\":[\"security_control\"],\"log_name\":\"decisions\",\"uid\":\"");
    out_str(o, e->leaf);
    out_str(o, "-");
    out_number(o, e->number);
    out_str(o, "\"");
    out_member(o, "original_time", l->ts);
    out_member(o, "tenant_uid", l->tenant);
    out_member(o, "correlation_uid", l->req_id);
    out_str(o, "}");
}

static void put_policy(struct out *o, const char *name, const struct ship_line *l)
{
    struct json_value policy = ship_member(l->policy, "name"), digest = ship_member(l->policy, "digest");

    if (policy.kind == JSON_KIND_STRING) {
        out_str(o, ",\"");
        out_str(o, name);
        out_str(o, "\":{\"name\":");
        out_raw(o, policy.raw);
        out_member(o, "uid", digest);
        out_str(o, "}");
    }
}

static void put_data_security(struct out *o, const struct event *e)
{
    if (e->class != CLASS_DATA_SECURITY) {
        return;
    }
    out_str(o, ",\"data_security\":{\"detection_system_id\":");
    out_number(o, SYSTEM_DLP);
    out_member(o, "detection_pattern", e->rule);
    put_policy(o, "policy", e->line);
    out_str(o, "}");
}

/* The agent whose output was judged, or that was killed. */
static void put_resources(struct out *o, const struct ship_line *l)
{
    if (l->agent.kind == JSON_KIND_STRING) {
        out_str(o, ",\"resources\":[{\"type\":\"AI agent\",\"name\":");
        out_raw(o, l->agent.raw);
        out_str(o, "}]");
    }
}

static void put_confidence(struct out *o, struct json_value score)
{
    char text[32];

    if (score.kind == JSON_KIND_NUMBER && score.raw.len < sizeof(text)) {
        memcpy(text, score.raw.ptr, score.raw.len);
        text[score.raw.len] = '\0';
        double percent = strtod(text, NULL) * 100;
        put_field(o, "confidence_score", percent > 0 ? (percent < 100 ? (int64_t)(percent + 0.5) : 100) : 0);
    }
}

static void put_unmapped(struct out *o, const struct event *e)
{
    const struct ship_line *l = e->line;

    out_str(o, ",\"unmapped\":{\"filterd\":{\"seq\":");
    out_number(o, (int64_t)l->seq);
    out_str(o, ",\"leaf\":\"");
    out_str(o, e->leaf);
    out_str(o, "\"");
    out_member(o, "node", l->node);
    out_member(o, "type", l->type);
    out_member(o, "app", l->app);
    out_member(o, "phase", l->phase);
    out_member(o, "reason", l->reason);
    out_member(o, "event", l->event);
    out_member(o, "jail", l->jail);
    out_str(o, "}}");
}

static void put_event(struct out *o, struct event *e)
{
    out_str(o, "{\"class_uid\":");
    out_number(o, e->class);
    put_field(o, "category_uid", CATEGORY_FINDINGS);
    put_field(o, "activity_id", e->activity);
    put_field(o, "type_uid", e->class * 100 + e->activity);
    put_field(o, "time", e->line->time_ns / 1000000);
    put_field(o, "severity_id", e->severity);
    put_field(o, "status_id", e->activity == ACTIVITY_CLOSE ? 4 : STATUS_NEW);
    put_field(o, "action_id", e->action);
    put_field(o, "disposition_id", e->disposition);
    put_field(o, "count", e->count);
    out_str(o, e->is_alert ? ",\"is_alert\":true" : ",\"is_alert\":false");
    put_confidence(o, e->score);
    put_policy(o, "policy", e->line);
    put_finding_info(o, e);
    put_data_security(o, e);
    put_resources(o, e->line);
    put_metadata(o, e);
    put_unmapped(o, e);
    out_str(o, "}\n");
    e->number++;
}

/* --- which events ---------------------------------------------------------------------- */

static int64_t count_rule(struct json_value findings, struct json_value rule, struct json_value *strictest)
{
    struct json_iterator it = json_iterate(findings);
    struct json_value item;
    struct span name;
    int64_t n = 0;

    while (json_next(&it, &name, &item)) {
        if (span_equal(ship_member(item, "rule").raw, rule.raw)) {
            *strictest = n == 0 ? item : *strictest; /* the record has the strictest first */
            n++;
        }
    }
    return n;
}

static void put_rule(struct out *o, struct event *e, struct json_value finding, bool is_shadow)
{
    e->rule = ship_member(finding, "rule");
    e->category = ship_member(finding, "category");
    e->score = ship_member(finding, "score");
    e->severity = severity_of(ship_member(finding, "severity"));
    e->class = ship_value_is(e->category, "secret") || ship_value_is(e->category, "pii") ? CLASS_DATA_SECURITY : CLASS_DETECTION;
    e->uid_tail = ship_characters(e->rule);
    e->is_alert = false;
    set_action(e, member_or(finding, "action", e->line->action),
               is_shadow || ship_member(finding, "shadow").kind == JSON_KIND_TRUE);
    put_event(o, e);
}

static size_t put_findings(struct out *o, struct event *e)
{
    struct json_iterator it = json_iterate(e->line->findings);
    struct json_value seen[RULES_MAX], item;
    struct span name;
    size_t n = 0;
    bool is_shadow = ship_member(e->line->policy, "shadow").kind == JSON_KIND_TRUE;

    while (n < RULES_MAX && json_next(&it, &name, &item)) {
        struct json_value rule = ship_member(item, "rule"), strictest = item;
        bool is_new = rule.kind == JSON_KIND_STRING;
        for (size_t i = 0; i < n; i++) {
            is_new = is_new && !span_equal(seen[i].raw, rule.raw);
        }
        if (is_new) {
            seen[n++] = rule;
            e->count = count_rule(e->line->findings, rule, &strictest);
            put_rule(o, e, strictest, is_shadow);
        }
    }
    return n;
}

/* What was held back without a finding: it could not be judged, or a supervisor said so. */
static size_t put_decision(struct out *o, struct event *e)
{
    const struct ship_line *l = e->line;

    if (l->rule.kind != JSON_KIND_STRING || l->action.kind != JSON_KIND_STRING || ship_value_is(l->action, "allow")) {
        return 0;
    }
    e->rule = l->rule;
    e->class = CLASS_DETECTION;
    e->severity = ship_value_is(l->action, "block") ? 4 : 3;
    e->uid_tail = ship_characters(l->rule);
    set_action(e, l->action, ship_member(l->policy, "shadow").kind == JSON_KIND_TRUE);
    put_event(o, e);
    return 1;
}

static size_t put_kill(struct out *o, struct event *e)
{
    static const struct {
        const char *event, *title;
        int activity, severity, action, disposition;
        bool is_alert;
    } events[] = {
        {"kill", "agent is to be killed", ACTIVITY_CREATE, 4, 2, 2, true},
        {"killed", "agent was killed", ACTIVITY_CLOSE, 4, 2, 2, false},
        {"not_killed", "agent could not be killed", ACTIVITY_UPDATE, 5, 2, 27, true},
    };

    for (size_t i = 0; i < COUNT(events); i++) {
        if (ship_value_is(e->line->event, events[i].event)) {
            e->title = events[i].title;
            e->class = CLASS_DETECTION;
            e->activity = events[i].activity;
            e->severity = events[i].severity;
            e->action = events[i].action;
            e->disposition = events[i].disposition;
            e->is_alert = events[i].is_alert;
            e->uid_head = ship_characters(e->line->agent);
            e->uid_tail = span_str("agent-kill");
            put_event(o, e);
            return 1;
        }
    }
    return 0;
}

size_t ship_ocsf_line(struct ship_batch *b, struct out *o, const struct ship_line *line)
{
    char leaf[DIGEST_SHA256_HEX + 1] = "";
    struct event e = {.line = line, .leaf = leaf, .uid_head = ship_characters(line->req_id), .activity = ACTIVITY_CREATE,
                      .count = 1};
    bool is_decision = ship_value_is(line->type, "decision") || ship_value_is(line->type, "second-look");

    (void)b;
    if (!line->is_json || (!is_decision && !ship_value_is(line->type, "agent"))) {
        return 0;
    }
    if (!ship_line_leaf(line, leaf, o->err)) {
        o->has_failed = true;
        return 0;
    }
    if (!is_decision) {
        return put_kill(o, &e);
    }
    size_t n = line->findings.kind == JSON_KIND_ARRAY ? put_findings(o, &e) : 0;
    return n > 0 ? n : put_decision(o, &e);
}
