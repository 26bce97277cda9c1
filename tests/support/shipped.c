#include "support/shipped.h"

#include "testing.h"

struct snapshot *shipped;

int shipped_open(void **state)
{
    const struct rule_set_options options = {0};
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
