/* prompt_table.h - which place in a request holds what; for prompt_texts.c and its tests. */
#ifndef FILTERD_PROMPT_PROMPT_TABLE_H
#define FILTERD_PROMPT_PROMPT_TABLE_H

#include "policy/text_role.h"
#include "base/span.h"

enum prompt_place {
    PLACE_TEXT,
    PLACE_ID,
    PLACE_DATA,
    PLACE_TOKENS,  /* numbers that stand for pieces of text; a string is a text */
    PLACE_MESSAGE, /* an element of the conversation: its members `role` and `type` say who speaks */
    PLACE_PART,    /* a part of a message: its member `type` may say that it is a tool's result or a file */
};

/* The role of all that is below. A deeper row wins. */
struct prompt_row {
    const char *path; /* "/messages/" "*" "/content": a star is any member or element */
    enum prompt_place place;
    enum text_role role; /* TEXT_ROLE_OTHER: that of what is around it */
};

enum { PROMPT_ROWS_MAX = 64 };

/* Cohere's version 1 has the newest message of the conversation beside the others, which a model reads before it, whatever the order in the
 * body is. */
#define PROMPT_LAST_MESSAGE "/message"
#define PROMPT_LAST_AUTHOR  "{\"role\":\"USER\"}" /* whose it is */

struct prompt_table {
    const char *route; /* its name begins so */
    const struct prompt_row *rows;
    size_t n;
};

/* Of a route without a table: no rows. */
const struct prompt_table *prompt_table_of(const char *route);

/* Whether its conversations have a last message of their own. */
bool prompt_table_has_last(const struct prompt_table *table);

/* Of the value of `role`, and of `type`; OTHER: it says nothing. */
enum text_role prompt_role_of(struct span role);
enum text_role prompt_role_of_type(struct span type);

/* Whether a member's name is the one in a table. */
bool prompt_name_is(struct span name, struct span in_table);

#endif
