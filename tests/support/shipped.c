#include "support/shipped.h"

#include <stdlib.h>

#include "testing.h"

struct snapshot *shipped;
struct worker *shipped_worker;

struct rule_set_options shipped_options(void)
{
    return (struct rule_set_options){.cache_directory = getenv("FILTERD_TEST_CACHE")};
}

int shipped_open(void **state)
{
    const struct rule_set_options options = shipped_options();
    struct error err;

    (void)state;
    shipped = snapshot_open(NULL, NULL, &options, &err);
    if (shipped == NULL) {
        print_error("%s\n", err.text);
    }
    return shipped != NULL ? 0 : -1;
}

int shipped_close(void **state)
{
    (void)state;
    snapshot_unref(shipped);
    shipped = NULL;
    return 0;
}

int shipped_worker_open(void **state)
{
    const struct worker_limits limits = worker_limits_default();
    struct error err;

    if (shipped_open(state) != 0) {
        return -1;
    }
    shipped_worker = worker_new(&limits, NULL, &err);
    if (shipped_worker == NULL) {
        print_error("%s\n", err.text);
        (void)shipped_close(state);
    }
    return shipped_worker != NULL ? 0 : -1;
}

int shipped_worker_close(void **state)
{
    worker_free(shipped_worker);
    shipped_worker = NULL;
    return shipped_close(state);
}
