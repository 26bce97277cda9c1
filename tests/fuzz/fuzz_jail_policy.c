/* A jail's policy of any bytes is read or refused with a reason that has a place; what is read prints as
 * a policy that reads as the same. */
#include <stdint.h>
#include <stdlib.h>

#include "jail/cgroup/cgroup.h"
#include "jail/policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_print(const struct jail_policy *p)
{
    struct error err = {0};
    struct buf text;

    buf_init(&text, (size_t)16 << 20);
    if (!jail_policy_print(p, &text, &err)) {
        abort();
    }
    struct jail_policy *again = jail_policy_read("again", "/", buf_span(&text), &err);
    if (again == NULL && err.kind != ERROR_LIMIT && err.kind != ERROR_NO_MEMORY) {
        abort();
    }
    char digests[2][JAIL_POLICY_DIGEST];
    if (again != NULL && jail_policy_digest(again, digests[0], &err) && jail_policy_digest(p, digests[1], &err) &&
        strcmp(digests[0], digests[1]) != 0) {
        abort();
    }
    jail_policy_free(again);
    buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = span_of((const char *)data, size);
    struct jail_cgroups groups;
    struct error err = {0};
    struct jail_policy *p = jail_policy_read("p.yaml", "/srv", text, &err);

    if (p == NULL && strncmp(err.text, "p.yaml", 6) != 0 && err.kind != ERROR_NO_MEMORY && err.kind != ERROR_LIMIT) {
        abort();
    }
    if (p != NULL) {
        check_print(p);
        jail_policy_free(p);
    }
    jail_cgroups_find(&groups, text, text); /* the kernel's texts, read with as little trust */
    return 0;
}
