/* bundle_folder.h - the folder where filterd takes policy bundles (bundle/store.h): rules-<version>.note and .tar.zst, keys-<generation>.note.
 *
 * The note is what names a bundle: it is written last and removed first. One thread. */
#ifndef FILTERD_LINK_BUNDLE_FOLDER_H
#define FILTERD_LINK_BUNDLE_FOLDER_H

#include <stdint.h>

#include "base/buf.h"

enum { BUNDLE_NOTE_MAX = 64 * 1024, BUNDLE_ARCHIVE_MAX = 64 * 1024 * 1024 };

bool bundle_folder_has_rules(const char *folder, uint64_t version);
/* With this note. */
bool bundle_folder_has_note(const char *folder, uint64_t version, struct span note);
MUST_CHECK bool bundle_folder_write_rules(const char *folder, uint64_t version, const struct buf *archive, const struct buf *note, struct error *err);
MUST_CHECK bool bundle_folder_remove_rules(const char *folder, uint64_t version, struct error *err);

/* Asks for the notes of keys that follow those of the folder, until NOT_FOUND. *generation: the newest that is there; 0 at first. */
typedef bool bundle_keys_fn(void *context, uint64_t generation, struct buf *note, struct error *err);
MUST_CHECK bool bundle_folder_add_keys(const char *folder, uint64_t *generation, bundle_keys_fn *get, void *context, struct error *err);

#endif
