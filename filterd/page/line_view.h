/* line_view.h - parses a line of the decision log for a page: names, numbers, findings. Lines have no content.
 *
 * Pure. Members that are absent or of the wrong type are empty or zero. Spans are borrowed from the line or the arena. */
#ifndef FILTERD_PAGE_LINE_VIEW_H
#define FILTERD_PAGE_LINE_VIEW_H

#include "base/arena.h"
#include "index/index_line.h"

enum { LINE_FINDINGS = 64, LINE_CHANNELS = 64 };

struct line_finding {
    struct span source, rule, category, severity, path, view, action, checks, value_tok;
    uint64_t channel, start, end;
    unsigned score; /* in ten-thousandths */
    bool is_shadow, is_excepted;
};
struct line_channel {
    struct span path;
    uint64_t number, bytes, judged;
};

struct line_view {
    struct span text; /* the line */
    uint64_t seq, in_bytes, judged_bytes, out_bytes, elapsed_us, findings_more, channels_more, item;
    struct span type, ts, req_id, tenant, app, route, agent, session, action, rule, reason, phase, protocol, upstream, end, event, by,
        why, verb, disposition, note, step, request, what, assignee;
    struct {
        struct span name, digest;
        bool is_shadow;
    } policy;
    struct {
        struct span blob, what, expires;
        uint64_t bytes;
        bool has_failed;
    } sealed;
    int64_t ts_ns;
    size_t n_findings, n_channels;
    struct line_finding findings[LINE_FINDINGS];
    struct line_channel channels[LINE_CHANNELS];
};

/* In the arena. NULL with an error: not a JSON object, or out of memory. */
const struct line_view *line_view_read(struct span text, struct arena *memory, struct error *err);

#endif
