/* texts.h - channels of text, as a dialect sees them: opened by a place in a message, fed, ended. */
#ifndef FILTERD_PROTOCOL_TEXTS_H
#define FILTERD_PROTOCOL_TEXTS_H

#include "pipeline/stream.h"
#include "protocol/left_out.h"
#include "protocol/leaf.h"

struct joint;
struct restorer;
struct stream_channel;

enum { TEXTS_MAX = 1024 };

/* Log probabilities that wait for their text: logprobs.c. Always empty if the supervisor may be asked. */
struct logprobs {
    struct buf held; /* JSON, one token per line */
    size_t sent;     /* bytes of the text whose tokens were sent */
    bool is_lost;    /* no more may be sent */
};

/* A channel of text, as the dialect sees it. */
struct text {
    struct stream_channel *in;
    struct span path;
    const struct leaf_row *row;
    size_t part;         /* its choice, block or item */
    struct buf skeleton; /* an event with only this text, JSON */
    struct buf released; /* all of it, if the dialect keeps it */
    struct logprobs logprobs; /* unless the dialect keeps them with the part */
    size_t marked;       /* its length at the checkpoint */
    struct text_sum said; /* what was fed, of dialects with copies */
    struct text_sum begun; /* what its part or item had of it when they began, which its pieces say again */
    size_t left_out;      /* bytes that only its copies have */
    struct node *leaf;   /* in the current message; NULL: not in it */
    char half[3], tail[3];
    unsigned half_len, tail_len;
    bool has_begun, has_ended, was_fed;
    bool is_apart; /* text_apart made it */
    struct joint *joint; /* with the text before it, until what goes on over it is known; NULL: nothing does */
    struct restorer *restorer; /* made with the first piece; NULL: nothing is restored */
};

/* An element's own "index", otherwise its position. */
size_t text_index(const struct node *element);
/* The path to a leaf, "/choices/0/delta/content"; the first index is the part. */
MUST_CHECK bool text_steps(const struct node *root, const struct node *leaf, struct buf *path,
                           size_t *part, struct error *err);
/* Of the channel at the path of the leaf; its row and skeleton are the caller's to set where it is new. */
struct text *text_open(struct translation *t, const struct node *root, struct node *leaf, struct error *err);
struct text *text_of(struct translation *t, struct span path, size_t part, struct error *err);
/* A new one that text_of does not find: what it says goes on from no other text, whatever path that has. */
struct text *text_apart(struct translation *t, struct span path, struct error *err);
/* *out lives as long as the current message. An error if the text has ended and there is more of it: what would be dropped here would
 * be missing in an answer that is called whole. */
MUST_CHECK bool text_feed(struct translation *t, struct text *x, struct span in, struct span *out,
                          struct error *err);
MUST_CHECK bool text_end(struct translation *t, struct text *x, enum stream_ending how,
                         struct span *out, struct error *err);
/* The same for one channel, and writes what it releases, like texts_end. */
MUST_CHECK bool text_finish(struct translation *t, struct text *x, enum stream_ending how,
                            struct error *err);
/* The same for the channels of a part (SIZE_MAX: of all). */
MUST_CHECK bool texts_finish(struct translation *t, size_t part, enum stream_ending how,
                             struct error *err);
/* Ends the channels of a part (SIZE_MAX: of all) and its values, and writes what they release as events, or into
 * the current message if that has the leaf. */
MUST_CHECK bool texts_end(struct translation *t, size_t part, enum stream_ending how,
                          struct error *err);
/* What is released from here on does not go into a message that was written before. */
void texts_forget_leaves(struct translation *t);
void texts_free(struct translation *t);

/* --- a text that goes on where another one of its message ended: text_joint.c --- */
enum { JOINT_BEFORE_MAX = 4096 };
/* Takes what comes of a text, and leaves in *in what goes to its own channel: nothing while more may yet belong to what was said before.
 * *label stands in place of what does; both live as long as the current message. */
MUST_CHECK bool joint_feed(struct translation *t, struct text *x, struct span *in, bool is_end, struct span *label, struct error *err);
void joint_free(struct joint *j);

#endif
