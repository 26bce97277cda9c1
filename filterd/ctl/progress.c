#include "ctl/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

enum { BAR_WIDTH = 40 };
static const int64_t second_ns = 1000000000, redraw_ns = 100000000;

void progress_init(struct progress *p, uint64_t total, bool is_wanted)
{
    *p = (struct progress){.is_on = is_wanted && total > 0 && isatty(STDERR_FILENO) == 1,
                           .total = total};
    p->start_ns = p->is_on ? clock_read_ns(CLOCK_MONOTONIC) : 0;
}

static void draw(struct progress *p)
{
    uint64_t done = p->done < p->total ? p->done : p->total;
    int filled = (int)((double)done / (double)p->total * BAR_WIDTH);

    (void)fprintf(stderr, "\r[%.*s%*s] %3.0f %%  %.1f of %.1f MB", filled,
                  "########################################", BAR_WIDTH - filled, "",
                  100.0 * (double)done / (double)p->total, (double)done / 1e6,
                  (double)p->total / 1e6);
    p->is_drawn = true;
}

void progress_add(struct progress *p, uint64_t bytes)
{
    p->done += bytes;
    if (!p->is_on) {
        return;
    }
    int64_t now = clock_read_ns(CLOCK_MONOTONIC);
    if (now - p->start_ns > second_ns && now - p->drawn_ns > redraw_ns) {
        draw(p);
        p->drawn_ns = now;
    }
}

void progress_clear(struct progress *p)
{
    if (p->is_drawn) {
        (void)fprintf(stderr, "\r\033[K");
        p->is_drawn = false;
    }
}
