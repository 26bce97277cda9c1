/* log_view.h - lines of a decision log as people read them, or as they are.
 *
 * A table has a row for each line: seq, when (UTC, to the second), action, rule, who, where, score. Of a decision the finding
 * that decided says where; what else a line has is in its JSON. Names come from agents and callers: what a terminal would obey
 * or hide is a dot. One thread at a time. */
#ifndef FILTERD_CTL_RECORD_LOG_VIEW_H
#define FILTERD_CTL_RECORD_LOG_VIEW_H

#include "base/buf.h"

enum log_form { LOG_TABLE, LOG_JSON, LOG_NDJSON };

struct log_view {
    enum log_form form;
    bool has_header, is_coloured;
    size_t n; /* lines shown */
    struct buf out;
};

void log_view_init(struct log_view *v, enum log_form form, bool has_header, bool is_coloured);
void log_view_deinit(struct log_view *v);
/* A JSON object that json_validate has accepted. */
MUST_CHECK bool log_view_line(struct log_view *v, struct span line, struct error *err);
/* Prints what has gathered; of log_view_line, too, when it is much. */
MUST_CHECK bool log_view_flush(struct log_view *v, struct error *err);
/* Likewise, and the end of an array. */
MUST_CHECK bool log_view_end(struct log_view *v, struct error *err);

#endif
