/* dressings.h - the thirty ways in which a model's answer may show a token: as Markdown, wrapped, decorated
 * with Unicode, encoded. */
#ifndef FILTERD_TESTS_SUPPORT_DRESSINGS_H
#define FILTERD_TESTS_SUPPORT_DRESSINGS_H

#include "base/buf.h"

struct dressing {
    const char *name;
    const char *before, *after;                        /* the text around it */
    void (*put)(struct buf *out, struct span token); /* appends the token's form */
};

enum { DRESSINGS = 31 };
extern const struct dressing dressings[DRESSINGS];

/* Appends the text, with *from and *to the place of the token's form in it. */
void dressing_write(const struct dressing *d, struct span token, struct buf *out, size_t *from, size_t *to);

#endif
