/* legal_holds.h - the legal holds in force: which lines of the decision log must not be removed.
 *
 * Read from all files in the log's folder, whatever log they are of: a hold is a line, and the newest line of an id counts.
 * One thread. */
#ifndef FILTERD_CTL_RECORD_LEGAL_HOLDS_H
#define FILTERD_CTL_RECORD_LEGAL_HOLDS_H

#include <jansson.h>

#include "ctl/options.h"
#include "query/query.h"

struct legal_holds;

/* `log` is the path of the decision log. NULL with what was expected: a line that cannot be read may be a hold. */
struct legal_holds *legal_holds_open(const char *log, struct error *err);
void legal_holds_free(struct legal_holds *l); /* accepts NULL */

/* The id of a hold in force that matches the line; NULL: none does. */
const char *legal_holds_match(const struct legal_holds *l, struct span line);

/* Whether the hold of that id is in force: a line of it is all there is of it. */
bool legal_holds_has(const struct legal_holds *l, struct span id);

/* Calls `visit` for each line of all files, until it returns false. `record` is the line as JSON. */
typedef bool legal_holds_visit_fn(void *context, struct span line, const json_t *record);
MUST_CHECK bool legal_holds_each_line(struct legal_holds *l, legal_holds_visit_fn *visit, void *context, struct error *err);

/* Puts a line on record by the service's route, with the parameters, made by operators_add. */
MUST_CHECK bool legal_holds_record(const struct arguments *args, const char *route, const struct buf *parameters, struct error *err);

#endif
