/* command_rules_list.c - filterctl rules list: a line per rule. */
#include "base/cleanup.h"
#include "base/json.h"
#include "ctl/command.h"
#include "ctl/session.h"

enum { OUTPUT_MAX = 64 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_rules_list = {
    .name = "rules list",
    .operands = "[PACK|TAG|RULE]…",
    .summary = "List the rules: id, pack, severity, confidence, title",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_CATEGORY),
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

static bool append_text(struct buf *out, const struct rule *rule, struct error *err)
{
    return buf_appendf(out, err, "%-36.*s %-10.*s %-8s %.2f  " SPAN_FMT "%s\n", SPAN_ARG(rule->id),
                       SPAN_ARG(rule->pack), severity_name(rule->severity), rule->confidence,
                       SPAN_ARG(rule->title), rule->is_shadow ? " (shadow)" : "");
}

static bool append_json(struct buf *out, const struct rule *rule, struct error *err)
{
    return buf_append_str(out, "{\"id\":", err) && json_append_string(out, rule->id, err) &&
           buf_append_str(out, ",\"pack\":", err) && json_append_string(out, rule->pack, err) &&
           buf_append_str(out, ",\"title\":", err) && json_append_string(out, rule->title, err) &&
           buf_appendf(out, err,
                       ",\"category\":\"%s\",\"severity\":\"%s\",\"confidence\":%.2f,\"shadow\":%s,"
                       "\"file\":",
                       category_name(rule->category), severity_name(rule->severity),
                       rule->confidence, rule->is_shadow ? "true" : "false") &&
           json_append_string(out, rule->source.file, err) &&
           buf_appendf(out, err, ",\"line\":%u}", rule->source.line);
}

enum list_form { LIST_TEXT, LIST_ARRAY, LIST_LINES };

static enum list_form form_of(const struct arguments *args)
{
    if (args->format == NULL || strcmp(args->format, "text") == 0) {
        return LIST_TEXT;
    }
    return strcmp(args->format, "json") == 0 ? LIST_ARRAY : LIST_LINES;
}

static bool append_one(struct buf *out, enum list_form form, const struct rule *rule, bool is_first,
                       struct error *err)
{
    switch (form) {
    case LIST_TEXT:
        return append_text(out, rule, err);
    case LIST_ARRAY:
        return buf_append_str(out, is_first ? "[\n" : ",\n", err) && append_json(out, rule, err);
    case LIST_LINES:
        break;
    }
    return append_json(out, rule, err) && buf_append_char(out, '\n', err);
}

static bool append_end(struct buf *out, enum list_form form, size_t n, struct error *err)
{
    switch (form) {
    case LIST_TEXT:
        return buf_appendf(out, err, "%zu rules\n", n);
    case LIST_ARRAY:
        return buf_append_str(out, n == 0 ? "[]\n" : "\n]\n", err);
    case LIST_LINES:
        break;
    }
    return true;
}

static bool append_all(struct buf *out, const struct arguments *args, const struct rule_set *set,
                       struct error *err)
{
    enum list_form form = form_of(args);
    size_t n = 0;

    for (uint32_t i = 0; i < set->n_rules; i++) {
        if (is_wanted(args, &set->rules[i]) &&
            !append_one(out, form, &set->rules[i], n++ == 0, err)) {
            return false;
        }
    }
    return append_end(out, form, n, err);
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    if (!session_open(&session, args, &err) ||
        !append_all(&out, args, session.snapshot->rules, &err)) {
        return command_failed(&err);
    }
    return command_finish(&out, EXIT_CLEAN);
}
