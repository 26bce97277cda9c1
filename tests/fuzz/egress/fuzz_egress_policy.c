/* An egress policy of any bytes is read or refused with a reason that has a place; what was read is within bounds. */
#include <stdint.h>
#include <stdlib.h>

#include "jail/egress/wire/path.h"
#include "jail/egress/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_sound(const struct egress_rule *r)
{
    bool is_good = r->name.len > 0 && r->n_hosts > 0 && r->n_ports > 0 && r->rate.window > 0 &&
                   egress_is_seen(r) == (r->methods.n > 0) && (r->methods.n > 0) == (r->paths.n > 0);

    for (size_t i = 0; is_good && i < r->n_hosts; i++) {
        struct egress_host host;
        struct error err;
        struct span text = span_str(r->hosts[i].host.text);
        is_good = r->hosts[i].host.kind == EGRESS_HOST_V6 ||
                  (egress_host_read(text, &host, &err) && egress_host_equal(&host, &r->hosts[i].host));
    }
    return is_good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    struct egress_policy *p = egress_policy_read("e.yaml", span_of((const char *)data, size), &err);

    if (p == NULL && strncmp(err.text, "e.yaml", 6) != 0 && err.kind != ERROR_NO_MEMORY && err.kind != ERROR_LIMIT) {
        abort();
    }
    for (size_t i = 0; p != NULL && i < p->n_rules; i++) {
        if (!is_sound(&p->rules[i])) {
            abort();
        }
    }
    egress_policy_free(p);
    return 0;
}
