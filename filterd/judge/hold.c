/* hold.c - up to which place a stream may release, by the text alone.
 *
 * Invariants:
 * - out->to only falls, and never below request->from. Each function lowers it further or leaves it; hold_before asks again
 *   until a round changes nothing, as a lower place may be inside of something else.
 * - What is released depends on the bytes before out->to and on what may follow, never on how the text was cut in chunks.
 * - out->pattern names who holds the byte at out->to, so that the next chunk can ask that one pattern first. */
#include "judge/hold.h"

#include <assert.h>

#include "view/pending.h"
#include "view/survey.h"

/* Places in the held text at which a replacement is tried, for each live pattern: more than nearly all holds have (stream.hold
 * in bench/RESULTS.md). Past them the text is held, which is the safe answer and bounds the cost. */
enum { HOLD_PLACES_MAX = 64 };

/* The first live pattern. */
struct first_live {
    uint32_t pattern;
    size_t start;
};

static bool take_first(void *context, uint32_t pattern, size_t start)
{
    struct first_live *first = context;

    *first = (struct first_live){.pattern = pattern, .start = start};
    return false;
}

static bool lower_to_live(struct finder *f, const struct hold_request *request, struct span text, struct hold *out,
                          struct error *err)
{
    struct first_live first = {.start = SIZE_MAX};
    const struct live_query query = {
        .text = text, .from = request->from, .to = out->to, .wanted = request->patterns, .table = request->table};

    if (!scanner_each_live(request->rules->scanner, f->scan, &query, take_first, &first, err)) {
        return false;
    }
    if (first.start < out->to) {
        *out = (struct hold){.to = first.start, .pattern = first.pattern};
    }
    return true;
}

/* To the first byte of what may be read otherwise with more text. */
static struct pending lower_to_pending(const struct hold_request *request, struct span text, struct hold *out)
{
    struct pending pending = pending_find(text, request->from);

    if (pending.from < out->to) {
        *out = (struct hold){.to = pending.from, .pattern = HOLD_VIEW};
    }
    return pending;
}

/* To the first byte of what is in the system prompt up to the text's end. */
static void lower_to_prompt(const struct hold_request *request, struct span text, struct hold *out)
{
    if (request->prompt == NULL || text.len <= request->from) {
        return;
    }
    size_t to = request->from + system_prompt_live(request->prompt, span_slice(text, request->from, text.len));
    if (to < out->to) {
        *out = (struct hold){.to = to, .pattern = HOLD_VIEW};
    }
}

static bool lower_to_altered(struct finder *f, const struct hold_request *request, struct span text, struct pending pending,
                            struct hold *out, struct error *err)
{
    return pending.altered >= text.len ||
           lower_to_live(f, request, span_slice(text, 0, pending.altered), out, err);
}

bool hold_find(struct finder *f, const struct hold_request *request, struct hold *out, struct error *err)
{
    assert(request->from <= request->text.len);
    *out = (struct hold){.to = request->text.len, .pattern = HOLD_VIEW};
    const struct pending pending = lower_to_pending(request, request->text, out);
    lower_to_prompt(request, request->text, out);
    if (pending.altered < request->text.len) {
        lower_to_prompt(request, span_slice(request->text, 0, pending.altered), out);
    }
    return lower_to_live(f, request, request->text, out, err) &&
           lower_to_altered(f, request, request->text, pending, out, err);
}

/* --- a redaction that begins at or behind the hold ------------------------------ */

/* The request's text up to any place, and a replacement behind it. */
struct replaced {
    struct finder *f;
    const struct hold_request *request;
    struct span replacement;
    char *text; /* as long as the request's with the replacement */
    struct first_live first;
    size_t hold;
};

static struct span replaced_from(struct replaced *r, size_t place)
{
    memcpy(r->text, r->request->text.ptr, place);
    if (r->replacement.len > 0) {
        memcpy(r->text + place, r->replacement.ptr, r->replacement.len);
    }
    return span_of(r->text, place + r->replacement.len);
}

/* Behind the character that is at `at`. */
static size_t next_place(struct span text, size_t at)
{
    do {
        at++;
    } while (at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80);
    return at;
}

/* What begins at `start` and is live at the hold: the held text may end it, or a redaction somewhere in the held text may
 * make it end or go on otherwise. Each place where one may begin is tried; after HOLD_PLACES_MAX the answer is yes. */
static bool is_extended_by_replacement(struct replaced *r, uint32_t pattern, size_t start)
{
    const struct scanner *scanner = r->request->rules->scanner;
    const struct span text = r->request->text;
    struct scanner_place match;

    for (size_t place = next_place(text, r->hold), tries = 0; place < text.len; place = next_place(text, place)) {
        if (!scanner_is_live_at(scanner, r->f->scan, pattern, span_slice(text, 0, place), start)) {
            return false;
        }
        struct span replaced = replaced_from(r, place);
        if (++tries > HOLD_PLACES_MAX || scanner_is_live_at(scanner, r->f->scan, pattern, replaced, start) ||
            scanner_search(scanner, r->f->scan, pattern, replaced, start, start, &match)) {
            return true;
        }
    }
    return false;
}

/* A pattern that is not live before the hold is not live with anything behind it, so one question finds the few that a
 * replacement may extend: right at the hold, or anywhere in the text behind it. */
static bool take_first_extended(void *context, uint32_t pattern, size_t start)
{
    struct replaced *r = context;
    const struct scanner *scanner = r->request->rules->scanner;

    if (!scanner_is_live_at(scanner, r->f->scan, pattern, replaced_from(r, r->hold), start) &&
        !is_extended_by_replacement(r, pattern, start)) {
        return true;
    }
    r->first = (struct first_live){.pattern = pattern, .start = start};
    return false;
}

static bool lower_to_extended(struct replaced *r, struct hold *out, struct error *err)
{
    const struct hold_request *request = r->request;
    const struct live_query query = {.text = span_slice(request->text, 0, r->hold),
                                     .from = request->from,
                                     .to = out->to,
                                     .wanted = request->patterns,
                                     .table = request->table};

    r->first = (struct first_live){.start = SIZE_MAX};
    if (!scanner_each_live(request->rules->scanner, r->f->scan, &query, take_first_extended, r, err)) {
        return false;
    }
    out->to = r->first.start < out->to ? r->first.start : out->to;
    return true;
}

/* A redaction right at the hold may make a view go on; one further on may end one that goes on over the hold. */
static bool lower_to_replaced(struct replaced *r, struct hold *out, struct error *err)
{
    const struct hold_request *request = r->request;
    const struct span text = request->text;

    r->hold = out->to;
    const struct span known = r->hold < text.len ? span_slice(text, 0, next_place(text, r->hold)) : (struct span){0};
    const struct pending behind = lower_to_pending(request, replaced_from(r, r->hold), out);
    const struct pending over = known.len > 0 ? lower_to_pending(request, known, out) : (struct pending){.altered = SIZE_MAX};
    return lower_to_extended(r, out, err) &&
           lower_to_altered(r->f, request, replaced_from(r, r->hold), behind, out, err) &&
           lower_to_altered(r->f, request, known, over, out, err);
}

bool hold_before(struct finder *f, const struct hold_request *request, struct span replacement, struct hold *out,
                 struct error *err)
{
    const uint32_t holder = out->to < request->text.len ? out->pattern : HOLD_VIEW;
    struct replaced r = {.f = f, .request = request, .replacement = replacement};
    size_t before = SIZE_MAX;

    r.text = arena_alloc(f->arena, request->text.len + replacement.len + 1, err);
    while (r.text != NULL && out->to > request->from && out->to < before) {
        before = out->to;
        if (!lower_to_replaced(&r, out, err)) {
            return false;
        }
        out->pattern = holder; /* without it nothing would have been held */
    }
    assert(r.text == NULL || out->to >= request->from);
    return r.text != NULL;
}

bool hold_is_plain(struct finder *f, const struct rule_set *rules, struct span text, bool *is_plain, struct error *err)
{
    struct view_piece whole;
    struct view raw;
    struct scanner_hints hints;
    struct survey survey;

    view_raw(text, &whole, &raw);
    if (!find_hints(f->arena, &raw, &hints, err) || !scanner_mark(rules->scanner, f->scan, &raw, &hints, err) ||
        !survey_make(f->arena, text, &survey, err)) {
        return false;
    }
    *is_plain = !scanner_has_marks(f->scan) && hints.n == 0 && survey.all == 0;
    return true;
}
