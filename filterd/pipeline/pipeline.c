#include "pipeline/pipeline.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "judge/decide.h"
#include "judge/find.h"
#include "mask/masking.h"
#include "pipeline/joined.h"
#include "pipeline/joined_columns.h"
#include "pipeline/supervise.h"
#include "pipeline/worker_parts.h"
#include "policy/supervisor.h"
#include "policy/system_prompt_policy.h"

/* One exchange on its way through the stages. `open` is the mode: NULL for a text that is whole, else a text that may go
 * on (pipeline_judge_open). */
struct judging {
    struct worker *w;
    struct exchange *x;
    struct open_text *open;
    struct finding_list list;       /* grows; x->findings are those of the last decision */
    struct redacted_places *places; /* of each channel, by the last redaction */
    unsigned n_redactions;          /* since the list was last added to by something else than a redaction */
    bool is_supervised;
};

/* --- the stages ------------------------------------------------------------- */

/* Each stage names the one behind it. DECIDE comes again when FIND_AGAIN or SUPERVISE found something. */
enum step { STEP_MEASURE, STEP_FIND, STEP_DECIDE, STEP_REDACT, STEP_FIND_AGAIN, STEP_SUPERVISE, STEP_DONE };

static bool measure(struct judging *j, enum step *next, struct error *err)
{
    struct exchange *x = j->x;

    for (size_t i = 0; i < x->n_channels; i++) {
        x->bytes += x->channels[i].known == NULL ? x->channels[i].text.len : 0;
        x->channels[i].judged = 0;
        x->channels[i].output = (struct span){0};
    }
    *next = STEP_FIND;
    return x->bytes <= j->w->limits.text_max ||
           error_set(err, ERROR_LIMIT, "more than %zu bytes of text", j->w->limits.text_max);
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

static bool may_go_on(const struct judging *j)
{
    return j->open != NULL && !j->open->is_whole;
}

/* Takes away what is found in pseudonyms, from the n-th on: they are what the model was given. */
static void drop_pseudonyms(const struct exchange *x, struct span text, struct finding_list *list, size_t n)
{
    size_t kept = n;

    if (x->masking == NULL) {
        return;
    }
    for (size_t i = n; i < list->n; i++) {
        const struct finding *f = &list->items[i];
        bool is_pseudonym = masking_covers(x->masking, text, f->from, f->to);
        x->channels[f->channel].has_pseudonyms |= is_pseudonym;
        if (!is_pseudonym) {
            list->items[kept++] = *f;
        }
    }
    list->n = kept;
}

/* A stream is judged unit by unit, where its policy lets classifiers take part. */
static struct find_classify classify_for(const struct judging *j)
{
    enum hold_unit hold = j->x->policy->hold;

    if (j->open == NULL) {
        return (struct find_classify){.hold = hold};
    }
    return (struct find_classify){.hold = hold, .is_open = !j->open->is_whole, .is_off = hold == HOLD_NONE};
}

static struct find_prompt prompt_for(const struct exchange *x)
{
    const struct policy_system_prompt *p = x->system_prompt == NULL ? NULL : x->policy->system_prompt;

    return p == NULL ? (struct find_prompt){0} : (struct find_prompt){.prompt = x->system_prompt, .words = p->words};
}

/* What an earlier exchange found in the channel. */
static bool add_known(struct judging *j, uint32_t channel, struct error *err)
{
    const struct channel *c = &j->x->channels[channel];

    for (size_t i = 0; i < c->n_known; i++) {
        struct finding f = c->known[i];
        f.channel = channel;
        if (!finding_list_add(&j->w->finder, &j->list, &f, err)) {
            return false;
        }
    }
    return true;
}

static struct find_request request_for(const struct exchange *x, uint32_t channel, struct span text, bool is_redacted,
                                       uint64_t stage_ns[STAGE_COUNT])
{
    const struct channel *c = &x->channels[channel];

    return (struct find_request){
        .rules = x->snapshot->rules, .has_rule = x->policy->has_rule, .channel = channel, .key = c->key, .text = text,
        .is_parts = c->is_parts, .has_tokens_alone = c->has_tokens_alone, .stage_ns = stage_ns, .classify = {.is_off = is_redacted}, .links = x->policy->links,
        .without_links = x->is_request, .is_redacted = is_redacted};
}

static bool find_in_channel(struct judging *j, uint32_t channel, struct find_open *open, struct error *err)
{
    struct exchange *x = j->x;
    struct channel *c = &x->channels[channel];
    struct find_request request = request_for(x, channel, c->text, false, x->stage_ns);

    request.open = open;
    request.classify = classify_for(j);
    request.prompt = prompt_for(x);
    if (!find_in_text(&j->w->finder, &request, &j->list, err)) {
        return false;
    }
    c->judged = c->text.len;
    j->x->judged += c->text.len;
    return true;
}

static bool find(struct judging *j, enum step *next, struct error *err)
{
    struct exchange *x = j->x;
    struct find_open open = {
        .from = SIZE_MAX,
        .no_sooner = j->open != NULL ? j->open->no_sooner : 0,
        .limit = j->open != NULL ? j->open->limit : 0,
        .known = j->open != NULL ? j->open->known : 0,
        .exchange = x,
    };

    j->w->finder.views = (struct view_limits){.depth = j->w->limits.depth, .max_bytes = VIEW_TEXT_MAX, .max_pieces = UINT32_MAX / 64};
    for (uint32_t i = 0; i < x->n_channels; i++) {
        size_t before = j->list.n;
        if (!(x->channels[i].known != NULL ? add_known(j, i, err) : find_in_channel(j, i, may_go_on(j) ? &open : NULL, err))) {
            return false;
        }
        drop_pseudonyms(x, x->channels[i].text, &j->list, before);
    }
    if (!joined_find(&j->w->finder, x, &j->list, err) || !joined_columns_find(&j->w->finder, x, &j->list, err)) {
        return false;
    }
    finding_list_settle(&j->list);
    if (may_go_on(j)) {
        keep_before(&j->list, j->open->limit, &open.from);
        j->open->from = open.from;
    }
    *next = STEP_DECIDE;
    return true;
}

static bool decide_all(struct judging *j, enum step *next, struct error *err)
{
    (void)err;
    decide(j->x, j->list.items, j->list.n, j->w->finder.regex);
    *next = STEP_REDACT;
    return true;
}

/* What is delivered without a redaction: everything, or nothing. */
static void deliver_unchanged(struct exchange *x)
{
    for (size_t i = 0; i < x->n_channels; i++) {
        x->channels[i].output = x->action == ACTION_ALLOW ? x->channels[i].text : (struct span){0};
    }
}

/* Redacts every channel that has findings. */
static bool redact(struct judging *j, enum step *next, struct error *err)
{
    struct exchange *x = j->x;

    *next = STEP_SUPERVISE;
    if (x->action != ACTION_REDACT) {
        deliver_unchanged(x);
        return true;
    }
    if (j->n_redactions++ == REDACTION_ROUNDS_MAX) {
        return error_set(err, ERROR_LIMIT, "redaction does not settle in %d rounds", REDACTION_ROUNDS_MAX);
    }
    if (j->places == NULL && (j->places = arena_array(&j->w->arena, x->n_channels, sizeof(*j->places), err)) == NULL) {
        return false;
    }
    for (size_t i = 0, at = 0; i < x->n_channels; i++) {
        while (at < x->n_findings && x->findings[at].channel < i) {
            at++;
        }
        bool has_findings = at < x->n_findings && x->findings[at].channel == i;
        j->places[i] = (struct redacted_places){0};
        x->channels[i].output = x->channels[i].text;
        if (has_findings && !redact_channel(&j->w->arena, x, (uint32_t)i, j->w->keys, &j->places[i], err)) {
            return false;
        }
        if (has_findings && j->open != NULL) {
            j->open->places = j->places[i];
            j->open->rounds[j->open->n_rounds++] = (struct redaction_round){x->channels[i].output, j->places[i]};
        }
    }
    *next = STEP_FIND_AGAIN;
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

/* False, too, where that could not be found out. */
static bool is_clean_near(struct judging *j, uint32_t channel)
{
    const struct exchange *x = j->x;
    uint64_t ignored[STAGE_COUNT];
    struct buf parts CLEANUP(buf_deinit);
    struct finding_list found = {0};
    struct error err;

    buf_init(&parts, j->w->limits.text_max);
    if (x->near == NULL || !x->near->append(x->near->context, &x->channels[channel], &j->places[channel], &parts, &err) || parts.len == 0) {
        return false;
    }
    const struct find_request request = request_for(x, channel, buf_span(&parts), true, ignored);
    j->w->finder.keeps_lacking = true;
    bool is_clean = find_in_text(&j->w->finder, &request, &found, &err) && found.n == 0;
    j->w->finder.keeps_lacking = false;
    return is_clean;
}

static bool find_in_redacted(struct judging *j, uint32_t channel, struct finding_list *again, struct error *err)
{
    const struct exchange *x = j->x;
    const struct redacted_places *places = &j->places[channel];
    uint64_t ignored[STAGE_COUNT];
    struct find_open open = {
        .from = SIZE_MAX,
        .no_sooner = may_go_on(j) ? redacted_to_output(places, j->open->no_sooner) : 0,
        .limit = may_go_on(j) ? redacted_to_output(places, j->open->limit) : 0,
        .is_redacted = true,
        .exchange = x,
    };
    struct find_request request = request_for(x, channel, x->channels[channel].output, true, ignored);

    request.open = may_go_on(j) ? &open : NULL;
    if (!find_in_text(&j->w->finder, &request, again, err)) {
        return false;
    }
    x->channels[channel].is_clear = again->n == 0;
    drop_pseudonyms(x, x->channels[channel].output, again, 0);
    if (may_go_on(j)) {
        keep_before(again, open.limit, &open.from);
        note_open_again(j->open, places, open.from);
    }
    return true;
}

/* A finding of the redacted channel, at the place in the text that it comes from. A label that reads as what it stands
 * for is nothing new. */
static bool add_at_origin(struct judging *j, const struct redacted_places *places, struct finding f, struct error *err)
{
    size_t match_to = f.match_from + 1;

    redacted_to_text(places, &f.from, &f.to);
    redacted_to_text(places, &f.match_from, &match_to);
    return finding_list_has(&j->list, j->x->n_findings, &f) || finding_list_add(&j->w->finder, &j->list, &f, err);
}

/* Of what was found in the redacted text and decided, what would be acted on. */
static bool add_acted_on(struct judging *j, uint32_t channel, const struct finding_list *again, struct error *err)
{
    for (size_t i = 0; i < again->n; i++) {
        const struct finding *f = &again->items[i];
        if (f->action != ACTION_ALLOW && !f->is_shadow && !add_at_origin(j, &j->places[channel], *f, err)) {
            return false;
        }
    }
    return true;
}

/* A label, or what is beside one, may read as something new. Redacts until nothing does: that is what a redacted text
 * promises. */
static bool find_again(struct judging *j, enum step *next, struct error *err)
{
    size_t before = j->list.n;

    for (uint32_t i = 0; i < j->x->n_channels; i++) {
        struct finding_list again = {0};
        struct exchange copy = *j->x; /* the verdict is made of the text as sent */
        copy.is_redacted = true;
        const struct settled_texts *settled = copy.settled;
        if (j->places[i].n == 0 || (settled != NULL && settled->is_settled(settled->context, &copy.channels[i])) ||
            is_clean_near(j, i)) {
            continue;
        }
        if (!find_in_redacted(j, i, &again, err)) {
            return false;
        }
        decide(&copy, again.items, again.n, j->w->finder.regex);
        if (!add_acted_on(j, i, &again, err)) {
            return false;
        }
    }
    *next = STEP_SUPERVISE;
    if (j->list.n > before) {
        finding_list_settle(&j->list);
        *next = STEP_DECIDE;
    }
    return true;
}

/* A supervisor that gave no answer: what the policy says to that. */
static void go_without(struct exchange *x)
{
    if (x->policy->supervisor->on_failure == ACTION_BLOCK && !x->policy->is_shadow) {
        exchange_fail(x, supervision_outcome_reason(x->supervision->outcome));
    }
}

/* Asks, or reads the answer. A text that may go on is shown to the supervisor by the stream that holds it. */
static bool supervise(struct judging *j, enum step *next, struct error *err)
{
    static const struct supervision not_asked;
    struct exchange *x = j->x;
    bool is_asked_here = j->open == NULL && !j->is_supervised && !x->is_part;

    *next = STEP_DONE;
    if (!is_asked_here || !supervise_applies(x) || !supervise_is_triggered(x)) {
        return true;
    }
    j->is_supervised = true;
    if (!supervise_prepare(&j->w->arena, x, err)) {
        return false;
    }
    if (x->supervision == NULL && x->can_ask) {
        exchange_fail(x, supervision_outcome_reason(SUPERVISION_NOT_ASKED));
        x->is_asking = true;
        return true;
    }
    bool is_answer = x->supervision != NULL && (x->asked.ptr == NULL || span_equal(x->asked, x->question));
    x->supervision = is_answer ? x->supervision : &not_asked;
    if (x->supervision->outcome != SUPERVISION_ANSWERED) {
        go_without(x);
        return true;
    }
    j->n_redactions = 0;
    *next = STEP_DECIDE;
    return supervise_add_findings(&j->w->finder, x, j->w->keys, &j->list, err);
}

static const struct {
    bool (*run)(struct judging *j, enum step *next, struct error *err);
    enum stage timed; /* the stage that its time counts for; STAGE_COUNT: it is in none, or measured inside */
} steps[STEP_DONE] = {
    [STEP_MEASURE] = {measure, STAGE_COUNT},
    [STEP_FIND] = {find, STAGE_COUNT}, /* views, scan, confirm, classify: judge/find.h */
    [STEP_DECIDE] = {decide_all, STAGE_DECIDE},
    [STEP_REDACT] = {redact, STAGE_REDACT},
    [STEP_FIND_AGAIN] = {find_again, STAGE_REDACT}, /* in the redacted text */
    [STEP_SUPERVISE] = {supervise, STAGE_COUNT},
};

/* --- verdicts ---------------------------------------------------------------- */

static const char *reason_of(enum error_kind kind)
{
    return kind == ERROR_LIMIT ? "limit reached" : kind == ERROR_NO_MEMORY ? "out of memory" : "internal error";
}

/* Whatever was there before, the exchange is blocked until it has been judged. */
static void begin(struct exchange *x)
{
    x->action = ACTION_BLOCK;
    x->rule = (struct span){0};
    x->findings = NULL;
    x->n_findings = x->bytes = x->judged = 0;
    x->unjudged_reason = NULL;
    x->is_asking = false;
    x->question = (struct span){0};
    memset(x->stage_ns, 0, sizeof(x->stage_ns));
}

bool pipeline_find(struct worker *w, struct exchange *x, struct error *err)
{
    struct judging j = {.w = w, .x = x};
    enum step next;

    begin(x);
    w->finder.keeps_lacking = true;
    bool is_found = measure(&j, &next, err) && find(&j, &next, err);
    w->finder.keeps_lacking = false;
    x->findings = j.list.items;
    x->n_findings = j.list.n;
    return is_found;
}

/* What was charged by an earlier look at the same text is charged again. */
static bool begin_spending(struct worker *w, struct exchange *x, struct error *err)
{
    if (x->spending != NULL) {
        spending_rewind(x->spending);
    } else if (x->budgets != NULL && !x->is_request && x->policy->n_budgets > 0) {
        x->spending = spending_new(&w->arena, x->budgets, x->policy, &x->who, budgets_now_ns(), err);
        return x->spending != NULL;
    }
    return true;
}

/* A text that is whole is disclosed or is not; of one that may go on the stream says so. */
static void end_spending(struct exchange *x)
{
    if (x->spending == NULL) {
        return;
    }
    if (x->action == ACTION_BLOCK) {
        spending_withdraw(x->spending);
    } else {
        spending_commit(x->spending);
    }
}

static void judge_as(struct worker *w, struct exchange *x, struct open_text *open)
{
    struct judging j = {.w = w, .x = x, .open = open};
    struct error err = {0};

    begin(x);
    if (!begin_spending(w, x, &err)) {
        exchange_fail(x, reason_of(err.kind));
        return;
    }
    for (enum step at = STEP_MEASURE, next = STEP_DONE; at != STEP_DONE; at = next) {
        bool is_timed = steps[at].timed != STAGE_COUNT;
        uint64_t start = is_timed ? clock_monotonic_ns() : 0;
        bool is_done = steps[at].run(&j, &next, &err);
        if (is_timed) {
            x->stage_ns[steps[at].timed] += clock_monotonic_ns() - start;
        }
        if (!is_done) {
            exchange_fail(x, reason_of(err.kind));
            return;
        }
    }
    if (x->action == ACTION_BLOCK) {
        x->notice = x->policy->notice;
    }
}

void pipeline_judge(struct worker *w, struct exchange *x)
{
    judge_as(w, x, NULL);
    end_spending(x);
    for (size_t i = 0; i < x->n_findings; i++) {
        finding_count(x->snapshot, &x->findings[i]);
    }
}

void pipeline_judge_apart(struct worker *w, struct exchange *x)
{
    judge_as(w, x, NULL);
}

void pipeline_judge_open(struct worker *w, struct exchange *x, struct open_text *open)
{
    open->from = SIZE_MAX;
    open->places = (struct redacted_places){0};
    open->n_rounds = 0;
    judge_as(w, x, open);
}
