/* shipped.h - the shipped rules and policy, loaded once for a group of tests. */
#ifndef FILTERD_TESTS_SUPPORT_SHIPPED_H
#define FILTERD_TESTS_SUPPORT_SHIPPED_H

#include "pipeline/load.h"
#include "pipeline/worker.h"

/* What to load the shipped rules with. Compiling them takes seconds: what FILTERD_TEST_CACHE names, a folder that tests/run
 * makes for one run, keeps the result for the programs after the first. Without it each compiles them. */
struct rule_set_options shipped_options(void);

extern struct snapshot *shipped; /* between the two */

/* A group's set-up, which says why it failed, and its end. */
int shipped_open(void **state);
int shipped_close(void **state);

extern struct worker *shipped_worker; /* between the two of these */

/* The same with a worker of the default limits, without keys. */
int shipped_worker_open(void **state);
int shipped_worker_close(void **state);

#endif
