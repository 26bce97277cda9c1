/* command_rules_show.c - filterctl rules show: all that a rule says. */
#include "base/cleanup.h"
#include "base/yaml.h"
#include "ctl/command.h"
#include "ctl/session.h"

enum { OUTPUT_MAX = 16 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_rules_show = {
    .name = "rules show",
    .operands = "RULE…",
    .summary = "Print rules in full",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_EXPANDED),
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};

static bool append_list(struct buf *out, const char *name, const struct span_list *list,
                        struct error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!buf_appendf(out, err, "  %-11s " SPAN_FMT "\n", i == 0 ? name : "",
                         SPAN_ARG(list->items[i]))) {
            return false;
        }
    }
    return true;
}

/* As it is in the file; the lines of one below each other. */
static bool append_lines(struct buf *out, const char *name, struct span text, struct error *err)
{
    do {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
        if (!buf_appendf(out, err, "  %-11s " SPAN_FMT "\n", name, SPAN_ARG(span_slice(text, 0, len)))) {
            return false;
        }
        text = span_slice(text, end != NULL ? len + 1 : len, text.len);
        name = "";
    } while (text.len > 0);
    return true;
}

static bool append_patterns(struct buf *out, const struct rule *rule, bool is_expanded, struct error *err)
{
    if (is_expanded || rule->written.n == 0) {
        return append_list(out, "patterns", &rule->patterns, err);
    }
    for (size_t i = 0; i < rule->written.n; i++) {
        if (!append_lines(out, i == 0 ? "patterns" : "", rule->written.items[i], err)) {
            return false;
        }
    }
    return true;
}

static bool append_checks(struct buf *out, const struct rule *rule, struct error *err)
{
    for (size_t i = 0; i < rule->n_checks; i++) {
        const struct rule_check *check = &rule->checks[i];
        if (!buf_appendf(out, err, "  %-11s %s: ", i == 0 ? "checks" : "", check->type->name) ||
            (check->raise > 0 && !buf_appendf(out, err, "raises %.2f, ", check->raise)) ||
            !(check->drops ? buf_append_str(out, "drops on failure", err)
                           : buf_appendf(out, err, "lowers %.2f on failure", check->lower)) ||
            (check->group.len > 0 &&
             !buf_appendf(out, err, ", of " SPAN_FMT, SPAN_ARG(check->group))) ||
            !buf_append_char(out, '\n', err)) {
            return false;
        }
    }
    return true;
}

static bool append_context(struct buf *out, const struct rule_context *context, struct error *err)
{
    if (!buf_appendf(out, err, "within %u bytes: raises %.2f, ", context->within, context->raise) ||
        !(context->is_required ? buf_append_str(out, "required;", err)
                               : buf_appendf(out, err, "lowers %.2f;", context->lower))) {
        return false;
    }
    const struct span_list *list = context->rules.n > 0 ? &context->rules : &context->words;
    for (size_t i = 0; i < list->n; i++) {
        if (!buf_appendf(out, err, "%s %s" SPAN_FMT, i == 0 ? "" : ",", context->rules.n > 0 ? "rule " : "",
                         SPAN_ARG(list->items[i]))) {
            return false;
        }
    }
    return buf_append_char(out, '\n', err);
}

static bool append_contexts(struct buf *out, const struct rule *rule, struct error *err)
{
    for (size_t i = 0; i < rule->n_contexts; i++) {
        if (!buf_appendf(out, err, "  %-11s ", i == 0 ? "context" : "") ||
            !append_context(out, &rule->contexts[i], err)) {
            return false;
        }
    }
    return true;
}

static bool append_views(struct buf *out, const struct rule *rule, struct error *err)
{
    static const char *const names[] = {
        [VIEW_RAW] = "raw", [VIEW_FOLDED] = "folded", [VIEW_DECODED] = "decoded"};

    if (!buf_append_str(out, "  views      ", err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        if ((rule->views & 1U << i) != 0 && !buf_appendf(out, err, " %s", names[i])) {
            return false;
        }
    }
    return buf_append_char(out, '\n', err);
}

static bool append_rule(struct buf *out, const struct rule *rule, bool is_expanded, struct error *err)
{
    return buf_appendf(out, err,
                       SPAN_FMT ": " SPAN_FMT "\n  %-11s " SPAN_FMT ":%u\n  %-11s %s, %s, %.2f%s\n",
                       SPAN_ARG(rule->id), SPAN_ARG(rule->title), "file",
                       SPAN_ARG(rule->source.file), rule->source.line, "category",
                       category_name(rule->category), severity_name(rule->severity),
                       rule->confidence, rule->is_shadow ? ", shadow" : rule->is_region ? ", region" : "") &&
           append_list(out, "tags", &rule->tags, err) &&
           append_patterns(out, rule, is_expanded, err) &&
           (rule->classifier.len == 0 || buf_appendf(out, err, "  %-11s " SPAN_FMT ", from %.6g\n", "classifier",
                                                     SPAN_ARG(rule->classifier), rule->threshold)) &&
           buf_appendf(out, err, "  %-11s %s\n", "boundary", boundary_name(rule->boundary)) &&
           append_list(out, "triggers", &rule->triggers, err) &&
           (rule->lead == 0 || buf_appendf(out, err, "  %-11s %u\n", "lead", rule->lead)) &&
           (rule->max_length == 0 ||
            buf_appendf(out, err, "  %-11s %u\n", "max_length", rule->max_length)) &&
           append_checks(out, rule, err) && append_contexts(out, rule, err) &&
           append_list(out, "allow", &rule->allow, err) && append_views(out, rule, err) &&
           append_list(out, "references", &rule->references, err) &&
           append_list(out, "match", &rule->match, err) &&
           append_list(out, "no_match", &rule->no_match, err);
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    if (!session_open_judge(&session, args, &err)) {
        return command_failed(&err);
    }
    for (int i = 0; i < args->n_operands; i++) {
        const struct rule *rule = session_find_rule(&session, args->operands[i], &err);
        if (rule == NULL || !append_rule(&out, rule, args->is_expanded, &err)) {
            return command_failed(&err);
        }
    }
    return command_finish(&out, EXIT_CLEAN);
}
