/* parts.h - the parts of an answer, such as choices, blocks and items: a dialect's state of each. */
#ifndef FILTERD_PROTOCOL_PARTS_H
#define FILTERD_PROTOCOL_PARTS_H

#include "protocol/texts.h"

enum { PARTS_MAX = 1024 };

/* A dialect's state of a choice, block, candidate or item. */
struct part {
    size_t key;    /* the upstream's index */
    size_t shown;  /* the client's index */
    unsigned kind; /* the dialect's */
    bool is_open, is_finished, has_text, has_call, has_role, is_withheld;
    bool is_cut;     /* the upstream marked only this part as truncated */
    bool is_ending, goes_on; /* a reason why it ends waits; more of it came behind that */
    struct logprobs logprobs;
    struct text_sum said, pieces; /* the texts of its end, and the pieces of a call before it */
    struct text_sum name;         /* of a call, in its start */
    struct buf held; /* JSON that waits for the end */
};

/* The list of n items of that size with space for one more; NULL: no memory, the old list remains valid. */
void *list_room(void *list, size_t n, size_t size);
struct part *part_find(const struct translation *t, size_t key);
struct part *part_open(struct translation *t, size_t key, struct error *err);
void parts_free(struct translation *t);

#endif
