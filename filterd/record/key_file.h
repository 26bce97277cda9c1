/* key_file.h - files of private keys: the seed of an Ed25519 key as 64 hexadecimal digits, mode 0600.
 *
 * The caller wipes the seed. Any thread. */
#ifndef FILTERD_RECORD_KEY_FILE_H
#define FILTERD_RECORD_KEY_FILE_H

#include "record/note.h"

/* DENIED: others may read the file. */
MUST_CHECK bool key_file_read(const char *path, uint8_t seed[NOTE_SEED], struct error *err);
/* A new file with a new key, on disk when it returns true. DENIED: the file exists. */
MUST_CHECK bool key_file_make(const char *path, uint8_t seed[NOTE_SEED], struct error *err);

#endif
