#include "pipeline/pipeline.h"
#include "pipeline/worker_parts.h"

#include <stdlib.h>
#include <time.h>

#include "judge/decide.h"
#include "judge/find.h"
#include "policy/supervisor.h"

enum { ARENA_KEEP = 1024 * 1024 };

struct worker {
    struct arena arena;
    struct worker_limits limits;
    const struct redaction_keys *keys;
    struct finder finder;
    struct open_text *open; /* of the exchange at hand; NULL: its text is whole */
};

struct worker_limits worker_limits_default(void)
{
    return (struct worker_limits){
        .text_max = VIEW_TEXT_MAX,
        .memory_max = (size_t)2 * 1024 * 1024 * 1024,
        .findings_max = 100000,
        .depth = 3,
    };
}

struct worker *worker_new(const struct worker_limits *limits, const struct redaction_keys *keys, struct error *err)
{
    struct worker *w = calloc(1, sizeof(*w));

    if (w == NULL) {
        error_set(err, ERROR_NO_MEMORY, "worker: no memory");
        return NULL;
    }
    arena_init(&w->arena, ARENA_KEEP, limits->memory_max);
    w->limits = *limits;
    w->keys = keys;
    w->finder.arena = &w->arena;
    w->finder.findings_max = limits->findings_max;
    w->finder.scan = scanner_scratch_new(err);
    w->finder.regex = w->finder.scan != NULL ? regex_scratch_new(err) : NULL;
    if (w->finder.regex == NULL) {
        worker_free(w);
        return NULL;
    }
    return w;
}

void worker_free(struct worker *w)
{
    if (w != NULL) {
        scanner_scratch_free(w->finder.scan);
        regex_scratch_free(w->finder.regex);
        arena_deinit(&w->arena);
        free(w);
    }
}

struct arena *worker_begin(struct worker *w)
{
    arena_reset(&w->arena);
    return &w->arena;
}

struct arena *worker_arena(struct worker *w)
{
    return &w->arena;
}

struct finder *worker_finder(struct worker *w)
{
    return &w->finder;
}

/* --- stages --------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static bool measure(struct worker *w, struct exchange *x, struct error *err)
{
    for (size_t i = 0; i < x->n_channels; i++) {
        x->bytes += x->channels[i].text.len;
        x->channels[i].judged = 0;
        x->channels[i].output = (struct span){0};
    }
    return x->bytes <= w->limits.text_max ||
           error_set(err, ERROR_LIMIT, "more than %zu bytes of text", w->limits.text_max);
}

/* Takes away what is found behind the limit; what reaches over it is no finding to act on, either. */
static void keep_before(struct finding_list *list, size_t limit, size_t *from)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        const struct finding *f = &list->items[i];
        if (f->match_from < limit && f->to > limit && f->match_from < *from) {
            *from = f->match_from;
        }
        if (f->from < limit) {
            list->items[kept++] = *f;
        }
    }
    list->n = kept;
}

static bool may_go_on(const struct worker *w)
{
    return w->open != NULL && !w->open->is_whole;
}

/* A stream is judged unit by unit, where its policy lets classifiers take part. */
static struct find_classify classify_for(const struct worker *w, const struct exchange *x)
{
    if (w->open == NULL) {
        return (struct find_classify){.hold = x->policy->hold};
    }
    return (struct find_classify){.hold = x->policy->hold,
                                  .is_open = !w->open->is_whole,
                                  .is_off = x->policy->hold == HOLD_NONE};
}

static bool find(struct worker *w, struct exchange *x, struct finding_list *list, struct error *err)
{
    struct find_open open = {
        .from = SIZE_MAX,
        .no_sooner = w->open != NULL ? w->open->no_sooner : 0,
        .limit = w->open != NULL ? w->open->limit : 0,
        .exchange = x,
    };

    w->finder.views = (struct view_limits){
        .depth = w->limits.depth, .max_bytes = VIEW_TEXT_MAX, .max_pieces = UINT32_MAX / 64};
    for (size_t i = 0; i < x->n_channels; i++) {
        const struct find_request request = {.rules = x->snapshot->rules,
                                             .has_rule = x->policy->has_rule,
                                             .channel = (uint32_t)i,
                                             .key = x->channels[i].key,
                                             .text = x->channels[i].text,
                                             .stage_ns = x->stage_ns,
                                             .open = may_go_on(w) ? &open : NULL,
                                             .classify = classify_for(w, x)};
        if (!find_in_text(&w->finder, &request, list, err)) {
            return false;
        }
        x->channels[i].judged = x->channels[i].text.len;
        x->judged += x->channels[i].text.len;
    }
    finding_list_settle(list);
    if (may_go_on(w)) {
        keep_before(list, w->open->limit, &open.from);
        w->open->from = open.from;
    }
    return true;
}

/* What is open in the redacted text is open in the text that it comes from. */
static void note_open_again(struct open_text *open, const struct redacted_places *places, size_t from)
{
    size_t to = from == SIZE_MAX ? from : from + 1;

    if (from != SIZE_MAX) {
        redacted_to_text(places, &from, &to);
        from = from > open->no_sooner ? from : open->no_sooner;
        open->from = from < open->from ? from : open->from;
    }
}

/* A finding of the redacted channel, at the place in the text that it comes from. A label that reads as what it stands
 * for is nothing new. */
static bool join(struct worker *w, const struct redacted_places *places, struct finding f, size_t n_settled,
                 struct finding_list *list, struct error *err)
{
    size_t match_to = f.match_from + 1;

    redacted_to_text(places, &f.from, &f.to);
    redacted_to_text(places, &f.match_from, &match_to);
    return finding_list_has(list, n_settled, &f) || finding_list_add(&w->finder, list, &f, err);
}

/* A label, or what stands beside one, may read as something new. */
static bool find_again(struct worker *w, const struct exchange *x, uint32_t channel,
                       const struct redacted_places *places, struct finding_list *list, struct error *err)
{
    struct finding_list again = {0};
    struct exchange y = *x;
    uint64_t ignored[STAGE_COUNT];
    struct find_open open = {
        .from = SIZE_MAX,
        .no_sooner = may_go_on(w) ? redacted_to_output(places, w->open->no_sooner) : 0,
        .limit = may_go_on(w) ? redacted_to_output(places, w->open->limit) : 0,
        .is_redacted = true,
        .exchange = x,
    };
    const struct find_request request = {.rules = x->snapshot->rules,
                                         .has_rule = x->policy->has_rule,
                                         .channel = channel,
                                         .key = x->channels[channel].key,
                                         .text = x->channels[channel].output,
                                         .stage_ns = ignored,
                                         .open = may_go_on(w) ? &open : NULL,
                                         .classify = {.is_off = true}};

    if (!find_in_text(&w->finder, &request, &again, err)) {
        return false;
    }
    if (may_go_on(w)) {
        keep_before(&again, redacted_to_output(places, w->open->limit), &open.from);
        note_open_again(w->open, places, open.from);
    }
    decide(&y, again.items, again.n, w->finder.regex);
    for (size_t i = 0; i < again.n; i++) {
        const struct finding *f = &again.items[i];
        if (f->action != ACTION_ALLOW && !f->is_shadow && !join(w, places, *f, x->n_findings, list, err)) {
            return false;
        }
    }
    return true;
}

/* Redacts every channel that has findings; *has_more when the result holds new ones. */
static bool redact_once(struct worker *w, struct exchange *x, struct finding_list *list, bool *has_more,
                        struct error *err)
{
    size_t before = list->n;

    for (size_t i = 0, at = 0; i < x->n_channels; i++) {
        struct redacted_places places;
        while (at < before && x->findings[at].channel < i) {
            at++;
        }
        bool has_findings = at < before && x->findings[at].channel == i;
        x->channels[i].output = x->channels[i].text;
        if (has_findings && (!redact_channel(&w->arena, x, (uint32_t)i, w->keys, &places, err) ||
                             (places.n > 0 && !find_again(w, x, (uint32_t)i, &places, list, err)))) {
            return false;
        }
        if (has_findings && w->open != NULL) {
            w->open->places = places;
            w->open->rounds[w->open->n_rounds++] = (struct redaction_round){x->channels[i].output, places};
        }
    }
    *has_more = list->n > before;
    return true;
}

/* Until redacting the result would change nothing: that is what a redacted text promises. */
static bool redact(struct worker *w, struct exchange *x, struct finding_list *list, struct error *err)
{
    bool has_more = true;

    for (int round = 0; x->action == ACTION_REDACT && has_more; round++) {
        if (round == REDACTION_ROUNDS_MAX) {
            return error_set(err, ERROR_LIMIT, "redaction does not settle in %d rounds", REDACTION_ROUNDS_MAX);
        }
        if (!redact_once(w, x, list, &has_more, err)) {
            return false;
        }
        if (has_more) {
            finding_list_settle(list);
            decide(x, list->items, list->n, w->finder.regex);
        }
    }
    for (size_t i = 0; i < x->n_channels; i++) {
        if (x->action == ACTION_ALLOW) {
            x->channels[i].output = x->channels[i].text;
        } else if (x->action == ACTION_BLOCK) {
            x->channels[i].output = (struct span){0};
        }
    }
    return true;
}

void finding_count(const struct snapshot *s, const struct finding *f)
{
    if (f->source == FINDING_SUPERVISOR) {
        return; /* its rules are in no set; the service counts its answers */
    }
    uint32_t rule = rule_set_index(s->rules, f->rule);

    (void)atomic_fetch_add_explicit(&s->rules->findings[rule], 1, memory_order_relaxed);
}

static bool judge_by_rules(struct worker *w, struct exchange *x, struct finding_list *list, struct error *err)
{
    if (!measure(w, x, err) || !find(w, x, list, err)) {
        return false;
    }
    uint64_t start = now_ns();
    decide(x, list->items, list->n, w->finder.regex);
    uint64_t decided = now_ns();
    bool is_redacted = redact(w, x, list, err);
    x->stage_ns[STAGE_DECIDE] = decided - start;
    x->stage_ns[STAGE_REDACT] = now_ns() - decided;
    return is_redacted;
}

/* A supervisor that gave no answer: what the policy says to that. */
static void go_without(struct exchange *x)
{
    if (x->policy->supervisor->on_failure == ACTION_BLOCK && !x->policy->is_shadow) {
        exchange_fail(x, supervision_outcome_reason(x->supervision->outcome));
    }
}

static bool supervise(struct worker *w, struct exchange *x, struct finding_list *list, struct error *err)
{
    static const struct supervision not_asked;

    if (x->supervision == NULL && x->can_ask) {
        bool is_prepared = supervise_prepare(&w->arena, x, err);
        exchange_fail(x, supervision_outcome_reason(SUPERVISION_NOT_ASKED));
        x->is_asking = is_prepared;
        return is_prepared;
    }
    if (!supervise_prepare(&w->arena, x, err)) {
        return false;
    }
    bool is_answer = x->supervision != NULL && (x->asked.ptr == NULL || span_equal(x->asked, x->question));
    x->supervision = is_answer ? x->supervision : &not_asked;
    if (x->supervision->outcome != SUPERVISION_ANSWERED) {
        go_without(x);
        return true;
    }
    if (!supervise_add_findings(&w->finder, x, w->keys, list, err)) {
        return false;
    }
    decide(x, list->items, list->n, w->finder.regex);
    return redact(w, x, list, err);
}

/* A text that may go on is shown to the supervisor by whoever holds it. */
static bool judge(struct worker *w, struct exchange *x, struct error *err)
{
    struct finding_list list = {0};

    return judge_by_rules(w, x, &list, err) &&
           (w->open != NULL || x->is_part || !supervise_is_due(x) || supervise(w, x, &list, err));
}

static const char *reason_of(enum error_kind kind)
{
    return kind == ERROR_LIMIT ? "limit reached" : kind == ERROR_NO_MEMORY ? "out of memory" : "internal error";
}

void exchange_refuse(struct exchange *x, const char *rule, const char *reason)
{
    x->action = ACTION_BLOCK;
    x->rule = span_str(rule);
    x->unjudged_reason = reason;
    x->findings = NULL;
    x->n_findings = 0;
    x->judged = 0;
    for (size_t i = 0; i < x->n_channels; i++) {
        x->channels[i].output = (struct span){0};
        x->channels[i].judged = 0;
    }
    x->notice = x->policy != NULL ? x->policy->notice : span_str("This answer was withheld by policy.");
}

void exchange_fail(struct exchange *x, const char *reason)
{
    exchange_refuse(x, "filterd.unjudged", reason);
}

static void judge_or_fail(struct worker *w, struct exchange *x)
{
    struct error err = {0};

    x->action = ACTION_BLOCK;
    x->rule = (struct span){0};
    x->findings = NULL;
    x->n_findings = x->bytes = x->judged = 0;
    x->unjudged_reason = NULL;
    x->is_asking = false;
    x->question = (struct span){0};
    memset(x->stage_ns, 0, sizeof(x->stage_ns));
    if (!judge(w, x, &err)) {
        exchange_fail(x, reason_of(err.kind));
        return;
    }
    if (x->action == ACTION_BLOCK) {
        x->notice = x->policy->notice;
    }
}

void pipeline_judge(struct worker *w, struct exchange *x)
{
    judge_or_fail(w, x);
    for (size_t i = 0; i < x->n_findings; i++) {
        finding_count(x->snapshot, &x->findings[i]);
    }
}

void pipeline_judge_apart(struct worker *w, struct exchange *x)
{
    judge_or_fail(w, x);
}

void pipeline_judge_open(struct worker *w, struct exchange *x, struct open_text *open)
{
    open->from = SIZE_MAX;
    open->places = (struct redacted_places){0};
    open->n_rounds = 0;
    w->open = open;
    judge_or_fail(w, x);
    w->open = NULL;
}
