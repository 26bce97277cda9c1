#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"
#include "fleet/fleet_parts.h"

const char fleet_lost_rule[] = "filterd.store-lost";
const char fleet_lost_reason[] = "the contact with the fleet is lost";

enum fleet_contact fleet_contact(const struct fleet *f)
{
    int64_t contact_ns = f == NULL ? 0 : atomic_load(&f->contact_ns);

    if (f == NULL || (contact_ns != 0 && (int64_t)clock_monotonic_ns() - contact_ns <= f->owner.lease_ns)) {
        return FLEET_FINE;
    }
    return f->owner.is_strict ? FLEET_BLOCKS : FLEET_LOST;
}

bool fleet_is_lost(struct fleet *f)
{
    bool is_lost = fleet_contact(f) != FLEET_FINE;

    if (f != NULL && atomic_exchange(&f->is_lost, is_lost) != is_lost) {
        log_warn("fleet: the contact is %s on-loss=%s", is_lost ? "lost" : "back", f->owner.is_strict ? "strict" : "local");
    }
    return is_lost;
}

static bool put_contact(const struct fleet *f, struct buf *out, struct error *err)
{
    int64_t contact_ns = atomic_load(&f->contact_ns);
    double age_s = (double)((int64_t)clock_monotonic_ns() - contact_ns) / 1e9;

    return buf_append_str(out, "# HELP filterd_fleet_contact_seconds Since the last heartbeat that the database took.\n"
                               "# TYPE filterd_fleet_contact_seconds gauge\n", err) &&
           (contact_ns == 0 ? buf_append_str(out, "filterd_fleet_contact_seconds +Inf\n", err)
                            : buf_appendf(out, err, "filterd_fleet_contact_seconds %.3f\n", age_s));
}

bool fleet_metrics(const struct fleet *f, struct buf *out, struct error *err)
{
    if (f == NULL) {
        return true;
    }
    const struct {
        const char *name, *type, *help;
        uint64_t value;
    } metrics[] = {
        {"connected", "gauge", "1 while filterd-link has the database.", atomic_load(&f->is_current)},
        {"nodes", "gauge", "Nodes that were alive at the last heartbeat.", atomic_load(&f->nodes)},
        {"orders_total", "counter", "Orders of the fleet that were carried out here.", atomic_load(&f->orders)},
        {"claims_won_total", "counter", "Reactions that this node was the first to have.", atomic_load(&f->claims_won)},
        {"claims_lost_total", "counter", "Reactions that another node had before.", atomic_load(&f->claims_lost)},
        {"claims_late_total", "counter", "Reactions recorded before the database had answered.", atomic_load(&f->claims_late)},
        {"unclaimed_total", "counter", "Reactions and revivals that found no room to be sent.", atomic_load(&f->unclaimed)},
    };
    bool is_put = put_contact(f, out, err);
    for (size_t i = 0; i < COUNT(metrics) && is_put; i++) {
        is_put = buf_appendf(out, err, "# HELP filterd_fleet_%s %s\n# TYPE filterd_fleet_%s %s\nfilterd_fleet_%s %" PRIu64 "\n",
                             metrics[i].name, metrics[i].help, metrics[i].name, metrics[i].type, metrics[i].name, metrics[i].value);
    }
    return is_put;
}
