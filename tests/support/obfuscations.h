/* obfuscations.h - the ways in which a model's answer may show a token: as Markdown, wrapped, decorated
 * with Unicode, encoded. */
#ifndef FILTERD_TESTS_SUPPORT_OBFUSCATIONS_H
#define FILTERD_TESTS_SUPPORT_OBFUSCATIONS_H

#include "base/buf.h"

struct obfuscation {
    const char *name;
    const char *before, *after;                        /* the text around it */
    void (*put)(struct buf *out, struct span token); /* appends the token's form */
};

enum { OBFUSCATIONS = 33 };
extern const struct obfuscation obfuscations[OBFUSCATIONS];

/* Appends the text, with *from and *to the place of the token's form in it. */
void obfuscation_write(const struct obfuscation *d, struct span token, struct buf *out, size_t *from, size_t *to);

#endif
