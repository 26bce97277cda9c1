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

bool hold_find(struct finder *f, const struct hold_request *request, struct hold *out, struct error *err)
{
    struct span text = request->text;

    *out = (struct hold){.to = text.len, .pattern = HOLD_READING};
    while (out->to > request->from) {
        struct span cut = span_slice(text, 0, out->to);
        size_t pending = pending_from(cut, request->from);
        if (pending < out->to) {
            *out = (struct hold){.to = pending, .pattern = HOLD_READING};
            continue;
        }
        struct first_live first = {.start = out->to};
        const struct live_query query = {.text = cut, .from = request->from, .wanted = request->patterns};
        if (!scanner_each_live(request->rules->scanner, f->scan, &query, take_first, &first, err)) {
            return false;
        }
        if (first.start == out->to) {
            break;
        }
        *out = (struct hold){.to = first.start, .pattern = first.pattern};
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
