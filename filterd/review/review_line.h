/* review_line.h - parses and formats lines of type review: the steps of people.
 *
 * filterd-decision-log(5) describes the members. Pure. Spans are borrowed from the line or the arena. */
#ifndef FILTERD_REVIEW_REVIEW_LINE_H
#define FILTERD_REVIEW_REVIEW_LINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "review/item.h"

enum {
    REVIEW_ITEMS_MAX = 500, /* of one line */
    REVIEW_NOTE_MAX = 1024, /* bytes of a note, redacted */
    REVIEW_GROUP = 16,      /* bytes of a group's id */
    REVIEW_GROUP_TEXT = 2 * REVIEW_GROUP,
    REVIEW_LINE_MAX = 32 * 1024, /* as formatted */
};

/* End of a snooze, whichever comes first. Zeroed: not snoozed. */
struct review_snooze {
    int64_t until_ms; /* UTC; 0: none */
    uint64_t more;    /* hits; 0: none */
    bool until_policy; /* until a hit under another digest of the policy */
};

struct review_line {
    uint64_t seq; /* 0 before it is written */
    int64_t ts_ns;
    enum item_verb verb;
    /* Either items, ascending and distinct, or a whole group. */
    const uint64_t *items;
    size_t n_items;
    bool has_group;
    uint8_t group[REVIEW_GROUP];
    unsigned from, to; /* states of a single item; ITEM_STATES: absent */
    enum item_disposition disposition;
    struct span by, role;
    struct span assignee; /* empty: absent; also below */
    struct span note;
    int64_t until_ms;     /* expiry of the lease */
    struct review_snooze snooze;
    uint64_t undo_of;
    struct span console, order; /* of a step that came as an order of a review console (review_order.h): its name, the order's id */
};

/* NULL-terminated lower-case hexadecimal of a group's id, and back. */
void review_group_text(const uint8_t group[REVIEW_GROUP], char text[REVIEW_GROUP_TEXT + 1]);
MUST_CHECK bool review_group_parse(struct span text, uint8_t group[REVIEW_GROUP]);

/* Replaces the content of `out`, which needs a ceiling of REVIEW_LINE_MAX. Without the members that the log's writer adds, and
 * without a newline. */
MUST_CHECK bool review_line_format(const struct review_line *line, struct buf *out, struct error *err);
/* INVALID: not a line of type review. */
MUST_CHECK bool review_line_parse(struct span text, struct arena *memory, struct review_line *out, struct error *err);

/* Appends a time in the record's format, in quotes. */
MUST_CHECK bool review_append_time(struct buf *out, int64_t utc_ns, struct error *err);

#endif
