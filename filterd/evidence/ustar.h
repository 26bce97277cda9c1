/* ustar.h - tar archives of plain files, as POSIX's ustar has them: every archive of the same files is the same bytes.
 *
 * Mode 0644, owner 0, time 0. What is read is as strict: regular files with a checksum that holds, names that stay below
 * the folder they are unpacked in, in order and each once, and two empty blocks at the end. */
#ifndef FILTERD_EVIDENCE_USTAR_H
#define FILTERD_EVIDENCE_USTAR_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { USTAR_BLOCK = 512, USTAR_NAME_MAX = 100 };
#define USTAR_SIZE_MAX UINT64_C(077777777777)

/* INVALID: the name is too long, or the size too large. */
MUST_CHECK bool ustar_header(const char *name, uint64_t size, char block[USTAR_BLOCK], struct error *err);

struct ustar_entry {
    struct span name, content; /* borrowed */
};
struct ustar_reader {
    struct span rest;
    struct span last; /* name of the entry before */
};
/* The next entry; its name is empty at the end. MALFORMED: no archive as above. */
MUST_CHECK bool ustar_next(struct ustar_reader *r, struct ustar_entry *out, struct error *err);

#endif
