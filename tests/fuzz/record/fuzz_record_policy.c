/* fuzz_record_policy.c - policies of any bytes: a group has members before it, no fewer than its threshold. */
#include <assert.h>
#include <sodium.h>
#include <stdint.h>

#include "record/log_policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct log_policy policy;
    uint64_t used = 0;
    struct error err;

    if (sodium_init() < 0 || !log_policy_parse(span_of((const char *)data, size), &policy, &err)) {
        return 0;
    }
    for (size_t i = 0; i < policy.n_members; i++) {
        const struct log_policy_member *m = &policy.members[i];
        if (m->is_group) {
            assert(m->threshold >= 1 && m->threshold <= (unsigned)__builtin_popcountll(m->members));
            assert(m->members >> i == 0 && (m->members & used) == 0);
            used |= m->members;
        }
    }
    assert(!policy.has_quorum || policy.quorum < policy.n_members);
    return 0;
}
