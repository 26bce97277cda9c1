/* config.h - the configuration of filterd-link(8): which log is copied into which database, under which name.
 *
 * Read by the table below (base/fields.h), strictly. Everything lives in the configuration's arena until link_config_free. Paths
 * are as written. */
#ifndef FILTERD_LINK_CONFIG_H
#define FILTERD_LINK_CONFIG_H

#include "base/fields.h"
#include "decision_log/retention.h"

struct link_config {
    struct arena memory;
    struct span node;
    const char *log, *state;
    const char *connection; /* the file with libpq's keywords */
    const char *filterd;    /* its socket for what nodes share; NULL: only lines are copied */
    const char *bundles;    /* folder of policy bundles that filterd takes; NULL: none are fetched */
    const char *bundle_url; /* of a web server that has them; NULL: the database */
    unsigned bundle_port;
    const char *bundle_ca;  /* NULL: the system's */
    int64_t bundle_interval; /* seconds */
    const char *copies;     /* folder of the copies of all nodes' logs, for a review console; NULL: none are gathered */
    const char *metrics;    /* NULL: none */
    struct retention keep;  /* of copies whose lines the node has removed; zeroed: for ever */
    int64_t batch;          /* lines */
};

extern const struct field link_config_fields[]; /* into struct link_config */

/* NULL on failure. */
struct link_config *link_config_load(const char *path, struct error *err);
void link_config_free(struct link_config *c); /* accepts NULL */

#endif
