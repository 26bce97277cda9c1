/* shipped.h - whether filterd-ship has sent a file of the decision log to every sink, by the positions that it keeps.
 *
 * A sink is one that has a position in the folder, or that filterd requires. One without a position has nothing. One thread. */
#ifndef FILTERD_CTL_RECORD_SHIPPED_H
#define FILTERD_CTL_RECORD_SHIPPED_H

#include "record/log_files.h"

struct shipped {
    const char *folder;   /* of positions; NULL, or not there: only required sinks count */
    const char *required; /* names with commas between; NULL: none */
};

enum { SHIPPED_WHY = 160 };
/* `why` says which sink does not have the file, and is empty when all have it. `last`: the number of the file's last line. */
MUST_CHECK bool shipped_check(const struct shipped *s, const struct log_file *file, uint64_t last, char why[SHIPPED_WHY],
                              struct error *err);

#endif
