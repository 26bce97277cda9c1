/* keeping.h - what the log says of what is kept: legal holds in force, and the originals that lines name.
 *
 * Read from all files in the log's folder, whatever log they are of: a hold is a line, and the newest line of an id counts.
 * One thread. */
#ifndef FILTERD_CTL_RECORD_KEEPING_H
#define FILTERD_CTL_RECORD_KEEPING_H

#include <jansson.h>

#include "ctl/options.h"
#include "query/query.h"

struct keeping;

/* `log` is the path of the decision log. NULL with what was expected: a line that cannot be read may be a hold. */
struct keeping *keeping_open(const char *log, struct error *err);
void keeping_free(struct keeping *k); /* accepts NULL */

/* The id of a hold in force that matches the line; NULL: none does. */
const char *keeping_held_by(const struct keeping *k, struct span line);

/* Whether the hold of that id is in force: a line of it is all there is of it. */
bool keeping_is_hold(const struct keeping *k, struct span id);

/* Calls `visit` for each line of all files, until it returns false. `record` is the line as JSON. */
typedef bool keeping_visit_fn(void *context, struct span line, const json_t *record);
MUST_CHECK bool keeping_each(struct keeping *k, keeping_visit_fn *visit, void *context, struct error *err);

/* Puts a line on record by the service's route, with the parameters, made by operators_add. */
MUST_CHECK bool keeping_record(const struct arguments *args, const char *route, const struct buf *parameters, struct error *err);

#endif
