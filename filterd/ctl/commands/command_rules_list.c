/* command_rules_list.c - filterctl rules list: a line per rule. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/session.h"
#include "policy/names.h"
#include "policy/rule_data.h"

enum { OUTPUT_MAX = 64 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_rules_list = {
    .name = "rules list",
    .operands = "[PACK|TAG|RULE]…",
    .summary = "List the rules: id, pack, severity, confidence, title",
    .details = "--as lists only the rules that have a name in that system, with the name: presidio (entity types),\n"
               "google (infoTypes), aws (Comprehend, then Macie), bedrock (Guardrails), azure (AI Language), github\n"
               "(token types of secret scanning).",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_CATEGORY) | OPTION_BIT(OPTION_AS) |
               OPTION_BIT(OPTION_JSON),
    .formats = "text|json|ndjson",
    .max_operands = -1,
    .run = run,
};

static bool has_tag(const struct rule *rule, const char *tag)
{
    for (size_t i = 0; i < rule->tags.n; i++) {
        if (span_is(rule->tags.items[i], tag)) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const struct arguments *args, const struct rule *rule)
{
    if (args->category != NULL && strcmp(args->category, category_name(rule->category)) != 0) {
        return false;
    }
    for (int i = 0; i < args->n_operands; i++) {
        const char *word = args->operands[i];
        if (span_is(rule->pack, word) || span_is(rule->id, word) || has_tag(rule, word)) {
            return true;
        }
    }
    return args->n_operands == 0;
}

/* The table of a rule that is data; NULL: it is not. */
static const struct table *table_of(const struct rule_set *set, const struct rule *rule)
{
    for (size_t i = 0; i < set->n_tables; i++) {
        if (set->tables[i].rule == rule_set_index(set, rule)) {
            return set->tables[i].table;
        }
    }
    return NULL;
}

static bool append_table_text(struct buf *out, const struct table *t, struct error *err)
{
    enum { SECOND = 1000000000, HOUR = 3600 };
    const int64_t age = (clock_utc_ns() / SECOND - t->header->made) / HOUR;
    const bool is_cells = t->header->kind == TABLE_CELLS;

    return buf_appendf(out, err, " (%llu %s of %llu %s, %zu bytes, %lld h old)", (unsigned long long)table_values(t->header),
                       is_cells ? "cells" : "fingerprints", (unsigned long long)t->header->rows, is_cells ? "rows" : "documents",
                       t->size, (long long)(age > 0 ? age : 0));
}

static bool append_text(struct buf *out, const struct rule_set *set, const struct rule *rule, struct error *err)
{
    const struct table *t = table_of(set, rule);

    return buf_appendf(out, err, "%-36.*s %-10.*s %-8s %.2f  " SPAN_FMT "%s", SPAN_ARG(rule->id),
                       SPAN_ARG(rule->pack), severity_name(rule->severity), rule->confidence,
                       SPAN_ARG(rule->title), rule->is_shadow ? " (shadow)" : "") &&
           (t == NULL || append_table_text(out, t, err)) && buf_append_char(out, '\n', err);
}

static bool append_table_json(struct buf *out, const struct table *t, struct error *err)
{
    return buf_appendf(out, err, ",\"data\":{\"kind\":\"%s\",\"entries\":%llu,\"rows\":%llu,\"bytes\":%zu,\"made\":%lld}",
                       t->header->kind == TABLE_CELLS ? "exact_data" : "documents", (unsigned long long)table_values(t->header),
                       (unsigned long long)t->header->rows, t->size, (long long)t->header->made);
}

static bool append_json(struct buf *out, const struct rule_set *set, const struct rule *rule, struct error *err)
{
    const struct table *t = table_of(set, rule);

    return buf_append_str(out, "{\"id\":", err) && json_append_string(out, rule->id, err) &&
           buf_append_str(out, ",\"pack\":", err) && json_append_string(out, rule->pack, err) &&
           buf_append_str(out, ",\"title\":", err) && json_append_string(out, rule->title, err) &&
           buf_appendf(out, err,
                       ",\"category\":\"%s\",\"severity\":\"%s\",\"confidence\":%.2f,\"shadow\":%s,"
                       "\"file\":",
                       category_name(rule->category), severity_name(rule->severity),
                       rule->confidence, rule->is_shadow ? "true" : "false") &&
           json_append_string(out, rule->source.file, err) &&
           buf_appendf(out, err, ",\"line\":%u", rule->source.line) && (t == NULL || append_table_json(out, t, err)) &&
           buf_append_char(out, '}', err);
}

/* The names of --as; NULL: the rules as they are. */
struct naming_list {
    struct names *names;
    enum naming naming;
};

static struct span_list names_in(const struct naming_list *as, const struct rule *rule)
{
    return as->names != NULL ? names_of(as->names, rule->id, as->naming) : (struct span_list){0};
}

static bool append_names_text(struct buf *out, const struct naming_list *as,
                              const struct rule *rule, struct error *err)
{
    struct span_list names = names_in(as, rule);

    if (!buf_appendf(out, err, "%-36.*s", SPAN_ARG(rule->id))) {
        return false;
    }
    for (size_t i = 0; i < names.n; i++) {
        if (!buf_appendf(out, err, "%s " SPAN_FMT, i > 0 ? "," : "", SPAN_ARG(names.items[i]))) {
            return false;
        }
    }
    return buf_append_char(out, '\n', err);
}

static bool append_names_json(struct buf *out, const struct naming_list *as,
                              const struct rule *rule, struct error *err)
{
    struct span_list names = names_in(as, rule);

    if (!buf_append_str(out, "{\"id\":", err) || !json_append_string(out, rule->id, err) ||
        !buf_appendf(out, err, ",\"system\":\"%s\",\"names\":[", naming_name(as->naming))) {
        return false;
    }
    for (size_t i = 0; i < names.n; i++) {
        if ((i > 0 && !buf_append_char(out, ',', err)) ||
            !json_append_string(out, names.items[i], err)) {
            return false;
        }
    }
    return buf_append_str(out, "]}", err);
}

enum list_form { LIST_TEXT, LIST_ARRAY, LIST_LINES };

static enum list_form form_of(const struct arguments *args)
{
    const char *format = args->is_json ? "json" : args->format;

    if (format == NULL || strcmp(format, "text") == 0) {
        return LIST_TEXT;
    }
    return strcmp(format, "json") == 0 ? LIST_ARRAY : LIST_LINES;
}

static bool append_rule(struct buf *out, bool is_text, const struct naming_list *as,
                        const struct rule_set *set, const struct rule *rule, struct error *err)
{
    if (as->names != NULL) {
        return is_text ? append_names_text(out, as, rule, err)
                       : append_names_json(out, as, rule, err);
    }
    return is_text ? append_text(out, set, rule, err) : append_json(out, set, rule, err);
}

static bool append_one(struct buf *out, enum list_form form, const struct naming_list *as,
                       const struct rule_set *set, const struct rule *rule, size_t n_before, struct error *err)
{
    const char *before = form != LIST_ARRAY ? "" : n_before == 0 ? "[\n" : ",\n";

    return buf_append_str(out, before, err) && append_rule(out, form == LIST_TEXT, as, set, rule, err) &&
           (form != LIST_LINES || buf_append_char(out, '\n', err));
}

static bool append_end(struct buf *out, enum list_form form, size_t n, struct error *err)
{
    switch (form) {
    case LIST_TEXT:
        return buf_appendf(out, err, "%zu rule%s\n", n, plural_s(n));
    case LIST_ARRAY:
        return buf_append_str(out, n == 0 ? "[]\n" : "\n]\n", err);
    case LIST_LINES:
        break;
    }
    return true;
}

static bool append_all(struct buf *out, const struct arguments *args, const struct rule_set *set,
                       const struct naming_list *as, struct error *err)
{
    enum list_form form = form_of(args);
    size_t n = 0;

    for (uint32_t i = 0; i < set->n_rules; i++) {
        const struct rule *rule = &set->rules[i];
        if (!is_wanted(args, rule) || (as->names != NULL && names_in(as, rule).n == 0)) {
            continue;
        }
        if (!append_one(out, form, as, set, rule, n++, err)) {
            return false;
        }
    }
    return append_end(out, form, n, err);
}

/* A file of one's own names rules of one's own; of the built-in one, those that are loaded count.
 */
static bool open_names(const struct arguments *args, const struct rule_set *set,
                       struct naming_list *as, struct error *err)
{
    if (args->as == NULL) {
        return true;
    }
    as->names = names_open(args->rules, err);
    return as->names != NULL && naming_find(args->as, &as->naming) &&
           (names_are_built_in(as->names) || names_check(as->names, set, err));
}

static void naming_list_deinit(struct naming_list *as)
{
    names_free(as->names);
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct naming_list as CLEANUP(naming_list_deinit) = {0};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    if (!session_open_judge(&session, args, &err) ||
        !open_names(args, session.snapshot->rules, &as, &err) ||
        !append_all(&out, args, session.snapshot->rules, &as, &err)) {
        return command_failed(&err);
    }
    return command_finish(&out, EXIT_CLEAN);
}
