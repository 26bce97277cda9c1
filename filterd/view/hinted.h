/* hinted.h - regions of transforms that only hints call for. */
#ifndef FILTERD_VIEW_HINTED_H
#define FILTERD_VIEW_HINTED_H

#include "view/transform.h"

/* The run of token characters around the first hint of the kind that starts at or behind `at`. */
bool hinted_next(const struct source_piece *r, size_t at, enum view_hint_kind kind, struct region *out);
/* The run of token characters at the end: a hint in it may be still to come. */
struct pending hinted_pending(struct span text, size_t first);

#endif
