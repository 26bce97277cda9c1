/* shipped.h - the shipped rules and policy, loaded once for a group of tests. */
#ifndef FILTERD_TESTS_SUPPORT_SHIPPED_H
#define FILTERD_TESTS_SUPPORT_SHIPPED_H

#include "pipeline/load.h"

extern struct snapshot *shipped; /* between the two */

/* A group's set-up, which says why it failed, and its end. */
int shipped_open(void **state);
int shipped_close(void **state);

#endif
