/* model.h - the container format of trained models: opened and checked once, then read-only.
 *
 * A model is a sequence of bytes: a header, a directory of named sections, the sections, and at the end the
 * SHA-256 of everything before it, in 64 hexadecimal digits. Numbers are little-endian. It is built in
 * (model_embedded) or in a file (model_open_file), which is read into memory that is then made read-only: truncating a
 * mapped file would kill the process.
 *
 * A model is not trusted. Opening it verifies magic, version, kind, size and digest, and that
 * every section has a unique name and lies within the model, in order, without overlap, on a multiple of 64
 * bytes. Readers must check the contents of sections, because anybody can compute a digest: model_array verifies
 * size and alignment, and readers must bound every value that they use as an index.
 *
 *     offset  what
 *     0       magic "FLTMODEL"
 *     8       u32 version of this form: MODEL_VERSION
 *     12      u32 number of sections, 1 to MODEL_SECTIONS_MAX
 *     16      char kind[16], NUL-padded: which code reads it ("linear", "tagger")
 *     32      char name[16], NUL-padded: what it judges ("heads", "names")
 *     48      u64 size of all, digest included
 *     56      u64 zero
 *     64      sections: char name[16] NUL-padded; u64 offset; u64 length
 *     ...     the sections' bytes, zeros between them
 *     size-64 the digest
 *
 * Immutable once open; any number of threads may read. Written by model_write.h. */
#ifndef FILTERD_CLASSIFIERS_MODEL_H
#define FILTERD_CLASSIFIERS_MODEL_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { MODEL_VERSION = 1, MODEL_SECTIONS_MAX = 64, MODEL_NAME = 16, MODEL_ALIGN = 64, MODEL_SIZE_MAX = 32 * 1024 * 1024 };

#define MODEL_MAGIC "FLTMODEL"

/* As they are in the bytes. */
struct model_header {
    char magic[8];
    uint32_t version, n_sections;
    char kind[MODEL_NAME], name[MODEL_NAME];
    uint64_t size, zero;
};

struct model_section {
    char name[MODEL_NAME];
    uint64_t from, len;
};

struct model;

/* NULL with err: MALFORMED for bytes that are not a model, INVALID for another kind or version, SYSTEM for a file
 * that cannot be read. */
struct model *model_open_file(const char *path, const char *kind, struct error *err);
/* Borrows the bytes, which must outlive the model and begin on a multiple of MODEL_ALIGN. */
struct model *model_open_bytes(struct span bytes, const char *name, const char *kind, struct error *err);
void model_close(struct model *m);

/* 64 hexadecimal digits, which identify the model in a policy's digest. */
struct span model_digest(const struct model *m);
/* What it judges, from the header. */
struct span model_name(const struct model *m);

bool model_has(const struct model *m, const char *section);
/* The section as an aligned array of elements of that size, at most 64 bytes each; *n is their
 * number, never 0. NULL with err when it is missing or not a whole number of elements. */
const void *model_array(const struct model *m, const char *section, size_t element, size_t *n, struct error *err);
/* The same for a section with exactly one element, such as settings. */
const void *model_struct(const struct model *m, const char *section, size_t size, struct error *err);

#endif
