#include "link/removal.h"

#include <limits.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"

enum { EVERY_MS = 60000, NUMBER_MAX = 32 };

/* 0: nothing was removed. */
static bool read_minimum(const char *record, uint64_t *minimum, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    char path[PATH_MAX + 16];

    buf_init(&text, NUMBER_MAX);
    (void)snprintf(path, sizeof(path), "%s/minimum", record);
    *minimum = 0;
    if (!file_read(path, &text, err)) {
        return err->kind == ERROR_NOT_FOUND;
    }
    bool is_read = buf_append_char(&text, '\0', err);
    *minimum = is_read ? strtoull(text.data, NULL, 10) : 0;
    return is_read;
}

bool link_removal_step(struct link_removal *r, const char *record, struct link_store *store, struct error *err)
{
    uint64_t minimum, n = 0;

    if (r->keep->all_ns == 0 || (!r->has_more && r->looked_ms != 0 && clock_monotonic_ms() - r->looked_ms < EVERY_MS)) {
        return true;
    }
    r->looked_ms = clock_monotonic_ms();
    r->has_more = false;
    if (!read_minimum(record, &minimum, err) || (minimum > 0 && !link_store_remove(store, minimum, r->keep, &n, err))) {
        return false;
    }
    r->has_more = n > 0;
    r->lines += n;
    if (n > 0) {
        log_info("link: copies of %llu lines were deleted at the end of their term", (unsigned long long)n);
    }
    return true;
}
