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

/* The first place in [request->from, out->to) from which something may go on behind the end of `text`. */
static bool lower(struct finder *f, const struct hold_request *request, struct span text, struct hold *out,
                  struct error *err)
{
    size_t pending = pending_from(text, request->from);
    struct first_live first = {.start = SIZE_MAX};

    if (pending < out->to) {
        *out = (struct hold){.to = pending, .pattern = HOLD_READING};
    }
    const struct live_query query = {
        .text = text, .from = request->from, .to = out->to, .wanted = request->patterns};
    if (!scanner_each_live(request->rules->scanner, f->scan, &query, take_first, &first, err)) {
        return false;
    }
    if (first.start < out->to) {
        *out = (struct hold){.to = first.start, .pattern = first.pattern};
    }
    return true;
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
