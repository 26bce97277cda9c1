#include "judge/hold.h"

#include "text/pending.h"
#include "text/survey.h"

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

/* To the first place in [request->from, out->to) from which something may go on: behind the end of `text`, or where it
 * may be read otherwise. */
static bool lower(struct finder *f, const struct hold_request *request, struct span text, struct hold *out,
                  struct error *err)
{
    struct pending pending = pending_find(text, request->from);

    if (pending.from < out->to) {
        *out = (struct hold){.to = pending.from, .pattern = HOLD_READING};
    }
    return lower_to_live(f, request, text, out, err) &&
           (pending.reread >= text.len ||
            lower_to_live(f, request, span_slice(text, 0, pending.reread), out, err));
}

bool hold_find(struct finder *f, const struct hold_request *request, struct hold *out, struct error *err)
{
    *out = (struct hold){.to = request->text.len, .pattern = HOLD_READING};
    return lower(f, request, request->text, out, err);
}

bool hold_before(struct finder *f, const struct hold_request *request, struct span replacement, struct hold *out,
                 struct error *err)
{
    size_t before = SIZE_MAX;

    const uint32_t holder = out->to < request->text.len ? out->pattern : HOLD_READING;

    while (out->to > request->from && out->to < before) {
        char *text = arena_alloc(f->arena, out->to + replacement.len, err);
        if (text == NULL) {
            return false;
        }
        before = out->to;
        memcpy(text, request->text.ptr, before);
        if (replacement.len > 0) {
            memcpy(text + before, replacement.ptr, replacement.len);
        }
        if (!lower(f, request, span_of(text, before + replacement.len), out, err)) {
            return false;
        }
        out->pattern = holder; /* without it nothing would have been held */
    }
    return true;
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
