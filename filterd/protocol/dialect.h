/* dialect.h - the definition of a dialect; included, the modules that its functions call.
 *
 * A dialect is a table of leaves and a few functions. The table gives the use of each place in a message;
 * a string without a row is text. The functions implement what tables cannot express: which event
 * ends which part, how a tool call is assembled, how an answer is closed. */
#ifndef FILTERD_PROTOCOL_DIALECT_H
#define FILTERD_PROTOCOL_DIALECT_H

#include "protocol/aside.h"
#include "protocol/calls.h"
#include "protocol/emit.h"
#include "protocol/endings.h"
#include "protocol/leaf.h"
#include "protocol/left_out.h"
#include "protocol/message.h"
#include "protocol/notice.h"
#include "protocol/parts.h"
#include "protocol/pieces.h"
#include "protocol/protocol_table.h"
#include "protocol/restoring.h"
#include "protocol/successive.h"
#include "protocol/texts.h"
#include "protocol/translation.h"
#include "protocol/values.h"

enum closing {
    CLOSING_DONE,      /* the upstream ended its answer */
    CLOSING_TRUNCATED, /* it stopped without an end */
    CLOSING_BLOCKED,   /* nothing more of it may follow */
};

/* The usage of an answer: the counts in member `in` of a message that a block repeats, none unless the
 * first n_required are all present. Only these names are repeated, and only values that must be counts. */
struct count_row {
    const char *group; /* the object with the count; NULL: `in` itself */
    const char *name;
    bool is_duration; /* in nanoseconds: it has many digits */
};
struct counts {
    const char *in; /* NULL: the root */
    const struct count_row *rows;
    size_t n_rows, n_required;
    bool is_in_streams; /* events of a stream also have them; the last ones count */
};

struct dialect {
    const char *name;
    const struct leaf_row *rows;
    size_t n_rows;
    const char *const *keys; /* members of the root that distinguish channels; NULL-terminated */
    bool has_event_names;    /* events are named by their type */
    const char *done;        /* data of the event that ends a stream, NULL for none */
    bool has_copies;         /* a text in pieces is said again, whole */
    bool has_no_end;         /* no message ends a stream of events: the parts have ends, and the connection */
    const char *lines_type;  /* the type of a stream of lines; NULL: application/x-ndjson */
    /* Sets the channel and the part of a text whose path does not determine them; NULL: the path does.
     */
    bool (*text_path)(const struct node *root, const struct node *leaf, struct buf *path,
                      size_t *part, struct error *err);
    /* For unknown values: the array of parts (in a message without a type); the members that distinguish parts, of which the
     * first is the part (with a type); the paths that cannot be omitted. All may be NULL. */
    const char *list;
    const char *required; /* an object of JSON: the members without which clients reject a message of a stream; NULL: none */
    const char *const *value_keys, *const *frames;
    /* The part of an event's values if no member gives it; false: they belong to the answer. */
    bool (*value_part)(const struct translation *t, const struct node *root, size_t *part);
    /* The texts that its clients join: of a whole answer their path, and how many steps of it lie below the message; of a stream
     * how the paths of their channels look. NULL: none. */
    struct {
        const char *path;
        unsigned steps;
        const char *text;
    } joined;
    const char *const *signed_names; /* members whose text the upstream signed with another; NULL: none. NULL-terminated */
    bool (*has_places)(const struct node *root); /* whether an event refers to places in a text; NULL: none does */
    /* Makes one message of an event that only a line of its own names: {"type": its name, "data": its data}, and what else the dialect
     * needs, which is not written. NULL: the data is the message. */
    struct node *(*named)(struct translation *t, struct span name, struct node *data, struct error *err);
    /* Numbers an outgoing event; NULL: events have no number. */
    bool (*stamp)(struct translation *t, struct node *root, struct error *err);
    /* The piece of text of an event that says nothing else; NULL: it says more, or another is NULL. See repeated.c. */
    struct node *(*only_text)(const struct translation *t, const struct node *root);
    const char *envelope_in; /* the member of an event that built events repeat; NULL: the root */
    const struct counts *counts; /* NULL: none */
    bool (*event)(struct translation *t, struct node *root, struct error *err);
    bool (*body)(struct translation *t, struct node *root, struct error *err);
    bool (*close)(struct translation *t, enum closing why, struct error *err);
    bool (*blocked_body)(struct translation *t, struct error *err);
};

#endif
