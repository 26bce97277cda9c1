/* find.h - from a text to findings: views, scan, checks, context, confidence.
 *
 * docs/rules.md defines what a finding's confidence is. Findings are the same for every order of
 * files and for Hyperscan on or off. Nothing is decided here. */
#ifndef FILTERD_JUDGE_FIND_H
#define FILTERD_JUDGE_FIND_H

#include "disclosure/system_prompt.h"
#include "judge/exchange.h"

enum { FIND_HINTS_MIN = 64, FIND_BYTES_PER_HINT = 1024 };

/* What one thread needs; made once, used for many texts. */
struct finder {
    struct arena *arena; /* views and findings of the current exchange */
    struct scanner_scratch *scan;
    struct regex_scratch *regex; /* allow lists; the scan's own holds the current match */
    struct view_limits views;
    size_t findings_max;
    bool keeps_lacking; /* a match is a finding also where words near it are missing: more text around it may have them */
};

/* Growing, in the finder's arena. */
struct finding_list {
    struct finding *items;
    size_t n, cap;
};

/* Of a text that may go on: where what was read may still change with more of it. */
struct find_open {
    size_t from;      /* lowered to the start of findings that words behind the text may change, and of lines that may
                         yet be read differently in one with the next */
    size_t no_sooner; /* what lies before is settled already */
    size_t limit;     /* what lies behind may yet be redacted, so that words behind it come nearer */
    size_t known;     /* what lies before is read in every view as it will be; only the raw text behind it is known */
    bool is_redacted; /* the text is: what lies behind the limit will be another */
    const struct exchange *exchange; /* whose policy says which changes matter */
};

/* The system prompt that parts of the text may be copied from. */
struct find_prompt {
    const struct system_prompt *prompt; /* NULL: none */
    unsigned words;                     /* the least number of different words in such a part */
};

/* What classifiers judge of a text; zero: all of it as one. */
struct find_classify {
    enum hold_unit hold;
    bool is_open; /* the last unit may go on: it is not judged */
    bool is_off;  /* nothing */
};

struct find_request {
    const struct rule_set *rules;
    const bool *has_rule; /* NULL: all rules */
    uint32_t channel;
    struct span key;      /* context before the text; findings never reach into it */
    struct span text;
    bool is_parts, has_tokens_alone; /* see struct channel */
    uint64_t *stage_ns;   /* added to: STAGE_VIEWS, STAGE_SCAN, STAGE_CONFIRM */
    struct find_open *open; /* NULL: the text is whole */
    struct find_classify classify;
    struct find_prompt prompt;
    const struct policy_links *links; /* which links are no findings; may be NULL */
    bool without_links; /* none is a finding */
    bool is_redacted; /* the text is: cells and documents are looked for in the text as it was sent alone */
};

/* Room for the hints of one view: in proportion to its text, so that a long one is not read differently as a
 * whole for want of room to say where. */
MUST_CHECK bool find_hints(struct arena *a, const struct view *view, struct scanner_hints *out, struct error *err);

MUST_CHECK bool find_in_text(struct finder *f, const struct find_request *request, struct finding_list *list,
                             struct error *err);

/* Whether the rule's allow list says that the span is no finding. */
bool finder_allows(const struct finder *f, const struct rule_set *set, uint32_t rule, struct span value);

MUST_CHECK bool finding_list_add(struct finder *f, struct finding_list *list, const struct finding *finding,
                                 struct error *err);
/* Sorts by channel, from, to, rule; of findings that are equal in these the most confident stays. */
void finding_list_settle(struct finding_list *list);
/* Whether one of the first n, which are settled, has the same place and rule and is as confident. */
bool finding_list_has(const struct finding_list *list, size_t n, const struct finding *finding);

/* A match in a view, found by a pattern of the rules. */
struct viewed_match {
    const struct rule_set *rules;
    const struct view *view;
    const struct scanner_match *match;
};
/* One check on one value of the match, as find_in_text does it; for explanations. */
bool check_passes(const struct rule_check *check, const struct viewed_match *m, struct span value);
/* True when a word of the context is near [from, to) of the text, in no label of the rules (label.h). *word is the first one found; may
 * be NULL. */
bool context_is_near(const struct rule_context *context, const struct rule_set *rules, struct span text, size_t from, size_t to,
                     struct span *word);

#endif
