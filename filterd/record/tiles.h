/* tiles.h - the hashes of a log as files of 256 (C2SP tlog-tiles): written as the tree grows, read for proofs.
 *
 * Below a folder: tile/<level>/<index> has the 256 hashes (8,192 bytes) of one tile; level 0 has leaves, each level above
 * the roots of full tiles below it. <index> is in groups of three digits, all but the last behind an x: 1234067 is
 * x001/x234/067. The last tile of a level is <index>.p/<width> until it is full; only those of the two newest
 * commits are kept, as a reader gets a narrower tile from a wider one. Entry bundles (tile/entries/...) are not stored:
 * they are made from the lines.
 *
 * Each file is written under a temporary name and renamed, so no reader sees a partial one. Tiles lost in a power failure can
 * be recomputed from the lines. One writer and any number of readers may work concurrently; a struct is used by one thread
 * at a time. */
#ifndef FILTERD_RECORD_TILES_H
#define FILTERD_RECORD_TILES_H

#include "base/buf.h"
#include "record/tree.h"

enum {
    TILE_WIDTH = 256,  /* hashes of a full tile */
    TILE_LEVELS = 8,   /* levels of a tree of 2^64 leaves */
    TILE_LEVEL_TEXT_MAX = 63, /* the largest level of the path's syntax */
    TILE_PATH_MAX = 64, /* bytes of a path with its NUL */
};

/* What a path names: hashes of a tile, or the lines of level 0 (is_entries). width 1 to 256. */
struct tile_name {
    bool is_entries;
    unsigned level;
    uint64_t index;
    unsigned width;
};
/* "tile/0/x001/234.p/7", "tile/entries/000". */
void tile_path_format(const struct tile_name *name, char path[TILE_PATH_MAX]);
/* The one spelling of it alone: INVALID otherwise. */
MUST_CHECK bool tile_path_parse(struct span path, struct tile_name *out, struct error *err);
/* How many hashes tile `index` of a level has in a tree of `size` leaves: 0 to 256. */
unsigned tile_width(uint64_t size, unsigned level, uint64_t index);

/* --- writing ------------------------------------------------------------------- */

struct tile_writer;

/* Goes on from the tree of `size` leaves whose tiles are in the folder (made, mode 0700, where size is 0); NOT_FOUND or
 * MALFORMED when one of the right edge is missing or has another length. Whether those hashes are the right ones is the
 * caller's to check, by tile_writer_root. NULL on failure. */
struct tile_writer *tile_writer_open(const char *folder, uint64_t size, struct error *err);
void tile_writer_close(struct tile_writer *w);
/* A tile that it fills is written, not yet synced. After a failure tile_writer_size says whether the leaf was added, and the next call
 * or commit tries to write the tile again. */
MUST_CHECK bool tile_writer_add(struct tile_writer *w, const struct tree_hash *leaf, struct error *err);
uint64_t tile_writer_size(const struct tile_writer *w);
void tile_writer_root(const struct tile_writer *w, struct tree_hash *out);
/* Before a checkpoint of this size: writes the partial tiles and syncs all that was written since the last commit. It may
 * take as long as the disk does. */
MUST_CHECK bool tile_writer_commit(struct tile_writer *w, struct error *err);

/* --- reading ------------------------------------------------------------------- */

/* Appends the first `width` hashes of the tile, from the full tile or any partial one that has them. NOT_FOUND: there is
 * none; MALFORMED: its length is not that of whole hashes. */
MUST_CHECK bool tile_read(const char *folder, const struct tile_name *name, struct buf *out, struct error *err);

struct tile_reader;

/* Proofs up to the tree of `size` leaves, a size whose commit has succeeded. Keeps the last tile of each level in memory
 * (64 KiB). NULL on failure. */
struct tile_reader *tile_reader_open(const char *folder, uint64_t size, struct error *err);
void tile_reader_close(struct tile_reader *r);
/* For the functions of tree.h; valid until it is closed. */
struct tree_source tile_reader_source(struct tile_reader *r);

#endif
