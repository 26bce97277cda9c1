/* progress.h - a bar on standard error: only on a terminal, only when the work takes over a second.
 */
#ifndef FILTERD_CTL_PROGRESS_H
#define FILTERD_CTL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool is_on, is_drawn;
    int64_t start_ns, drawn_ns;
    uint64_t total, done;
};

void progress_init(struct progress *p, uint64_t total, bool is_wanted);
void progress_add(struct progress *p, uint64_t bytes);
/* Takes the bar away, so that lines can be written; it comes back with the next progress_add. */
void progress_clear(struct progress *p);

#endif
