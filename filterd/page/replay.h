/* replay.h - shows the result of `filterctl policy replay --out STATE/replay.json`: totals and the first changes.
 *
 * The holder of the reviewers' key writes the file. It is not trusted: types are checked, names are escaped. */
#ifndef FILTERD_PAGE_REPLAY_H
#define FILTERD_PAGE_REPLAY_H

#include "page/page.h"

#define REPLAY_FILE "replay.json"

enum { REPLAY_FILE_MAX = 8 * 1024 * 1024, REPLAY_ROWS = 20 };

/* Writes a section; nothing if the file is absent or invalid. */
void replay_put(struct page *p, const char *state_directory);

#endif
