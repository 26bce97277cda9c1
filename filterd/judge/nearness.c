/* nearness.c - what is near a span, in its view and in the raw text, and what may yet. */
#include <ctype.h>

#include "judge/label.h"
#include "judge/partner.h"

/* Of a text that may go on, without its last word: more letters may make another of it, or a label. */
static struct span without_last_word(struct span text)
{
    size_t end = label_cut_off(text);

    while (end > 0 && isalnum((unsigned char)text.ptr[end - 1]) != 0) {
        end--;
    }
    return span_slice(text, 0, end);
}

/* Of the text that a finding ends at `to` of, what words may be looked for in. */
static struct span known_part(const struct search *s, struct span text, size_t to, bool is_raw)
{
    const struct find_open *open = s->request->open;

    if (open == NULL) {
        return text;
    }
    if (is_raw && open->is_redacted && open->limit < text.len - s->offset) {
        text = span_slice(text, 0, open->limit + s->offset);
    } else {
        text = without_last_word(text);
    }
    return text.len < to ? span_of(text.ptr, to) : text;
}

/* What is behind the limit may yet be redacted, so that what follows it comes nearer. */
static bool may_come_near(const struct search *s, size_t raw_to, const struct rule_context *context)
{
    size_t len = s->raw->text.len, limit = s->request->open->limit;
    size_t known = limit < len - s->offset ? limit + s->offset : len;

    return known <= raw_to || known - raw_to <= (size_t)context->within + 1;
}

static enum nearness find_words(const struct search *s, const struct scanner_match *match, struct raw_place raw,
                                const struct rule_context *context)
{
    const struct view_piece *piece = view_piece_at(s->view, match->from);
    const struct find_open *open = s->request->open;
    size_t from = match->span_from - piece->from, to = match->span_to - piece->from;
    bool is_raw = s->view == s->raw;
    struct span text = known_part(s, span_slice(s->view->text, piece->from, piece->to), to, is_raw);

    if (context_is_near(context, s->request->rules, text, from, to, NULL) ||
        (!is_raw && context_is_near(context, s->request->rules, known_part(s, s->raw->text, raw.to, true), raw.from, raw.to, NULL))) {
        return NEAR;
    }
    if (open == NULL) {
        return FAR;
    }
    return may_come_near(s, raw.to, context) ? OPEN : FAR;
}

/* The raw text as far as it is what it will be. */
static struct span known_text(const struct search *s)
{
    const struct find_open *open = s->request->open;
    bool is_cut = open != NULL && open->is_redacted && open->limit < s->raw->text.len - s->offset;

    return is_cut ? span_slice(s->raw->text, 0, open->limit + s->offset) : s->raw->text;
}

static enum nearness find_partner(const struct search *s, const struct scanner_match *match, struct raw_place raw,
                                  const struct rule_context *context)
{
    const struct view_piece *piece = view_piece_at(s->view, match->from);
    const struct partner_query in_raw = {.rules = s->request->rules,
                                         .context = context,
                                         .text = known_text(s),
                                         .from = raw.from,
                                         .to = raw.to,
                                         .may_go_on = s->request->open != NULL};
    struct partner_query in_view = in_raw;

    in_view.text = span_slice(s->view->text, piece->from, piece->to);
    in_view.from = match->span_from - piece->from;
    in_view.to = match->span_to - piece->from;
    enum nearness view = s->view != s->raw ? partner_find(s->finder, &in_view) : FAR;
    if (view == NEAR || raw.to > in_raw.text.len) {
        return view == NEAR ? NEAR : OPEN;
    }
    enum nearness nearness = partner_find(s->finder, &in_raw);
    bool may_come = in_raw.may_go_on && (view == OPEN || may_come_near(s, raw.to, context));
    return nearness == FAR && may_come ? OPEN : nearness;
}

enum nearness nearness_of(const struct search *s, const struct scanner_match *match, struct raw_place raw,
                          const struct rule_context *context)
{
    return context->rules.n > 0 ? find_partner(s, match, raw, context) : find_words(s, match, raw, context);
}
