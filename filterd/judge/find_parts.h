/* find_parts.h - one search; for find.c, nearness.c and partner.c alone. */
#ifndef FILTERD_JUDGE_FIND_PARTS_H
#define FILTERD_JUDGE_FIND_PARTS_H

#include "judge/find.h"

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
};

/* Where a span is in the raw text. */
struct raw_place {
    size_t from, to;
};

/* What one context says of a finding: what it asks for is near, or is not, or may yet come. */
enum nearness { NEAR, FAR, OPEN };

enum nearness nearness_of(const struct search *s, const struct scanner_match *match, struct raw_place raw,
                          const struct rule_context *context);

#endif
