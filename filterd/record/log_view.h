/* log_view.h - what a log serves: tiles, entry bundles, proofs (C2SP tlog-tiles, tlog-proof), from its files.
 *
 * Nothing beyond the newest checkpoint is served. Each call reads the files again, while a writer may be active; calls that need
 * lines read the first line of each of the log's files. NOT_FOUND: not in the log, or not yet. Any thread. */
#ifndef FILTERD_RECORD_LOG_VIEW_H
#define FILTERD_RECORD_LOG_VIEW_H

#include "record/checkpoint.h"
#include "record/tiles.h"

enum { LOG_VIEW_BUNDLE_MAX = TILE_WIDTH * (2 + TREE_LEAF_MAX), LOG_VIEW_PROOF_MAX = 256 * 1024 };

struct log_view {
    const char *folder; /* of the log's files */
    const char *record; /* of tiles and checkpoints */
};

/* Appends the hashes of a tile, or the lines of level 0, each behind its length in two bytes (name->is_entries). */
MUST_CHECK bool log_view_tile(const struct log_view *view, const struct tile_name *name, struct buf *out, struct error *err);
/* Appends a tlog-proof of line `seq` (from 1), with the line as its extra data. `size`: of a checkpoint; 0: the newest that
 * has been cosigned if it covers the line, else the newest. */
MUST_CHECK bool log_view_proof(const struct log_view *view, uint64_t seq, uint64_t size, struct buf *out, struct error *err);
/* The same without the line, for who knows its leaf hash: NOT_FOUND when it has another. */
MUST_CHECK bool log_view_receipt(const struct log_view *view, uint64_t seq, const struct tree_hash *leaf, struct buf *out,
                                 struct error *err);
/* Appends the hashes of the consistency proof between two sizes, a line each. */
MUST_CHECK bool log_view_consistency(const struct log_view *view, uint64_t from, uint64_t to, struct buf *out,
                                     struct error *err);
/* Appends the newest checkpoint; is_cosigned: of those that have been cosigned. */
MUST_CHECK bool log_view_checkpoint(const struct log_view *view, bool is_cosigned, struct buf *out, struct error *err);
#endif
