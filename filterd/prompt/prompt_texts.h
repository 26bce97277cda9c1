/* prompt_texts.h - the texts of a request to a model: each with its JSON pointer, its role and its place in the conversation.
 *
 * The body is read as a document (pipeline/document.h), so every string, member name and long number is a channel, whatever
 * the tables say: an unknown text is a text of role "other". A table for each protocol (prompt_table.c) says which role the
 * known places have, which strings are ids, and which hold files in base64. Names are compared without regard to case and
 * underscores, as some providers read them.
 *
 * A body that two readers could read differently, because an object has a name twice, is refused.
 *
 *   prompt_texts_read(arena, "openai-chat", body, &texts, &err)
 *   ... set the output of each channel of texts.document ...
 *   document_write(&texts.document, &out, &err)      the same bytes but for the strings that changed
 *
 * All memory is in the arena; `json` must outlive it. Pure; any thread. */
#ifndef FILTERD_PROMPT_PROMPT_TEXTS_H
#define FILTERD_PROMPT_PROMPT_TEXTS_H

#include "pipeline/document.h"

enum { PROMPT_CONTAINERS_MAX = 1 << 20 };

/* What a channel of the document is. Zero is judged and may be changed. */
enum prompt_use {
    PROMPT_TEXT,
    PROMPT_ID,   /* a short word of the protocol or an id, of an id's closed form */
    PROMPT_DATA, /* an image, speech or another file in base64, or tokens: nothing here can read it */
};

/* A message of the conversation, a known prefix of it, or a member of the body with all that is in it. */
struct prompt_unit {
    size_t from, to;     /* its channels, in the document */
    struct span json;    /* its bytes in the body, from the first token to the last */
    const char *place;   /* the table's row of a message, static; "" otherwise */
    bool is_message;
    bool has_gap;        /* of a survey: something else than an object is between it and the message before */
    size_t message;      /* its index among the messages, or the first one's */
    enum text_role role; /* of a message */
};

struct prompt_texts {
    struct document document;   /* channel.role is set */
    const enum prompt_use *use; /* of each channel */
    const bool *is_said;        /* likewise: it is what a message itself says, and no name or file */
    const struct prompt_unit *units;
    size_t n_units, n_messages;
    uint32_t first_message; /* what a message itself says has this number and that of its unit, added up, in channel.message */
    size_t n_tokens; /* numbers that stand for pieces of text, which nothing here can read */
};

/* `route` is the name of a protocol's route. MALFORMED or INVALID for a body that cannot be read in one way only, LIMIT,
 * NO_MEMORY. */
MUST_CHECK bool prompt_texts_read(struct arena *a, const char *route, struct span json, struct prompt_texts *out,
                                  struct error *err);
/* The same for what json_validate has accepted. */
MUST_CHECK bool prompt_texts_read_valid(struct arena *a, const char *route, struct span json, struct prompt_texts *out,
                                        struct error *err);
/* The same for what json_validate_known has accepted with these messages: they are units without channels and roles. */
MUST_CHECK bool prompt_texts_read_known(struct arena *a, const char *route, struct span json, struct json_known known,
                                        struct prompt_texts *out, struct error *err);

#endif
