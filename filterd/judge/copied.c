/* copied.c - parts of a view that are copied from the system prompt of the request (disclosure/system_prompt.h). */
#include "judge/find_parts.h"
#include "policy/system_prompt_policy.h"

struct copying {
    struct search *search;
    const struct view_piece *piece;
};

/* What a piece only copied was looked at in its parent, and is longer there. */
static bool is_copy(const struct copying *c, size_t from, size_t to)
{
    if (c->search->view == c->search->raw) {
        return false;
    }
    const struct view_segment *segment = view_segment_at(c->search->view, c->piece, from);
    return segment->is_copy && to <= (size_t)segment->view_from + segment->view_len;
}

static bool take_part(void *context, const struct copied_part *part, struct error *err)
{
    const struct copying *c = context;
    struct search *s = c->search;
    size_t from = c->piece->from + part->from, to = c->piece->from + part->to;
    struct finding finding = {.source = FINDING_SYSTEM_PROMPT,
                              .rule = &system_prompt_rule,
                              .channel = s->request->channel,
                              .view = c->piece->kind,
                              .transform = c->piece->transform,
                              .confidence = system_prompt_rule.confidence,
                              .value = span_slice(s->view->text, from, to)};
    struct raw_place raw;

    if (is_copy(c, from, to)) {
        return true;
    }
    view_to_raw(s->view, from, to, &raw.from, &raw.to);
    return !search_place(s, raw, &finding) || finding_list_add(s->finder, s->list, &finding, err);
}

bool find_copied(struct search *s, struct error *err)
{
    const struct find_prompt *prompt = &s->request->prompt;

    for (size_t i = 0; prompt->prompt != NULL && i < s->view->n_pieces; i++) {
        struct copying c = {.search = s, .piece = &s->view->pieces[i]};
        bool is_apart = s->view != s->raw && !view_is_in_place(c.piece);
        if (s->request->is_parts && !is_apart) {
            continue;
        }
        struct span text = span_slice(s->view->text, c.piece->from, c.piece->to);
        if (!system_prompt_each(prompt->prompt, prompt->words, text, take_part, &c, err)) {
            return false;
        }
    }
    return true;
}
