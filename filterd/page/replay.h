/* replay.h - what `filterctl policy replay --out STATE/replay.json` found, on a page: sums, and the first lines that change.
 *
 * The file is written by whoever has the reviewers' key, and read strictly for what it is: names are text, numbers are numbers. */
#ifndef FILTERD_PAGE_REPLAY_H
#define FILTERD_PAGE_REPLAY_H

#include "page/page.h"

#define REPLAY_FILE "replay.json"

enum { REPLAY_FILE_MAX = 8 * 1024 * 1024, REPLAY_ROWS = 20 };

/* A section, or nothing when there is no such file in the folder, or it is none. */
void replay_put(struct page *p, const char *state_directory);

#endif
