#include "ship/shipment.h"

#include <stdio.h>

#include "ship/config.h"
#include "ship/position.h"

enum { CLOCK_STEP_MS = 5000 }; /* that the clock may be set back between the two */

bool shipments_init(struct shipments *s, const char *names, const char *directory, const char *state_directory,
                    int64_t within_ms, struct error *err)
{
    *s = (struct shipments){.within_ms = within_ms};
    if (names == NULL) {
        return true;
    }
    int len = directory != NULL ? snprintf(s->directory, sizeof(s->directory), "%s", directory)
                                : snprintf(s->directory, sizeof(s->directory), "%s/ship", state_directory);
    if (len < 0 || (size_t)len >= sizeof(s->directory)) {
        return error_set(err, ERROR_INVALID, "ship-state: a shorter path expected");
    }
    for (struct span rest = span_str(names);;) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        struct span name = span_of(rest.ptr, comma == NULL ? rest.len : (size_t)(comma - rest.ptr));
        if (s->n == SHIPMENT_SINKS_MAX || !ship_is_name(name)) {
            return error_set(err, ERROR_INVALID, "ship-required: names of sinks of filterd-ship(8), separated by commas, expected");
        }
        s->names[s->n++] = name;
        if (comma == NULL) {
            return true;
        }
        rest = span_slice(rest, name.len + 1, rest.len);
    }
}

int64_t shipments_lag(const struct shipments *s, size_t i, int64_t now_ns)
{
    struct ship_position p;
    char path[PATH_MAX];
    struct error ignored;

    if (!ship_position_path(s->directory, s->names[i], path, &ignored) || !ship_position_read(path, &p, &ignored) ||
        p.as_of_ns == 0) {
        return SHIPMENT_UNKNOWN;
    }
    int64_t lag = (now_ns - p.as_of_ns) / 1000000;
    return lag < -CLOCK_STEP_MS ? SHIPMENT_UNKNOWN : lag < 0 ? 0 : lag;
}

bool shipments_are_on_time(const struct shipments *s, int64_t now_ns, struct span *late)
{
    for (size_t i = 0; i < s->n; i++) {
        if (shipments_lag(s, i, now_ns) > s->within_ms) {
            *late = s->names[i];
            return false;
        }
    }
    return true;
}
