/* review_order.h - a step that a person takes on an item, a group or a request of another node, as an order that a review console has signed.
 *
 * The order is a signed note (C2SP signed-note, record/note.h); the name of its key is that of the console. Its text:
 *
 *     filterd review order
 *     id <32 hexadecimal digits>
 *     node <name of the node that has the line>
 *     leaf <Base64: hash of the item's line, as the person saw it>     absent: of a group or a request
 *     version <of the item, as the person saw it>                      likewise
 *     tenant <that the person is limited to>        absent: all
 *     <a line of type review, of one item or one group, as review_line_format writes it; or, of a request (an exception or a reveal):>
 *     {"type":"exception","ts":...,"id":...,"step":"approved","by":...,"role":...}
 *
 * So an order is for one line with that content, in that state, for a group as it is when it is carried out, or for one request; and nothing
 * that carries it can change it. Who may carry out an order
 * records its id with the step, so that it is carried out once. Spans are borrowed from the note or the arena. Any thread. */
#ifndef FILTERD_REVIEW_REVIEW_ORDER_H
#define FILTERD_REVIEW_REVIEW_ORDER_H

#include "record/note.h"
#include "record/tree.h"
#include "review/review_line.h"

enum {
    REVIEW_ORDER_ID = 32,    /* characters */
    REVIEW_ORDER_REQUEST = 36, /* of the id of a request */
    REVIEW_ORDER_MAX = 4096, /* bytes of the note */
    REVIEW_ORDER_DAYS = 7,   /* an older one is not carried out */
    REVIEW_CONSOLES_MAX = 16,
};

/* What a step is on: an item or a group, as `line` says; or a request with that id. */
enum review_order_kind { REVIEW_ORDER_STEP, REVIEW_ORDER_EXCEPTION, REVIEW_ORDER_REVEAL, REVIEW_ORDER_KINDS };

struct review_order {
    char id[REVIEW_ORDER_ID + 1];
    struct span node;
    struct tree_hash leaf; /* of the item, as version; of a group zeroed */
    uint64_t version;
    struct span tenant; /* empty: all */
    struct review_line line; /* of a request: its time, `by` and `role` alone */
    enum review_order_kind kind;
    struct span request, step; /* id and step of a request */
};

/* A random one. */
void review_order_id(char id[REVIEW_ORDER_ID + 1]);
/* Lower-case hexadecimal digits, as many as expected. */
bool review_order_id_is_valid(struct span id);

/* Replaces the content of `out`, with a ceiling of REVIEW_ORDER_MAX, by the signed note. LIMIT: the person's note is too long. */
MUST_CHECK bool review_order_sign(const struct review_order *o, const struct note_key *key, const uint8_t seed[NOTE_SEED], struct buf *out,
                                  struct error *err);
/* Reads a note without verifying it. */
MUST_CHECK bool review_order_read(struct span note, struct arena *memory, struct review_order *out, struct error *err);

/* The consoles whose orders are carried out: a file with a vkey on each line. */
struct review_consoles {
    size_t n;
    struct note_key keys[REVIEW_CONSOLES_MAX];
};
MUST_CHECK bool review_consoles_load(const char *path, struct review_consoles *out, struct error *err);
/* Reads a note that one of them has signed; *console is its key. DENIED: none has. */
MUST_CHECK bool review_order_verify(struct span note, const struct review_consoles *consoles, struct arena *memory, struct review_order *out,
                                    const struct note_key **console, struct error *err);

#endif
