/* model.h - the container that every trained model comes in: opened once, checked whole, then only read.
 *
 * A model is one piece of bytes: a header, a directory of named sections, the sections, and at the end the
 * SHA-256 of all before it, in 64 hexadecimal digits. Numbers are little-endian. It is inside the program
 * (model_embedded) or in a file (model_open_file), which is read into memory of our own, made read-only: a file that
 * somebody cuts short under a mapping would end the process that mapped it.
 *
 * Nothing in a model is trusted. Opening it proves: magic, version, the kind asked for, the size, the digest, and that
 * every section has a name of its own and lies within, in order, none over another, each on a multiple of 64
 * bytes. What is in a section is for its reader to check, for every digest can be made anew: model_array proves
 * size and alignment, and whatever is used as an index later has to be bounded then.
 *
 *     offset  what
 *     0       magic "FLTMODEL"
 *     8       u32 version of this form: MODEL_VERSION
 *     12      u32 number of sections, 1 to MODEL_SECTIONS_MAX
 *     16      char kind[16], NUL-padded: who reads it ("linear", "tagger")
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

/* NULL with err: MALFORMED for bytes that are no model, INVALID for one of another kind or version, SYSTEM for a file
 * that cannot be read. */
struct model *model_open_file(const char *path, const char *kind, struct error *err);
/* Borrows the bytes, which outlive the model; they begin on a multiple of MODEL_ALIGN. */
struct model *model_open_bytes(struct span bytes, const char *name, const char *kind, struct error *err);
void model_close(struct model *m);

/* 64 hexadecimal digits: what a policy's digest names the model by. */
struct span model_digest(const struct model *m);
/* What it judges, from the header. */
struct span model_name(const struct model *m);

bool model_has(const struct model *m, const char *section);
/* The section as an array of elements of that size, at most 64 bytes each, aligned for any of them; *n is their
 * number, which is not 0. NULL with err when it is not there or no whole number of them. */
const void *model_array(const struct model *m, const char *section, size_t element, size_t *n, struct error *err);
/* A section that holds exactly one of them: fixed settings. */
const void *model_struct(const struct model *m, const char *section, size_t size, struct error *err);

#endif
