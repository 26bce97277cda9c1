/* report_sarif.c - SARIF 2.1.0, one run; what could not be judged is a notification of the run. */
#include "ctl/report.h"

#include "base/json.h"
#include "ctl/mask.h"

enum { MESSAGE_MAX = 4096, MASKED_PATH_MAX = 256 * 1024 };

static const char *level_of(enum severity severity)
{
    static const char *const levels[SEVERITY_COUNT] = {[SEVERITY_LOW] = "note",
                                                       [SEVERITY_MEDIUM] = "warning",
                                                       [SEVERITY_HIGH] = "error",
                                                       [SEVERITY_CRITICAL] = "error"};

    return levels[severity];
}

/* What code hosts rank alerts by: a number of CVSS's scale. */
static const char *security_severity_of(enum severity severity)
{
    static const char *const scores[SEVERITY_COUNT] = {[SEVERITY_LOW] = "2.0",
                                                       [SEVERITY_MEDIUM] = "5.5",
                                                       [SEVERITY_HIGH] = "8.0",
                                                       [SEVERITY_CRITICAL] = "9.5"};

    return scores[severity];
}

static bool append_rule(struct buf *out, const struct rule *rule, struct error *err)
{
    if (!buf_append_str(out, "{\"id\":", err) || !json_append_string(out, rule->id, err) ||
        !buf_append_str(out, ",\"shortDescription\":{\"text\":", err) ||
        !json_append_string(out, rule->title, err) ||
        !buf_append_str(out, "},\"fullDescription\":{\"text\":", err) ||
        !json_append_string(out, rule->title, err) ||
        !buf_appendf(out, err, "},\"help\":{\"text\":\"filterctl rules show " SPAN_FMT " prints all that the rule says.\"}",
                     SPAN_ARG(rule->id)) ||
        !buf_appendf(out, err, ",\"defaultConfiguration\":{\"level\":\"%s\"}", level_of(rule->severity))) {
        return false;
    }
    if (rule->references.n > 0 && (!buf_append_str(out, ",\"helpUri\":", err) ||
                                   !json_append_string(out, rule->references.items[0], err))) {
        return false;
    }
    return buf_appendf(out, err, ",\"properties\":{\"tags\":[\"security\",\"%s\"],\"security-severity\":\"%s\"}}",
                       category_name(rule->category), security_severity_of(rule->severity));
}

static bool sarif_head(struct buf *out, const struct session *s, struct error *err)
{
    (void)s;
    return buf_append_str(
        out,
        "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","
        "\"runs\":[{\"columnKind\":\"unicodeCodePoints\",\"results\":[\n",
        err);
}

/* Of the rules, those that have a result: known at the end. */
static bool append_tool(struct buf *out, const struct rule_set *set, const struct report_totals *t, struct error *err)
{
    const char *separator = "\n";

    if (!buf_append_str(out,
                        "\"tool\":{\"driver\":{\"name\":\"filterctl\",\"version\":\"" FILTERD_VERSION
                        "\",\"semanticVersion\":\"" FILTERD_VERSION "\",\"rules\":[",
                        err)) {
        return false;
    }
    for (uint32_t i = 0; t->rules_found != NULL && i < set->n_rules; i++) {
        if (!t->rules_found[i]) {
            continue;
        }
        if (!buf_append_str(out, separator, err) || !append_rule(out, &set->rules[i], err)) {
            return false;
        }
        separator = ",\n";
    }
    return buf_append_str(out, "]}},\n", err);
}

static bool append_location(struct buf *out, const struct report_item *item, struct error *err)
{
    struct buf path;

    buf_init(&path, MASKED_PATH_MAX);
    bool is_ok =
        buf_append_str(out, "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":", err) &&
        report_append_uri(out, item->file, err) &&
        buf_appendf(
            out, err,
            "},\"region\":{\"startLine\":%zu,\"startColumn\":%zu,\"endLine\":%zu,\"endColumn\":%zu,"
            "\"byteOffset\":%zu,\"byteLength\":%zu}}",
            item->line, item->column, item->end_line, item->end_column, item->offset,
            item->length) &&
        report_append_path(&path, item->judging, item->finding, err) &&
        (path.len == 0 ||
         (buf_append_str(out, ",\"logicalLocations\":[{\"fullyQualifiedName\":", err) &&
          json_append_string(out, buf_span(&path), err) && buf_append_str(out, "}]", err))) &&
        buf_append_char(out, '}', err);
    buf_deinit(&path);
    return is_ok;
}

static bool append_message(struct buf *out, const struct report_item *item, struct error *err)
{
    struct buf message;
    const struct finding *f = item->finding;

    buf_init(&message, MESSAGE_MAX);
    bool is_ok = buf_append(&message, f->rule->title, err) && buf_append_str(&message, ": ", err) &&
                 mask_append(&message, judging_match(item->judging, f), err) &&
                 json_append_string(out, buf_span(&message), err);
    buf_deinit(&message);
    return is_ok;
}

/* What an alert is known by when lines have moved. */
static bool append_fingerprint(struct buf *out, const struct report_item *item, struct error *err)
{
    return buf_appendf(out, err, ",\"partialFingerprints\":{\"primaryLocationLineHash\":\"%s\"}", item->fingerprint);
}

static bool append_suppression(struct buf *out, const struct report_item *item, struct error *err)
{
    if (item->ignored == NULL && !item->finding->is_excepted) {
        return true;
    }
    bool is_in_source = item->ignored != NULL && strcmp(item->ignored, "comment") == 0;
    return buf_appendf(out, err, ",\"suppressions\":[{\"kind\":\"%s\"}]", is_in_source ? "inSource" : "external");
}

static bool sarif_finding(struct buf *out, const struct report_item *item, struct error *err)
{
    const struct finding *f = item->finding;

    return buf_append_str(out, "{\"ruleId\":", err) && json_append_string(out, f->rule->id, err) &&
           buf_appendf(out, err,
                       ",\"level\":\"%s\",\"message\":{\"text\":", level_of(f->rule->severity)) &&
           append_message(out, item, err) && buf_append_str(out, "},\"locations\":[", err) &&
           append_location(out, item, err) &&
           buf_append_char(out, ']', err) && append_fingerprint(out, item, err) &&
           buf_appendf(out, err,
                       ",\"properties\":{\"action\":\"%s\",\"confidence\":%.2f,\"view\":\"%s\"",
                       action_name(f->action), f->confidence, finding_view(f)) &&
           report_append_origin_members(out, item, err) && buf_append_char(out, '}', err) &&
           append_suppression(out, item, err) && buf_append_char(out, '}', err);
}

static bool append_notification(struct buf *out, const struct report_problem *p, struct error *err)
{
    return buf_appendf(out, err, "{\"level\":\"%s\",\"message\":{\"text\":",
                       p->kind == PROBLEM_SKIPPED ? "note" : "error") &&
           report_append_quoted(out, p->reason, err) &&
           buf_append_str(
               out,
               "},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":", err) &&
           report_append_uri(out, p->file, err) && buf_append_char(out, '}', err) &&
           (p->line == 0 || buf_appendf(out, err, ",\"region\":{\"startLine\":%zu}", p->line)) &&
           buf_append_str(out, "}}]}", err);
}

static bool sarif_tail(struct buf *out, const struct session *s, const struct report_totals *t, struct error *err)
{
    if (!buf_append_str(out, "\n],\n", err) || !append_tool(out, s->snapshot->rules, t, err) ||
        !buf_appendf(
            out, err,
            "\"invocations\":[{\"executionSuccessful\":%s,\"toolExecutionNotifications\":[",
            t->unjudged == 0 ? "true" : "false")) {
        return false;
    }
    for (size_t i = 0; i < t->n_problems; i++) {
        if (!buf_append_str(out, i == 0 ? "\n" : ",\n", err) ||
            !append_notification(out, &t->problems[i], err)) {
            return false;
        }
    }
    return buf_append_str(out, "]}]}]}\n", err);
}

const struct report_format report_sarif = {.name = "sarif",
                                           .separator = ",\n",
                                           .head = sarif_head,
                                           .finding = sarif_finding,
                                           .tail = sarif_tail};
