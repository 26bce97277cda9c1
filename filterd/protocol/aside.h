/* aside.h - judgements outside the stream: of tool calls, unknown values, ids, error bodies. */
#ifndef FILTERD_PROTOCOL_ASIDE_H
#define FILTERD_PROTOCOL_ASIDE_H

#include "judge/exchange.h"
#include "pipeline/document.h"
#include "protocol/translation.h"

enum { ASIDE_MAX = 64 };

/* A finding outside the stream, with data of its channel. */
struct aside {
    struct finding finding;
    size_t text_len, output_len, judged, path_len;
    bool is_member_name;
    char path[128];
};

/* Judges the channels as an exchange of its own; what it has lives in the worker's memory. */
void aside_judge_exchange(struct translation *t, struct channel *channels, size_t n, struct exchange *x);
/* Keeps the findings of an exchange for the record, as the worker's memory does not last. */
void aside_keep(struct translation *t, const struct exchange *x);
MUST_CHECK bool aside_judge(struct translation *t, struct channel *channels, size_t n,
                            struct error *err);
/* Judges a single text, ignoring findings that are likely in random text. */
MUST_CHECK bool aside_judge_random(struct translation *t, struct span path, struct span text,
                                   struct span *out, struct error *err);
/* Where the policy acts on a text, merged, in the order of the text. */
struct aside_place {
    size_t from, to;
    struct span label;
};
typedef bool aside_known_fn(const void *context, size_t from, size_t to);
/* Judges a text that is not delivered as such. Findings that are known count no more; when the policy acts on none of the others,
 * nothing is recorded. *places lives as long as the current message. */
MUST_CHECK bool aside_judge_places(struct translation *t, struct span path, struct span text, aside_known_fn *is_known,
                                   const void *context, const struct aside_place **places, size_t *n, struct error *err);

/* Sets the rule and the reason, which must be a literal, unless one is set. */
void beside_rule_set(struct beside_rule *r, struct span rule, const char *reason);

#endif
