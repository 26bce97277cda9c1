/* bundles.h - carries policy bundles from the database to the folder where filterd takes them (bundle/store.h).
 *
 * It is a carrier only: filterd verifies what is in the folder, and says in LINK_POLICY what it runs. That is compared with what the
 * database wants, again and again, so that whatever is killed meanwhile goes on where it was. An archive comes in parts, one a step,
 * and the note behind it, because the note is what names a bundle. One thread. */
#ifndef FILTERD_LINK_BUNDLES_H
#define FILTERD_LINK_BUNDLES_H

#include <stdatomic.h>

#include "link/bundle_folder.h"
#include "link/bundle_store.h"

struct link_bundles {
    const char *folder; /* NULL: bundles are not carried, only reported */
    const _Atomic uint64_t *fetched; /* the version that was fetched from a web server (link/bundle_fetch.h); NULL: they come from the database */
    bool is_known;      /* what filterd runs */
    uint64_t in_force, highest, refused;
    uint64_t keys;      /* generation that the folder has; 0: not looked yet */
    struct {
        uint64_t version; /* 0: none is on its way */
        size_t size;
        struct buf archive;
    } fetch;
    uint64_t given, withdrawn; /* filterd was notified of */
    int64_t given_ms, withdrawn_ms;
    int64_t failed_ms; /* a step; monotonic */
};

/* At a new contact. */
void link_bundles_begin(struct link_bundles *b);
void link_bundles_deinit(struct link_bundles *b);
/* What filterd says: it goes to the database. */
MUST_CHECK bool link_bundles_hear(struct link_bundles *b, struct fleet_store *s, const struct link_message *m, struct error *err);
/* One step of what is due. False: the connection is lost. A folder that cannot be written to costs no contact: it is tried again. */
MUST_CHECK bool link_bundles_step(struct link_bundles *b, struct fleet_store *s, fleet_give *give, void *context, struct error *err);
/* The next step is due at once. */
bool link_bundles_is_busy(const struct link_bundles *b);

/* Writes keys, note and archive of the newest bundle that is meant for all nodes into the folder; for a node that has none yet. */
MUST_CHECK bool link_bundles_fetch_first(const char *folder, struct link_session *s, uint64_t *version, struct error *err);

#endif
