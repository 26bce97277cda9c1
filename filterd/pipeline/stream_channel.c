/* stream_channel.c - one step of a channel: how far its text is final, what that part is redacted to. The invariants are
 * in the header. */
#include "pipeline/stream_channel.h"

#include <assert.h>

#include "base/ascii.h"
#include "judge/data.h"
#include "judge/decide.h"
#include "judge/hold.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream_unit.h"
#include "pipeline/worker_parts.h"
#include "view/pending.h"
#include "text/utf8.h"

enum {
    ASK_AGAIN = 8,           /* a long hold is looked at again when it grew by this part: nine looks at each byte, not n */
    LONG_HOLD = 1024,
    SELDOM = 8 * 1024,       /* bytes between two looks at a text that is taken whole */
    LABEL_REACH = 64,        /* bytes behind a label that look-behind can see it from */
};

/* --- the end of the text ------------------------------------------------------ */

static size_t character_length(unsigned char first)
{
    return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

/* Bytes at the end that are the beginning of a character. */
static size_t partial_character(struct span text)
{
    size_t n = 1;

    while (n < 4 && n < text.len && ((unsigned char)text.ptr[text.len - n] & 0xc0) == 0x80) {
        n++;
    }
    unsigned char first = (unsigned char)(text.len > 0 ? text.ptr[text.len - n] : '\0');
    return first >= 0xc2 && first < 0xf5 && character_length(first) > n ? n : 0;
}

/* --- judging ------------------------------------------------------------------ */

struct step {
    struct stream_channel *c;
    const struct stream_window *w;
    struct worker *worker;
    struct span text; /* the window, repaired */
    size_t from;      /* the frontier in it */
    bool is_plain, has_data;
    struct stream_step *out;
    struct error err;
};

static void judge(struct step *s, size_t to, struct open_text *open)
{
    const struct stream_options *o = s->w->options;
    struct stream_step *step = s->out;

    step->channel = (struct channel){.path = s->c->path, .text = span_slice(buf_span(&s->c->window), 0, to)};
    step->judged = (struct exchange){.snapshot = o->snapshot,
                                     .policy = o->policy,
                                     .who = o->who,
                                     .id = o->id,
                                     .now_ns = o->now_ns,
                                     .system_prompt = o->system_prompt,
                                     .masking = o->masking,
                                     .spending = s->w->spending,
                                     .channels = &step->channel,
                                     .n_channels = 1};
    pipeline_judge_open(s->worker, &step->judged, open);
    step->is_judged = true;
}

static struct hold_request request_for(const struct step *s, struct span text, size_t from)
{
    return (struct hold_request){.rules = s->w->options->snapshot->rules,
                                 .patterns = s->w->patterns,
                                 .table = s->w->table,
                                 .text = text,
                                 .from = from};
}

/* Before what may go on when a redaction begins right at `hold`. */
static bool hold_before_labels(struct step *s, struct hold *hold)
{
    const struct hold_request request = request_for(s, s->text, s->from);
    size_t before = SIZE_MAX;

    while (hold->to > s->from && hold->to < before) {
        before = hold->to;
        for (size_t i = 0; i < s->w->n_replacements; i++) {
            if (!hold_before(worker_finder(s->worker), &request, s->w->replacements[i], hold, &s->err)) {
                return false;
            }
        }
    }
    return true;
}

/* A label and what is behind it may be the beginning of a match, too. */
static bool hold_in_round(struct step *s, const struct redaction_round *round, size_t limit, struct hold *hold)
{
    const struct redacted_places *places = &round->places;
    struct span output;
    struct hold in_output;

    if (!utf8_repair(worker_arena(s->worker), round->output, &output, &s->err)) {
        return false;
    }
    const struct hold_request request = request_for(s, output, redacted_to_output(places, s->from));
    if (!hold_find(worker_finder(s->worker), &request, &in_output, &s->err)) {
        return false;
    }
    /* What is behind the limit may yet be redacted, so it does not tell what ends before it. */
    limit = redacted_to_output(places, limit);
    in_output.to = in_output.to < limit ? in_output.to : limit;
    for (size_t i = 0; i < s->w->n_replacements; i++) {
        if (!hold_before(worker_finder(s->worker), &request, s->w->replacements[i], &in_output, &s->err)) {
            return false;
        }
    }
    if (in_output.to < limit) {
        size_t to = in_output.to, end = to + 1;
        redacted_to_text(places, &to, &end);
        to = to > s->from ? to : s->from;
        *hold = to < hold->to ? (struct hold){.to = to, .pattern = in_output.pattern} : *hold;
    }
    return true;
}

/* A label that a later round put in place of words hides that they may be the beginning of a longer match. */
static bool hold_behind_labels(struct step *s, const struct open_text *open, struct hold *hold)
{
    for (size_t i = 0; i < open->n_rounds && s->out->judged.action != ACTION_BLOCK; i++) {
        if (open->rounds[i].places.n > 0 && !hold_in_round(s, &open->rounds[i], open->limit, hold)) {
            return false;
        }
    }
    return true;
}

/* Whether nothing that is not released needs a closer look. Beside a label everything does. */
static bool is_plain_text(struct step *s, bool *is_plain)
{
    struct span text = span_slice(s->text, s->from, s->text.len);

    *is_plain = false;
    return s->has_data || s->w->prompt != NULL || (s->c->has_label && s->c->frontier - s->c->label_end < LABEL_REACH) ||
           hold_is_plain(worker_finder(s->worker), s->w->options->snapshot->rules, text, is_plain, &s->err);
}

/* Judges what lies before the hold and lowers it until all of that is final. */
static bool judge_until_final(struct step *s, struct hold *hold, struct open_text *open)
{
    open->known = hold->to;
    while (hold->to > s->from) {
        size_t before = hold->to;
        open->limit = before;
        judge(s, s->text.len, open);
        if (s->out->judged.unjudged_reason != NULL) {
            return true;
        }
        if (open->from < before) {
            *hold = (struct hold){.to = open->from > s->from ? open->from : s->from, .pattern = HOLD_VIEW};
        }
        if (!hold_behind_labels(s, open, hold)) {
            return false;
        }
        if (hold->to == before) {
            return true;
        }
        if (!hold_before_labels(s, hold)) {
            return false;
        }
    }
    s->out->is_judged = false;
    return true;
}

/* What held the text when it was last looked at, and still does. */
static bool is_still_held(const struct step *s)
{
    const struct stream_channel *c = s->c;
    size_t at = c->held_at - c->base;

    if (c->asked == 0 || c->held_at < c->frontier) {
        return false;
    }
    if (c->holder != HOLD_VIEW) {
        return scanner_is_live_at(s->w->options->snapshot->rules->scanner, worker_finder(s->worker)->scan, c->holder,
                                  s->text, at);
    }
    return pending_find(s->text, s->from).from <= at;
}

/* The longest beginning of the window that is final, judged where it needs to be. */
static bool settle(struct step *s, size_t *to, struct open_text *open)
{
    struct hold_request request = request_for(s, s->text, s->from);
    struct hold hold;
    bool is_plain;

    if (is_still_held(s)) {
        *to = s->from;
        return true;
    }
    request.prompt = s->w->prompt; /* of the text as sent: no redaction goes on with it */
    if (!hold_find(worker_finder(s->worker), &request, &hold, &s->err)) {
        return false;
    }
    stream_unit_hold(s->c, s->w->options->policy, s->text, &hold);
    if (!data_hold(s->w->options->snapshot->rules, s->w->options->policy->has_rule, s->text, s->from, &hold, &s->has_data, &s->err)) {
        return false;
    }
    s->c->held_at = s->c->base + hold.to;
    if (!hold_before_labels(s, &hold)) {
        return false;
    }
    if (hold.to > s->from) {
        bool is_classified = stream_unit_is_used(s->w->options->policy);
        if (!is_plain_text(s, &is_plain) || ((!is_plain || is_classified) && !judge_until_final(s, &hold, open))) {
            return false;
        }
        s->is_plain = is_plain && open->places.n == 0;
        if (hold.to == s->from) {
            s->c->held_at = 0; /* what was found holds it: there is no one place to ask about next time */
        }
    }
    *to = hold.to;
    s->c->holder = hold.pattern;
    return true;
}

/* --- regions -------------------------------------------------------------------- */

struct region_search {
    struct step *s;
    const struct rule *found;
};

static bool take_region(void *context, uint32_t pattern, size_t start)
{
    struct region_search *search = context;
    struct step *s = search->s;
    const struct rule_set *rules = s->w->options->snapshot->rules;
    struct scanner_scratch *scratch = worker_finder(s->worker)->scan;
    uint32_t rule = rules->rule_of_pattern[pattern];
    bool is_wanted = (s->w->patterns[pattern / 64] >> pattern % 64 & 1) != 0 &&
                     decision_is_label(s->w->options->policy, &s->w->options->who, &rules->rules[rule]);

    for (uint32_t i = rules->first_pattern[rule]; i < rules->first_pattern[rule + 1] && is_wanted; i++) {
        struct scanner_place place;
        if (scanner_search(rules->scanner, scratch, i, s->text, start, start, &place)) {
            search->found = &rules->rules[rule];
        }
    }
    return search->found == NULL;
}

/* The label of a region goes out as soon as one begins where the text is held. Nothing is more severe, and nothing
 * that begins behind it leads it, so no other label will be there. */
static bool announce(struct step *s, size_t frontier, struct buf *out)
{
    struct region_search search = {.s = s};
    const struct rule_set *rules = s->w->options->snapshot->rules;
    const struct live_query query = {
        .text = s->text, .from = frontier, .to = frontier + 1, .wanted = rules->regions, .table = s->w->regions};
    size_t before = out->len;

    if (s->c->region != NULL || s->out->failure != NULL || s->w->has_units) {
        return true;
    }
    if (!scanner_each_live(rules->scanner, worker_finder(s->worker)->scan, &query, take_region, &search, &s->err) ||
        (search.found != NULL && !redact_append_label(out, search.found, &s->err))) {
        return false;
    }
    s->c->region = search.found;
    s->c->released += out->len - before;
    return true;
}

/* What was announced is not released again. False when something else is there. */
static bool take_announced(struct stream_channel *c, struct span *output)
{
    struct span id = c->region->id;
    bool is_there = output->len >= id.len + 2 && output->ptr[0] == '[' && output->ptr[id.len + 1] == ']' &&
                    memcmp(output->ptr + 1, id.ptr, id.len) == 0;

    c->region = NULL;
    *output = is_there ? span_slice(*output, id.len + 2, output->len) : span_str("");
    return is_there;
}

/* --- releasing ---------------------------------------------------------------- */

static bool release(struct step *s, size_t to, const struct open_text *open, struct buf *out)
{
    assert(to >= s->from && to <= s->c->window.len);
    struct span output = span_slice(buf_span(&s->c->window), s->from, to);
    const struct redacted_places *places = &open->places;

    if (s->out->is_judged) {
        if (s->out->judged.action == ACTION_BLOCK) {
            return true;
        }
        for (size_t i = 0; i < places->n; i++) {
            if (places->items[i].from < s->from && places->items[i].to > s->from) {
                s->out->failure = "internal error";
                return true;
            }
        }
        output = span_slice(s->out->channel.output, redacted_to_output(places, s->from), redacted_to_output(places, to));
    }
    if (s->c->region != NULL && !take_announced(s->c, &output)) {
        s->out->failure = "internal error";
        return true;
    }
    if (s->out->is_judged && places->n > 0) {
        s->c->has_label = true;
        s->c->label_end = s->c->base + places->items[places->n - 1].to;
    }
    s->c->released += output.len;
    return buf_append(out, output, &s->err);
}

/* A long hold is not looked at again for each byte, and what nobody waits for only before it is too much. */
static bool is_worth_a_look(const struct stream_channel *c, const struct stream_options *o, size_t held)
{
    if (o->is_taken_whole) {
        return held >= c->asked + SELDOM || held > o->hold_max;
    }
    return held > 0 && (c->asked <= LONG_HOLD || held >= c->asked + c->asked / ASK_AGAIN);
}

static const char *reason_of(const struct error *err)
{
    return err->kind == ERROR_LIMIT ? "limit reached" : "out of memory";
}

/* --- the end ------------------------------------------------------------------ */

/* A token of which so many bytes are there behind its first letters has lost little. */
enum { CUT_OFF_MIN = 8, LITERAL_MIN = 3 };

struct cut_off {
    const struct step *s;
    const struct redacted_places *places;
    struct finding *found;
};

static bool is_redacted_at(const struct redacted_places *places, size_t at)
{
    for (size_t i = 0; i < places->n; i++) {
        if (at >= places->items[i].from && at < places->items[i].to) {
            return true;
        }
    }
    return false;
}

/* The first token that is cut off and would have been acted on. Stops at it. */
static bool take_cut_off(void *context, uint32_t pattern, size_t start)
{
    struct cut_off *c = context;
    const struct stream_options *o = c->s->w->options;
    const struct rule_set *rules = o->snapshot->rules;
    size_t literal = scanner_literal_at(rules->scanner, pattern, c->s->text, start);

    if (literal < LITERAL_MIN || c->s->text.len - start < literal + CUT_OFF_MIN || is_redacted_at(c->places, start)) {
        return true;
    }
    const struct rule *rule = &rules->rules[rules->rule_of_pattern[pattern]];
    *c->found = (struct finding){.rule = rule,
                                 .from = start,
                                 .to = c->s->text.len,
                                 .match_from = start,
                                 .transform = "raw",
                                 .confidence = rule->confidence,
                                 .is_over_limit = true,
                                 .action = ACTION_REDACT};
    return false;
}

static bool find_cut_off(struct step *s, const struct open_text *open)
{
    struct cut_off context = {.s = s, .places = &open->places, .found = &s->out->cut_off};
    const struct live_query query = {
        .text = s->text, .from = s->from, .to = s->text.len, .wanted = s->w->patterns, .table = s->w->table};

    return scanner_each_live(s->w->options->snapshot->rules->scanner, worker_finder(s->worker)->scan, &query,
                             take_cut_off, &context, &s->err);
}

static bool release_end(struct step *s, const struct open_text *open, struct buf *out)
{
    const struct finding *f = &s->out->cut_off;

    if (f->rule == NULL || s->out->judged.action == ACTION_BLOCK) {
        return release(s, s->text.len, open, out);
    }
    size_t before = out->len;
    bool is_written = release(s, f->from, open, out) && redact_append_label(out, f->rule, &s->err);
    s->c->released += is_written ? out->len - before - (f->from - s->from) : 0;
    return is_written;
}

static bool step_to_end(struct step *s, bool is_cut_off, struct open_text *open, struct buf *out)
{
    struct span window = buf_span(&s->c->window);

    (void)worker_begin(s->worker);
    open->is_whole = true;
    judge(s, window.len, open);
    s->out->to = window.len;
    if (s->out->judged.unjudged_reason != NULL) {
        s->out->failure = s->out->judged.unjudged_reason;
        return true;
    }
    if (!utf8_repair(worker_arena(s->worker), window, &s->text, &s->err) || (is_cut_off && !find_cut_off(s, open))) {
        return false;
    }
    s->c->frontier = s->c->base + window.len;
    return release_end(s, open, out);
}

/* --- a chunk ------------------------------------------------------------------- */

static bool step_on(struct step *s, struct open_text *open, struct buf *out)
{
    struct span window = buf_span(&s->c->window);
    size_t to = window.len - partial_character(window);

    if (to < s->from || !is_worth_a_look(s->c, s->w->options, to - s->from)) {
        return true;
    }
    if (!utf8_repair(worker_begin(s->worker), span_slice(window, 0, to), &s->text, &s->err) || !settle(s, &to, open)) {
        return false;
    }
    if (to == s->from) {
        s->c->asked = window.len - s->from;
        return announce(s, to, out);
    }
    s->c->asked = 0;
    s->out->to = to;
    if (s->out->is_judged && s->out->judged.unjudged_reason != NULL) {
        s->out->failure = s->out->judged.unjudged_reason;
        return true;
    }
    if (!release(s, to, open, out)) {
        return false;
    }
    s->c->frontier = s->c->base + to;
    if (s->out->is_judged && s->out->judged.action == ACTION_BLOCK) {
        return true;
    }
    s->out->may_move = stream_unit_is_place(s->c, s->w->options->policy);
    s->out->is_plain = s->is_plain;
    return announce(s, to, out);
}

void stream_channel_step(struct stream_channel *c, const struct stream_window *w, struct worker *worker,
                         enum stream_event event, struct stream_step *step, struct buf *out)
{
    struct step s = {.c = c, .w = w, .worker = worker, .from = c->frontier - c->base, .out = step};
    struct open_text open = {.no_sooner = s.from};

    assert(c->base <= c->next_base && c->next_base <= c->frontier && s.from <= c->window.len);
    *step = (struct stream_step){.from = s.from};
    bool is_done = event == STREAM_EVENT_CHUNK ? step_on(&s, &open, out)
                                               : step_to_end(&s, event == STREAM_EVENT_CUT_OFF, &open, out);
    step->places = open.places;
    if (!is_done) {
        step->failure = reason_of(&s.err);
    }
}
