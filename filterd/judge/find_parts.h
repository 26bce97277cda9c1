/* find_parts.h - one search; for find.c, copied.c, nearness.c and partner.c alone. */
#ifndef FILTERD_JUDGE_FIND_PARTS_H
#define FILTERD_JUDGE_FIND_PARTS_H

#include "judge/find.h"

/* What a check measured last of the match at hand. */
struct scored {
    const struct check_type *type; /* NULL: nothing yet */
    struct span value;
    double score;
};

/* What checks and exceptions said of the last match of a rule: where a text repeats it, they are not asked again. */
struct checked {
    const struct rule *rule; /* NULL: there is none */
    const struct view *view;
    size_t match_from;
    struct span value; /* in the view */
    bool is_dropped;
    uint32_t passed;
    double confidence;
};

/* One text under search. `offset` bytes of the judged text come before the channel's own: its key. */
struct search {
    struct finder *finder;
    const struct find_request *request;
    struct finding_list *list;
    const struct view *view;
    const struct view *raw;
    size_t offset;
    struct finding_list seen; /* what words nearby decide about, found in one view or another */
    size_t n_seen;            /* settled */
    bool is_seen_full;
    struct scored scored;
    struct checked checked;
};

/* Where a span is in the raw text. */
struct raw_place {
    size_t from, to;
};

/* What one context says of a finding: what it asks for is near, or is not, or may yet come. */
enum nearness { NEAR, FAR, OPEN };

/* Parts of the view that are copied from the request's system prompt. */
MUST_CHECK bool find_copied(struct search *s, struct error *err);

/* Words that a piece only copied, before what it reads apart: their own text has been searched, and this copy begins
 * anywhere, so that look-behind sees less here. */
bool search_is_only_copied(const struct search *s, const struct view_piece *piece, size_t from, size_t to);
/* Text before the first change of a piece that is rewritten in place. */
bool search_is_before_change(const struct search *s, const struct view_piece *piece, size_t to);
/* The place in the channel's own text; false when none of it lies there. */
bool search_place(const struct search *s, struct raw_place raw, struct finding *finding);
/* What may still change from the raw place on. */
void search_note_open(const struct search *s, size_t raw_from);

enum nearness nearness_of(const struct search *s, const struct scanner_match *match, struct raw_place raw,
                          const struct rule_context *context);

#endif
