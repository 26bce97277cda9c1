/* store.h - the policy bundle that a node has taken: verified, unpacked, and replaced only by a newer one.
 *
 * Bundles come as files in a folder, which anybody may fill: rules-<version>.tar.zst and rules-<version>.note, and for new keys
 * keys-<generation>.note. The bundle with the highest version in its name is the one that is meant; when it does not verify, the
 * bundle before stays. In the state directory the store has
 *
 *     policy-bundles/rules/         the files of the bundle, and bundle.note
 *     policy-bundles/previous/      likewise of the one before, for a rollout that is stopped
 *     policy-bundles/withdrawn      the version of a rollout that was stopped, when it is the highest that was taken
 *     policy-bundles/keys           the newest generation of keys; missing while it is that of the configuration
 *
 * and replaces `rules` in one step, after the new files were loaded once. A bundle is taken only with a version above the highest that
 * was ever taken, not after a restart either; the same version has the same digest. An unsigned bundle is never taken. One thread.
 * Algorithms: TUF (rollback, freeze, mix-and-match, endless data). */
#ifndef FILTERD_BUNDLE_STORE_H
#define FILTERD_BUNDLE_STORE_H

#include <limits.h>

#include "bundle/keys.h"
#include "bundle/statement.h"

enum { POLICY_BUNDLE_TRIAL_S = 7 * 24 * 3600 };

struct policy_bundle_place {
    const char *bundles;         /* folder where bundles arrive */
    const char *keys;            /* file of the first keys (bundle/keys.h), which must be trusted (base/trusted_file.h) */
    const char *state_directory;
    const char *engine;          /* version of this filterd */
};

/* What is in force. */
struct policy_bundle_taken {
    uint64_t version; /* 0: none */
    uint64_t highest; /* ever taken: above `version` once that was withdrawn */
    int64_t expires_ns; /* UTC */
    char sha256[DIGEST_SHA256_HEX + 1];
    char rules[PATH_MAX]; /* folder */
};

/* Whether rules and policies in the folder load; false with err refuses the bundle. */
typedef bool policy_bundle_load_fn(void *context, const char *folder, struct error *err);

/* Reads which bundle was taken; version 0: none was. Rules without their note are an error. */
MUST_CHECK bool policy_bundle_read_taken(const char *state_directory, struct policy_bundle_taken *out, struct error *err);

/* Takes the newest bundle when it is newer than what is in *taken, and then updates it; `load` is called before it is taken.
 * On failure *taken is what it was, and err says which file was refused and why. */
MUST_CHECK bool policy_bundle_update(const struct policy_bundle_place *place, int64_t now_ns, policy_bundle_load_fn *load,
                                     void *context, struct policy_bundle_taken *taken, struct error *err);

/* Puts the bundle that was in force before in the place of `version`, which is never taken again; true when that was done already.
 * DENIED: another version is in force, it was taken more than POLICY_BUNDLE_TRIAL_S seconds ago, or there is none before it.
 * *taken as above. */
MUST_CHECK bool policy_bundle_withdraw(const char *state_directory, uint64_t version, int64_t now_ns, policy_bundle_load_fn *load,
                                       void *context, struct policy_bundle_taken *taken, struct error *err);

/* Whether the archive is that of the note, signed by the keys, and may be taken at that time; for a bundle in hand. */
MUST_CHECK bool policy_bundle_verify(struct span note, struct span archive, const struct policy_bundle_keys *keys, int64_t now_ns,
                                     const char *engine, struct policy_bundle *out, struct error *err);

#endif
