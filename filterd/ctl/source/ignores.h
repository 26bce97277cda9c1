/* ignores.h - which findings are known and not to be reported: ignore files, baselines, comments in the text.
 *
 * A file has lines of one of the forms
 *     path:PATTERN            all findings in the files that match; a pattern that ends in / is a folder; * also matches /
 *     rule:ID                 all findings of the rule
 *     rule:ID path:PATTERN    those of the rule in the files
 *     fingerprint:PRINT       one finding, as a report shows it
 * and comments: lines that begin with #, and what follows a fingerprint. A baseline has fingerprints alone. */
#ifndef FILTERD_CTL_SOURCE_IGNORES_H
#define FILTERD_CTL_SOURCE_IGNORES_H

#include "base/buf.h"
#include "ctl/source/seen.h"

struct ignore {
    char *rule; /* NULL: any */
    char *path; /* NULL: any */
    size_t line;
};

struct ignores {
    struct ignore *items;
    size_t n, max;
    struct seen prints;
};

void ignores_init(struct ignores *g);
void ignores_deinit(struct ignores *g);
/* Adds what the text says; `name` is the file's, for errors. */
MUST_CHECK bool ignores_parse(struct ignores *g, const char *name, struct span text, struct error *err);
/* The same from a file, which must be a regular one. */
MUST_CHECK bool ignores_read(struct ignores *g, const char *file, struct error *err);

bool ignores_has_print(const struct ignores *g, struct span print);
/* `path` as reports have it, without ./ in front. */
bool ignores_match(const struct ignores *g, const char *path, struct span rule);
/* Equal for paths of which the file says the same. */
uint64_t ignores_class(const struct ignores *g, const char *path);
/* A line of the text that has the match [from, to) says filterd:allow, or filterd:allow=ID,ID with the rule among them. */
bool ignores_in_text(struct span text, size_t from, size_t to, struct span rule);

#endif
