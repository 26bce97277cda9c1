/* command_policy_check.c - filterctl policy check: does the policy load, and what is in it. */
#include <time.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/session.h"

enum { OUTPUT_MAX = 16 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_policy_check = {
    .name = "policy check",
    .operands = "[FILE]",
    .summary = "Check rules and a policy file and print a summary",
    .details = "Errors are file:line:column: what was expected (exit code 2). Expired exceptions are listed (exit\n"
               "code 1).",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_QUIET),
    .max_operands = 1,
    .run = run,
};

static size_t count_rules(const struct snapshot *s, const struct policy *p)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->rules->n_rules; i++) {
        n += p->has_rule[i] ? 1 : 0;
    }
    return n;
}

static bool append_expired(struct buf *out, const struct policy *p, int64_t now_s, size_t *n,
                           struct error *err)
{
    for (size_t i = 0; i < p->n_exceptions; i++) {
        const struct policy_exception *e = &p->exceptions[i];
        if (e->until_s > now_s) {
            continue;
        }
        char date[32];
        struct tm t;
        time_t until = (time_t)e->until_s;
        (void)strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&until, &t));
        if (!buf_appendf(out, err, "  exception %zu has expired on %s: " SPAN_FMT "\n", i + 1, date,
                         SPAN_ARG(e->why))) {
            return false;
        }
        ++*n;
    }
    return true;
}

static bool append_policies(struct buf *out, const struct session *s, size_t *n_expired,
                            struct error *err)
{
    const struct snapshot *snapshot = s->snapshot;

    if (!buf_appendf(out, err, "%u rule%s " SPAN_FMT "\n", snapshot->rules->n_rules, plural_s(snapshot->rules->n_rules),
                     SPAN_ARG(snapshot->rules->digest))) {
        return false;
    }
    for (size_t i = 0; i < snapshot->n_policies; i++) {
        const struct policy *p = &snapshot->policies[i];
        size_t n_rules = count_rules(snapshot, p);
        if (!buf_appendf(
                out, err,
                "policy " SPAN_FMT "%s: %zu rule%s, %zu action%s, %zu exception%s " SPAN_FMT "\n",
                SPAN_ARG(p->name), p->is_shadow ? " (shadow)" : "", n_rules, plural_s(n_rules),
                p->n_actions, plural_s(p->n_actions), p->n_exceptions, plural_s(p->n_exceptions),
                SPAN_ARG(p->digest)) ||
            !append_expired(out, p, s->now_ns / 1000000000, n_expired, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < snapshot->n_tenants; i++) {
        if (!buf_appendf(out, err, "tenant " SPAN_FMT ": policy " SPAN_FMT "\n",
                         SPAN_ARG(snapshot->tenants[i].tenant),
                         SPAN_ARG(snapshot->tenants[i].policy->name))) {
            return false;
        }
    }
    return true;
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    size_t n_expired = 0;
    const char *file = args->n_operands > 0 ? args->operands[0] : args->policy;

    buf_init(&out, OUTPUT_MAX);
    if (!session_open_policy(&session, args, file, &err) ||
        !append_policies(&out, &session, &n_expired, &err)) {
        return command_failed(&err);
    }
    int code = n_expired > 0 ? EXIT_FOUND : EXIT_CLEAN;
    return args->is_quiet ? code : command_finish(&out, code);
}
