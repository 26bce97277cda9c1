/* joined_columns.h - texts of one column, searched once more as an array of parts.
 *
 * A column is what objects in arrays have at one place, whatever their positions ([{"c":"g"},{"c":"h"}]): channels with one number in
 * channel.column. As in an array of strings (array_parts.h), only tokens count in it. */
#ifndef FILTERD_PIPELINE_JOINED_COLUMNS_H
#define FILTERD_PIPELINE_JOINED_COLUMNS_H

#include "judge/exchange.h"
#include "judge/find.h"

/* Adds to the list, which needs to be settled then. Nothing of a request: a conversation would be judged again with
 * each turn. */
MUST_CHECK bool joined_columns_find(struct finder *f, struct exchange *x, struct finding_list *list, struct error *err);

#endif
