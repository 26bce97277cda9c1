/* hold.h - how much of a text that may go on must be kept back.
 *
 * Text may be released up to a place when, whatever follows, no match and no view can span the
 * place, and nothing before it can change. Two things can follow: more of the text, behind the end that is
 * known; and, at the place or behind it, what a redaction puts in place of the text that is known. So the
 * place must lie before every pattern that is live at the end, before every view that is pending there, and no
 * pattern may be live when one of the policy's replacements follows at once, nor match or be live when one follows
 * further on.
 *
 * That depends on the text alone and not on how it came in pieces. What else may change are findings that count words
 * nearby (find.h, struct find_open). */
#ifndef FILTERD_JUDGE_HOLD_H
#define FILTERD_JUDGE_HOLD_H

#include "judge/find.h"
#include "scan/liveness.h"

struct hold_request {
    const struct rule_set *rules;
    const uint64_t *patterns; /* those that may hold: bit per pattern of the scanner; NULL: all */
    const struct live_table *table; /* of these, scan/liveness.h; may be NULL */
    struct span text;         /* valid UTF-8 */
    size_t from;              /* released up to here */
    const struct system_prompt *prompt; /* parts of it hold, too; NULL: none */
};

enum { HOLD_VIEW = UINT32_MAX }; /* in place of a pattern: a view that may go on holds the text */
struct hold {
    size_t to;        /* at least `from` */
    uint32_t pattern; /* of what holds the byte behind it; meaningless when to is the text's end */
};

/* Before what is live or pending at the end of the text. */
MUST_CHECK bool hold_find(struct finder *f, const struct hold_request *request, struct hold *out, struct error *err);
/* Lowers out->to until no match that began before it can extend into the replacement, be it at out->to or further on; an
 * empty replacement stands for any. */
MUST_CHECK bool hold_before(struct finder *f, const struct hold_request *request, struct span replacement,
                            struct hold *out, struct error *err);

/* Sets *is_plain when nothing in the text can be a finding, or be read differently: no closer look is needed. */
MUST_CHECK bool hold_is_plain(struct finder *f, const struct rule_set *rules, struct span text, bool *is_plain,
                              struct error *err);

#endif
