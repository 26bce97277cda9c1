#include "jail/report/report_events.h"

#include <inttypes.h>

#include "base/json.h"

static bool append_counts(const struct jail_events *e, struct buf *out, struct error *err)
{
    const char *separator = "";

    for (int i = 0; i < JAIL_EVENT_KINDS; i++) {
        if (e->counts[i] > 0) {
            if (!buf_appendf(out, err, "%s\"%s\":%" PRIu64, separator, jail_event_name((enum jail_event_kind)i),
                             e->counts[i])) {
                return false;
            }
            separator = ",";
        }
    }
    return true;
}

bool jail_report_append_events(const struct jail_events *e, struct buf *out, struct error *err)
{
    if (!buf_append_str(out, ",\"events\":{\"counts\":{", err) || !append_counts(e, out, err) ||
        !buf_append_str(out, "},\"first\":[", err)) {
        return false;
    }
    for (size_t i = 0; i < e->n; i++) {
        const struct jail_event *event = &e->items[i];
        if (!buf_appendf(out, err, "%s{\"utc_ns\":%" PRId64 ",\"kind\":\"%s\",\"detail\":", i > 0 ? "," : "", event->utc_ns,
                         jail_event_name(event->kind)) ||
            !json_append_string(out, span_str(event->detail), err) || !buf_append_char(out, '}', err)) {
            return false;
        }
    }
    return buf_append_str(out, "]}", err);
}
