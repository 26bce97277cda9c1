/* command_rules_explain.c - filterctl rules explain: why a rule finds something in a text, or not; without a text, what
 * the rule costs in streams. */
#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/explain.h"
#include "ctl/holding.h"
#include "ctl/input.h"

enum { OUTPUT_MAX = 64 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_rules_explain = {
    .name = "rules explain",
    .operands = "RULE [TEXT|-]",
    .summary = "Explain step by step how a rule judges a text; --checks: list all checks",
    .details = "Without a text: print how long a match can be and how it begins. With --on FILE, also print how many\n"
               "bytes of a stream the rule holds back: the strings of the lines (the first 4 MiB), streamed in\n"
               "tokens of 1 to 8 bytes.\n"
               "Exit code 1 when a pattern of the rule matches the text.",
    .options = OPTIONS_RULES | OPTIONS_JUDGING | OPTION_BIT(OPTION_CHECKS) | OPTION_BIT(OPTION_ON),
    .texts = {{OPTION_ON, "texts to stream: NDJSON, may be gzipped"}},
    .max_operands = 2,
    .run = run,
};

static const char *kind_name(enum check_value_kind kind)
{
    static const char *const names[] = {[CHECK_NUMBER] = "number",
                                        [CHECK_TEXT] = "text",
                                        [CHECK_FLAG] = "true|false",
                                        [CHECK_TEXTS] = "list of texts",
                                        [CHECK_NUMBERS] = "list of numbers"};

    return names[kind];
}

static bool append_check(struct buf *out, const struct check_type *type, struct error *err)
{
    if (!buf_appendf(out, err, "%-22s %s\n", type->name, type->summary)) {
        return false;
    }
    for (size_t i = 0; i < CHECK_PARAMETERS_MAX && type->parameters[i].name != NULL; i++) {
        const struct check_parameter *p = &type->parameters[i];
        if (!buf_appendf(out, err, "%-22s   %s: %s%s\n", "", p->name, kind_name(p->kind),
                         p->is_required ? ", required" : "")) {
            return false;
        }
    }
    return true;
}

static int print_checks(void)
{
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    size_t n;
    const struct check_type *const *types = check_all(&n);

    buf_init(&out, OUTPUT_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!append_check(&out, types[i], &err)) {
            return command_failed(&err);
        }
    }
    return command_finish(&out, EXIT_CLEAN);
}

/* Opens the session and returns the rule; NULL on failure. All rules are compiled only for one that no policy uses. */
static const struct rule *open_with_rule(struct session *s, const struct arguments *args, struct error *err)
{
    const struct rule *rule = session_open_judge(s, args, err) ? session_find_rule(s, args->operands[0], err) : NULL;

    if (rule == NULL || s->policy->has_rule[rule_set_index(s->snapshot->rules, rule)]) {
        return rule;
    }
    session_close(s);
    return session_open(s, args, err) ? session_find_rule(s, args->operands[0], err) : NULL;
}

static int explain_text(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct worker_limits limits = worker_limits_default();
    struct buf storage CLEANUP(buf_deinit), out CLEANUP(buf_deinit);
    struct span text;
    struct error err;
    size_t n = 0;

    buf_init(&storage, INPUT_MAX);
    buf_init(&out, OUTPUT_MAX);
    struct worker *worker CLEANUP(input_free_worker) = worker_new(&limits, &session.keys, &err);
    if (worker == NULL || !input_text(args->operands[1], &storage, &text, &err)) {
        return command_failed(&err);
    }
    const struct rule *rule = open_with_rule(&session, args, &err);
    const struct explain_request request = {.session = &session, .rule = rule, .text = text};
    if (rule == NULL || !explain_rule(&request, worker, &out, &n, &err)) {
        return command_failed(&err);
    }
    return command_finish(&out, n > 0 ? EXIT_FOUND : EXIT_CLEAN);
}

static int explain_holding(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    const struct rule *rule = open_with_rule(&session, args, &err);
    if (rule == NULL || !holding_describe(&session, rule, &out, &err) ||
        (args->on != NULL && !holding_measure(&session, rule, args->on, &out, &err))) {
        return command_failed(&err);
    }
    return command_finish(&out, EXIT_CLEAN);
}

static int run(const struct arguments *args)
{
    if (args->checks) {
        return print_checks();
    }
    if (args->n_operands == 0 || (args->n_operands == 2 && args->on != NULL)) {
        (void)fprintf(stderr, "filterctl rules explain: RULE TEXT|-, RULE [--on FILE] or --checks expected\n");
        return EXIT_FAILED;
    }
    return args->n_operands == 2 ? explain_text(args) : explain_holding(args);
}
