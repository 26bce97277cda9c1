/* review_line.h - lines of type review: what a person did with items, parsed and formatted.
 *
 * filterd-decision-log(5) has the members. Pure. Spans are borrowed from the line or the arena. */
#ifndef FILTERD_REVIEW_REVIEW_LINE_H
#define FILTERD_REVIEW_REVIEW_LINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "review/item.h"

enum {
    REVIEW_ITEMS_MAX = 500, /* of one line */
    REVIEW_NOTE_MAX = 1024, /* bytes of a note, as shown */
    REVIEW_GROUP = 16,      /* bytes of a group's id */
    REVIEW_GROUP_TEXT = 2 * REVIEW_GROUP,
    REVIEW_LINE_MAX = 32 * 1024, /* as formatted */
};

/* Until when a group opens no items: the first that comes. Zeroed: it is not snoozed. */
struct review_snooze {
    int64_t until_ms; /* UTC; 0: no such end */
    uint64_t more;    /* hits; likewise */
    bool until_policy; /* until a hit under another digest of the policy */
};

struct review_line {
    uint64_t seq; /* 0 before it is written */
    int64_t ts_ns;
    enum item_verb verb;
    /* Either items, in ascending order, each once; or a whole group. */
    const uint64_t *items;
    size_t n_items;
    bool has_group;
    uint8_t group[REVIEW_GROUP];
    unsigned from, to; /* states, of one item; ITEM_STATES: left out */
    enum item_disposition disposition;
    struct span by, role;
    struct span assignee; /* empty: left out; as are those below */
    struct span note;
    int64_t until_ms;     /* end of the lease */
    struct review_snooze snooze;
    uint64_t undo_of;
};

/* NULL-terminated lower-case hexadecimal of a group's id, and back. */
void review_group_text(const uint8_t group[REVIEW_GROUP], char text[REVIEW_GROUP_TEXT + 1]);
MUST_CHECK bool review_group_parse(struct span text, uint8_t group[REVIEW_GROUP]);

/* Into `out`, in place of what that holds, without the writer's members and a newline; it needs a ceiling of
 * REVIEW_LINE_MAX. */
MUST_CHECK bool review_line_format(const struct review_line *line, struct buf *out, struct error *err);
/* INVALID: it has not the members of a review. */
MUST_CHECK bool review_line_parse(struct span text, struct arena *memory, struct review_line *out, struct error *err);

/* Appends a point in time as the record writes it, in quotes. */
MUST_CHECK bool review_append_time(struct buf *out, int64_t utc_ns, struct error *err);

#endif
