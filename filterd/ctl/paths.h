/* paths.h - the files behind the operands of a command: folders are walked, in order of names. */
#ifndef FILTERD_CTL_PATHS_H
#define FILTERD_CTL_PATHS_H

#include <stdint.h>

#include "base/buf.h"

struct path {
    char *name;
    uint64_t size;
};

struct paths {
    struct path *items;
    size_t n, cap;
    uint64_t size; /* of all */
};

/* Symbolic links inside folders are not followed, version control's own folders (.git, .hg, .svn)
 * not entered. "-" stays as it is. What cannot be read is an item like others: the code that opens it
 * learns why. */
MUST_CHECK bool paths_collect(struct paths *p, char *const *operands, int n, struct error *err);
/* The same for one operand, behind what is there; *p is zeroed before the first. */
MUST_CHECK bool paths_add(struct paths *p, const char *operand, struct error *err);
void paths_deinit(struct paths *p);

#endif
