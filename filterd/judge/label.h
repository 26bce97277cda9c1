/* label.h - labels that stand for what was redacted: [rule-id], and [rule-id:hash:...], [rule-id:enc:...].
 *
 * Their words are filterd's, not the text's: they are no context, and name no value behind them (decision 219). Only the ids of
 * loaded rules make a label. Pure. */
#ifndef FILTERD_JUDGE_LABEL_H
#define FILTERD_JUDGE_LABEL_H

#include "policy/rule_set.h"

/* Behind the label in whose id the byte at `at` lies; 0 when it lies in none. */
size_t label_end(const struct rule_set *rules, struct span text, size_t at);

/* Behind the last label that ends in [from, to], or `from`. */
size_t label_last_end(const struct rule_set *rules, struct span text, size_t from, size_t to);

/* Where a label begins that the end of the text cuts off, if it is one; else the text's length. */
size_t label_cut_off(struct span text);

#endif
