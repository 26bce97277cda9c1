/* rule_data.h - rules whose matches are data of one's own: cells of tables (`exact_data`) and copies of documents
 * (`documents`), in files that filterctl built.
 *
 * File and key have names in the folder of the rule's file, so that what a sandboxed service may read at a reload is what it
 * could read at its start. They are opened and checked with the rules, and live as long as the rule set. */
#ifndef FILTERD_POLICY_RULE_DATA_H
#define FILTERD_POLICY_RULE_DATA_H

#include "dataset/cells_find.h"
#include "dataset/copies_find.h"
#include "policy/rule_set.h"

enum { DATA_WITHIN_MAX = 4096 };

/* One rule's data, opened. */
struct rule_table {
    uint32_t rule;
    struct table *table;
    struct cells_wanted wanted; /* of cells */
    struct copies_wanted copies; /* of documents */
};

MUST_CHECK bool rule_data_open(struct rule_set *set, struct error *err);
void rule_data_close(struct rule_set *set);
/* What a stream has to keep before what it holds, so that data is found as in the whole text. */
size_t rule_data_reach(const struct rule_set *set);

#endif
