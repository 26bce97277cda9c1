#include "ctl/lab/lint.h"
#include "base/plural.h"

#include <stdarg.h>

#include "base/cleanup.h"
#include "ctl/lab/lint_cost.h"
#include "ctl/lab/lint_triggers.h"
#include "regex/trigger.h"

enum { HITS_PER_KIB_MAX = 4 };

/* --- reasons ----------------------------------------------------------------- */

static void add_reason(struct lint_result *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_reason(struct lint_result *out, const char *format, ...)
{
    va_list args;
    size_t len = strlen(out->reasons);

    (void)snprintf(out->reasons + len, sizeof(out->reasons) - len, "%s", len > 0 ? "; " : "");
    len = strlen(out->reasons);
    va_start(args, format);
    (void)vsnprintf(out->reasons + len, sizeof(out->reasons) - len, format, args);
    va_end(args);
}

static void judge_triggers(const struct triggers *t, struct lint_result *out)
{
    for (uint32_t i = 0; i < t->n; i++) {
        struct trigger_literals literals;
        size_t least = LINT_LITERAL_MIN;
        trigger_literals(span_str(t->texts[i]), &literals);
        for (size_t k = 0; k < literals.n; k++) {
            least = literals.len[k] < least ? literals.len[k] : least;
        }
        const char *made = t->is_derived ? "the trigger made from the pattern" : "the trigger";
        if (literals.n == 0) {
            add_reason(out, "%s '%.40s' begins with a class, or with more than %d alternatives",
                       made, t->texts[i], TRIGGER_LITERALS_MAX);
            return;
        }
        if (least < LINT_LITERAL_MIN) {
            add_reason(out, "%s '%.40s' begins with %zu literal byte%s, three are cheap", made,
                       t->texts[i], least, plural_s(least));
            return;
        }
    }
}

static bool judge_widths(const struct rule *rule, const struct triggers *t, struct lint_result *out,
                         struct error *err)
{
    uint32_t lead = rule->lead;

    for (size_t i = 0; i < rule->patterns.n; i++) {
        struct buf core CLEANUP(buf_deinit);
        buf_init(&core, LINT_EXPRESSION_MAX);
        if (!triggers_expression(rule->patterns.items[i], false, &core, err)) {
            return false;
        }
        uint32_t max = trigger_max_width(span_str(core.data));
        if (max == TRIGGER_WIDTH_UNBOUNDED) {
            add_reason(out, "pattern %zu has no bound of its own", i + 1);
        }
        if (rule->lead == 0 && !t->is_derived && max != TRIGGER_WIDTH_UNBOUNDED && max > lead) {
            lead = max;
        }
    }
    for (uint32_t i = 0; rule->lead == 0 && t->is_derived && i < t->n; i++) {
        uint32_t max = trigger_max_width(span_str(t->texts[i]));
        lead = max != TRIGGER_WIDTH_UNBOUNDED && max > lead ? max : lead;
    }
    if (lead > LINT_LEAD_MAX) {
        add_reason(out, "PCRE2 looks %u bytes back from each hit", lead);
    }
    return true;
}

static void judge_hits(struct span corpus, struct lint_result *out)
{
    double kib = (double)corpus.len / 1024;

    if ((double)out->hits > kib * HITS_PER_KIB_MAX && out->hits > out->matches * 10) {
        add_reason(out, "%.1f hits per KiB, of which %.1f %% are matches", (double)out->hits / kib,
                   out->hits == 0 ? 0 : 100.0 * (double)out->matches / (double)out->hits);
    }
}

bool lint_is_over(double share)
{
    return share * 100 > LINT_SHARE_MAX_PERCENT;
}

bool lint_rule(struct lint *l, const struct rule *rule, struct lint_result *out, struct error *err)
{
    struct triggers triggers CLEANUP(triggers_deinit) = {0};
    const struct lint_options *options = lint_options_of(l);

    *out = (struct lint_result){.rule = rule};
    if (!triggers_make(&triggers, rule, err) || !lint_measure(options->corpus, options->is_counted, out, err) ||
        !(options->is_counted || lint_add(l, out, err)) ||
        !judge_widths(rule, &triggers, out, err)) {
        return error_wrap(err, "rule '" SPAN_FMT "'", SPAN_ARG(rule->id));
    }
    judge_triggers(&triggers, out);
    judge_hits(options->corpus, out);
    out->is_over = lint_is_over(out->pcre2_share + out->hyperscan_share);
    return true;
}
