/* log_output.h - lines of a decision log as people read them, or as they are.
 *
 * A table has a row for each line: seq, when (UTC, to the second), action, rule, who, where, score. Of a decision the finding
 * that decided says where; what else a line has is in its JSON. Names come from agents and callers: what a terminal would obey
 * or hide is a dot. One thread at a time. */
#ifndef FILTERD_CTL_RECORD_LOG_OUTPUT_H
#define FILTERD_CTL_RECORD_LOG_OUTPUT_H

#include "base/buf.h"

enum log_form { LOG_TABLE, LOG_JSON, LOG_NDJSON };

struct log_output {
    enum log_form form;
    bool has_header, is_coloured;
    size_t n; /* lines shown */
    struct buf out;
};

void log_output_init(struct log_output *v, enum log_form form, bool has_header, bool is_coloured);
void log_output_deinit(struct log_output *v);
/* A JSON object that json_validate has accepted. */
MUST_CHECK bool log_output_line(struct log_output *v, struct span line, struct error *err);
/* Prints what has gathered; of log_output_line, too, when it is much. */
MUST_CHECK bool log_output_flush(struct log_output *v, struct error *err);
/* Likewise, and the end of an array. */
MUST_CHECK bool log_output_end(struct log_output *v, struct error *err);

#endif
