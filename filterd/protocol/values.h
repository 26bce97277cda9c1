/* values.h - inside values*.c: unknown strings of a stream, their places, and what waits with them.
 *
 * A string that no row knows may be a piece of a text or a value that counts as a whole, and nothing tells which. Each was
 * judged by itself when it comes here. Those of one place are judged as one text, too, as clients may join them; and as a
 * client may need one whole, the part of the message around it waits for that. */
#ifndef FILTERD_PROTOCOL_VALUES_H
#define FILTERD_PROTOCOL_VALUES_H

#include "protocol/dialect.h"

enum { POSITIONS_MAX = 16 }; /* elements of an array that have places of their own; the rest share one */

/* What a message is made of. It waits, with all its values, until its part ends. */
struct unit {
    struct node *root, *node; /* the same where the whole message waits */
    size_t part;
    bool is_settled;
    struct unit *next;
};

enum { SAID_SLOTS = 256 };

/* A value whose place has had its end. */
struct said {
    uint64_t hash;
    size_t path_len, text_len;
    struct said *next;
    char bytes[]; /* path, text */
};

/* --- places: values_place.c --- */
/* Whether a string of a message is such a value. */
bool value_is(const struct dialect *d, const struct node *root, const struct node *n);
/* The choice, block or item that it belongs to. */
size_t value_part(const struct translation *t, const struct node *root, const struct node *n);
/* What tells its place from others: kind and indices of the event, the way in it. Lives as long as the message at hand. */
MUST_CHECK bool value_place(struct translation *t, const struct node *root, const struct node *n, size_t part,
                            size_t positions_max, struct span *place, struct error *err);
const struct node *value_top(const struct node *root, const struct node *n);
uint64_t value_hash(struct span place);
struct said *value_said(const struct translation *t, struct span place, uint64_t hash);
MUST_CHECK bool value_say(struct translation *t, struct span place, uint64_t hash, struct span text, struct error *err);
/* Whether its place has had its end. The same again may leave, anything else becomes empty. */
bool value_was_said(const struct translation *t, struct span place, struct node *n);

/* --- what waits: values.c --- */
/* Takes the first of the lines, which say a part and a message. */
struct span values_line(struct span *lines);
size_t values_line_part(struct span line);

#endif
