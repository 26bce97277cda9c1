/* decision_line.h - one line of the record as JSON, member by member; for the files that write lines.
 *
 * A failure is kept and the rest of the calls do nothing, so that a record reads as a list of its
 * fields. Commas are put where they are due. */
#ifndef FILTERD_DECISION_LOG_DECISION_LINE_H
#define FILTERD_DECISION_LOG_DECISION_LINE_H

#include <stdint.h>

#include "base/buf.h"
#include "decision_log/shown_path.h"

enum {
    DECISION_VERSION = 2,    /* of the schema: `v` of every line; 2 has the types of a proven log */
    DECISION_TEXT_MAX = 128, /* bytes of an id that are recorded */
    DECISION_PATH_MAX = 256, /* bytes of a path as recorded; a longer one is a token */
};

struct decision_keys;
struct exchange;
struct review_mark;

struct decision_line {
    struct buf *out;
    struct error *err;
    const struct decision_keys *keys;
    bool has_failed;
};

/* `{` or `[`, as a member when name is not NULL; and their ends. */
void line_open(struct decision_line *l, const char *name, char bracket);
void line_close(struct decision_line *l, char bracket);

void line_number(struct decision_line *l, const char *name, uint64_t number);
/* In [0, 1], four digits. */
void line_fraction(struct decision_line *l, const char *name, double fraction);
/* One digit behind the point; nothing is below 0 or above 1e15. */
void line_tenths(struct decision_line *l, const char *name, double value);
/* Only when it is true: absent means false. */
void line_flag(struct decision_line *l, const char *name, bool flag);
/* Text in clear, escaped and cut to DECISION_TEXT_MAX; absent when it is empty. With a name of NULL
 * it is an element of an array. */
void line_text(struct decision_line *l, const char *name, struct span text);
/* RFC 3339, UTC, nanoseconds. */
void line_time(struct decision_line *l, const char *name, int64_t utc_ns);
/* "key-id:" and the keyed token of the value. */
void line_token(struct decision_line *l, const char *name, struct span value);
/* A token that the caller made. */
void line_token_hex(struct decision_line *l, const char *name, const char *hex);
/* The member `review`; absent when nothing is to be reviewed. */
void line_review(struct decision_line *l, const struct review_mark *mark);
/* The member `budgets`; absent when none counts a value of the exchange. */
void line_budgets(struct decision_line *l, const struct exchange *x);
/* The members trace_id, span_id and parent_span_id; absent without a trace. */
struct trace_context;
void line_trace(struct decision_line *l, const struct trace_context *t);
/* The member `span`: when the exchange began, how long it and its parts took; absent when no span is recorded. */
void line_span(struct decision_line *l, const struct exchange *x);
/* The members `channels` and `findings`, and how many of each are left out. */
void line_findings(struct decision_line *l, const struct exchange *x, enum shown_names names);
/* Of the texts that were judged, as the manual of the decision log has it; nothing when all were judged before. */
void line_input_token(struct decision_line *l, const struct exchange *x);
void line_path(struct decision_line *l, const char *name, const struct shown_path *path);

#endif
