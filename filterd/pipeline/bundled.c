#include "pipeline/bundled.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"

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

static void publish(struct bundled *b)
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
    publish(b);
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
    publish(b);
    if (bundled_update(b, err)) {
        return true;
    }
    if (b->taken.version > 0) {
        log_error("policy bundle: refused, version %" PRIu64 " stays: %s", b->taken.version, err->text);
    }
    return b->taken.version > 0;
}
