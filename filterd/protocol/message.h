/* message.h - one message of an answer: its kind, and the handler of that kind. */
#ifndef FILTERD_PROTOCOL_MESSAGE_H
#define FILTERD_PROTOCOL_MESSAGE_H

#include "protocol/translation.h"

/* A whole answer is one message; a stream has many. */
enum message_kind {
    MESSAGE_PLAIN_BODY,  /* an error page that is not JSON */
    MESSAGE_PASSED_BODY, /* of a passed route; valid JSON */
    MESSAGE_PASSED_FILE, /* of a passed route; anything */
    MESSAGE_ERROR_BODY,
    MESSAGE_BODY,
    MESSAGE_DONE,    /* [DONE] */
    MESSAGE_AWAITED, /* after a block, only for the usage */
    MESSAGE_ERROR,   /* an error event, the last one */
    MESSAGE_EVENT,
    MESSAGE_KINDS
};
struct message {
    enum message_kind kind;
    struct span text;
    struct node *root; /* NULL of PLAIN_BODY, PASSED_BODY, DONE and AWAITED */
    bool ends_answer;  /* the caller of its handler ends the answer as DONE */
};
/* Frees the tree of the previous message, and clears the pointers to its leaves. */
void message_forget(struct translation *t);
/* Parses a message and finds its kind; false: it cannot be parsed. */
MUST_CHECK bool message_read(struct translation *t, struct span text, struct message *m, struct error *err);

/* The handler of each kind. */
typedef bool message_fn(struct translation *t, const struct message *m, struct error *err);
extern message_fn *const message_takes[MESSAGE_KINDS];

/* --- events that differ from one before in a text alone: repeated.c --- */
/* What is known of an event before it is taken. */
struct repeated_look {
    struct node *leaf; /* NULL: it is not kept */
    struct span said;  /* its text, as it came */
    size_t n_others, out_at;
};
void repeated_look(struct translation *t, const struct message *m, struct repeated_look *out);
/* Keeps an event that was taken, if what was done with it is all that is done with one like it. */
void repeated_keep(struct translation *t, const struct message *m, const struct repeated_look *look);
/* *is_taken: the message is like the one that is kept, and was taken. Fails as a handler of messages does. */
MUST_CHECK bool repeated_take(struct translation *t, struct span text, bool *is_taken, struct error *err);
void repeated_free(struct translation *t);

/* --- answers that carry no text of a model, or that the operator lets pass: passed.c --- */
/* Whether the request asks for a stream, by its member or field `stream`. */
bool passed_streams(const struct translation_request *request);
/* The use of the head of a good answer. */
enum head_use passed_head(struct translation *t, struct span type);
MUST_CHECK bool passed_body(struct translation *t, const struct message *m, struct error *err);
MUST_CHECK bool passed_file(struct translation *t, const struct message *m, struct error *err);

#endif
