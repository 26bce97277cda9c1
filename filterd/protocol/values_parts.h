/* values_parts.h - inside values*.c and leaf.c: unknown strings of a stream, their places, and the parts of messages that wait with them.
 *
 * A string without a row may be a piece of a text or a complete value; the translation cannot know which. Each is
 * judged separately before it gets here. Those at one place are also judged as one text, because clients may join them; and
 * because a client may need one complete, the part of the message around it waits for that. */
#ifndef FILTERD_PROTOCOL_VALUES_PARTS_H
#define FILTERD_PROTOCOL_VALUES_PARTS_H

#include "protocol/leaf.h"
#include "protocol/translation.h"

enum { POSITIONS_MAX = 16 }; /* elements of an array with their own places; the rest share one */

/* A part of a message that waits, with all its values, until its part of the answer ends. */
struct unit {
    struct node *root, *node; /* equal if the whole message waits */
    size_t part;
    bool is_settled;
    struct unit *next;
};

enum { SAID_SLOTS = 256 };

/* A value at a place that has ended. */
struct said {
    uint64_t hash;
    size_t path_len, text_len;
    struct said *next;
    char bytes[]; /* path, text */
};

/* --- places: values_place.c --- */
/* Whether a string of a message is such a value; whether a number is one that may be the code of a character. */
bool value_is(const struct dialect *d, const struct node *root, const struct node *n);
bool value_is_code(const struct dialect *d, const struct node *root, const struct node *n);
/* Its choice, block or item. */
size_t value_part(const struct translation *t, const struct node *root, const struct node *n);
/* The key of its place: kind and indices of the event, and the path. Lives as long as the current message. */
MUST_CHECK bool value_place(struct translation *t, const struct node *root, const struct node *n, size_t part,
                            size_t positions_max, struct span *place, struct error *err);
const struct node *value_top(const struct node *root, const struct node *n);
uint64_t value_hash(struct span place);
struct said *value_said(const struct translation *t, struct span place, uint64_t hash);
MUST_CHECK bool value_say(struct translation *t, struct span place, uint64_t hash, struct span text, struct error *err);
/* The largest part of the message around a value that has none of a text and may be left out. */
struct node *value_unit(const struct dialect *d, const struct node *root, struct node *value);
/* Holds it until its part ends. */
MUST_CHECK bool unit_hold(struct translation *t, struct node *root, struct node *unit, size_t part, struct error *err);
/* Whether its place has ended. The same value may be released again; any other is emptied. */
bool value_was_said(struct translation *t, struct span place, struct node *n);

/* --- parts of one string, also values_place.c --- */
/* Whether it is an array of what may be the parts of one string; the text that is judged of it (array_parts.h). */
bool parts_are_in(const struct node *array);
MUST_CHECK bool parts_join(struct translation *t, const struct node *array, struct span *out, struct error *err);
/* Whether a number may be the code of a character of a token. */
bool part_is_code(const struct node *n);
/* The array, also of arrays, that a value is an element of; elsewhere the value. */
const struct node *array_of(const struct node *root, const struct node *n);

/* What was looked at last. Zeroed: nothing. */
struct coded {
    const struct node *array;
    bool are_codes;
};
/* Whether a number, with all that is in its array, is a code. */
bool coded_has(struct coded *c, const struct node *root, const struct node *n);

/* A value and the number of its column, which is for columns_number to set. */
struct column_member {
    const struct node *node;
    uint32_t *column;
};
/* Numbers the columns of a message (struct channel); 0: it is in none, or alone. */
MUST_CHECK bool columns_number(struct arena *a, const struct node *root, struct column_member *members, size_t n, struct error *err);

/* --- waiting messages: values.c --- */
/* Whether one of that part waits. */
bool values_wait(const struct translation *t, size_t part);
/* Takes the first of the lines, each a part and a message. */
struct span values_line(struct span *lines);
size_t values_line_part(struct span line);

#endif
