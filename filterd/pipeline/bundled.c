#include "pipeline/bundled.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"

const char bundled_expired_rule[] = "filterd.bundle-expired";
const char bundled_expired_reason[] = "the policy bundle has expired";

/* Compiles it, too, so that the service finds it in the cache. */
static bool load(void *context, const char *folder, struct error *err)
{
    const struct bundled *b = context;
    const struct rule_set_options options = {.cache_directory = b->cache_directory, .test_examples = true, .only_used = true};
    struct snapshot *snapshot = snapshot_open(folder, NULL, &options, err);

    if (snapshot == NULL) {
        return false;
    }
    snapshot_unref(snapshot);
    return true;
}

void bundled_use(struct bundled *b)
{
    atomic_store(&b->version, b->taken.version);
    atomic_store(&b->expires_ns, b->taken.expires_ns);
}

bool bundled_update(struct bundled *b, struct error *err)
{
    uint64_t before = b->taken.version;

    if (b->place.bundles == NULL) {
        return true;
    }
    if (!policy_bundle_update(&b->place, clock_utc_ns(), load, b, &b->taken, err)) {
        (void)atomic_fetch_add(&b->refused, 1);
        return false;
    }
    if (b->taken.version != before) {
        log_info("policy bundle: taken version=%" PRIu64 " sha256=%s", b->taken.version, b->taken.sha256);
    }
    atomic_store(&b->highest, b->taken.highest);
    return true;
}

bool bundled_start(struct bundled *b, const struct policy_bundle_place *place, const char *cache_directory, struct error *err)
{
    b->place = *place;
    b->cache_directory = cache_directory;
    if (place->bundles == NULL) {
        return true;
    }
    if (!policy_bundle_read_taken(place->state_directory, &b->taken, err)) {
        return false;
    }
    atomic_store(&b->highest, b->taken.highest);
    bool is_updated = bundled_update(b, err);
    bundled_use(b);
    if (is_updated) {
        return true;
    }
    if (b->taken.version > 0) {
        log_error("policy bundle: refused, version %" PRIu64 " stays: %s", b->taken.version, err->text);
    }
    return b->taken.version > 0;
}

bool bundled_withdraw(struct bundled *b, uint64_t version, struct error *err)
{
    uint64_t before = b->taken.version;

    if (b->place.bundles == NULL) {
        return error_set(err, ERROR_DENIED, "policy bundle: rules do not come in bundles");
    }
    if (!policy_bundle_withdraw(b->place.state_directory, version, clock_utc_ns(), load, b, &b->taken, err)) {
        return false;
    }
    if (b->taken.version != before) {
        log_warn("policy bundle: withdrawn version=%" PRIu64 " in_force=%" PRIu64, version, b->taken.version);
    }
    atomic_store(&b->highest, b->taken.highest);
    return true;
}

bool bundled_is_expired(struct bundled *b)
{
    int64_t expires_ns = b->place.bundles == NULL ? 0 : atomic_load(&b->expires_ns);
    bool is_expired = expires_ns != 0 && expires_ns <= clock_utc_ns();

    if (is_expired != atomic_load(&b->is_expired) && atomic_exchange(&b->is_expired, is_expired) != is_expired) {
        if (is_expired) {
            log_error("policy bundle: version %" PRIu64 " has expired%s", atomic_load(&b->version),
                      b->blocks_expired ? ": nothing is answered" : "");
        } else {
            log_info("policy bundle: the one in force has not expired");
        }
    }
    return is_expired;
}

bool bundled_blocks(struct bundled *b)
{
    return b->blocks_expired && bundled_is_expired(b);
}
