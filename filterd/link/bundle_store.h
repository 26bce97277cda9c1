/* bundle_store.h - policy bundles in PostgreSQL (packaging/postgresql/bundles.sql), by the session of fleet_store.h.
 *
 * What comes from there is not trusted: filterd verifies every bundle. After a failure the connection is gone. One thread. */
#ifndef FILTERD_LINK_BUNDLE_STORE_H
#define FILTERD_LINK_BUNDLE_STORE_H

#include "base/buf.h"
#include "link/fleet_store.h"

/* What the database wants of this node. */
struct bundle_wish {
    uint64_t version; /* the newest that is meant for it; 0: none */
    size_t size;      /* of its archive */
    bool is_stopped;  /* the rollout of the one in force was stopped */
    char why[LINK_WIRE_TEXT];
};

/* A message LINK_POLICY. */
MUST_CHECK bool bundle_store_report(struct fleet_store *s, const struct link_message *m, struct error *err);
/* Rollouts that are due go on or stop; then what is wanted of a node that runs version in_force. */
MUST_CHECK bool bundle_store_look(struct fleet_store *s, uint64_t in_force, struct bundle_wish *out, struct error *err);
/* Appends the note of a bundle, or of the keys of a generation. NOT_FOUND keeps the connection. */
MUST_CHECK bool bundle_store_note(struct link_session *s, bool is_keys, uint64_t number, struct buf *out, struct error *err);
/* Appends the next bytes of an archive, a megabyte at most. */
MUST_CHECK bool bundle_store_part(struct link_session *s, uint64_t version, size_t offset, struct buf *out, struct error *err);

#endif
