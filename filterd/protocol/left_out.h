/* left_out.h - what does not go to the client though nothing was found in it: counted, for the record. */
#ifndef FILTERD_PROTOCOL_LEFT_OUT_H
#define FILTERD_PROTOCOL_LEFT_OUT_H

#include "protocol/wire/tree.h"

struct translation;
struct text;

/* What was said of a text, without the text: see left_out.c. */
struct text_sum {
    uint64_t hash;
    size_t n; /* bytes that are no white space */
    unsigned char begun[4];
    unsigned n_begun; /* bytes of a character that is not whole yet */
};

void left_out_text(struct translation *t, struct span text);
void text_sum_add(struct text_sum *s, struct span text);
/* Of the strings in it that are texts, in any order. */
struct text_sum texts_sum(const struct translation *t, const struct node *of);
/* The copy is replaced by what was released of the text: what only the copy says counts. */
void left_out_copy(struct translation *t, struct text *x, struct span copy);
/* The same for a copy of other texts, whose sum is known. */
void left_out_texts(struct translation *t, struct text_sum said, const struct node *copy);
/* The pieces were dropped for the whole: they count, once, unless it begins with them. */
void left_out_pieces(struct translation *t, struct text_sum *pieces, struct span whole);
/* The start of something was held, and dropped for its end: what only the start says counts. Both are roots. */
void left_out_start(struct translation *t, const struct node *start, const struct node *end);
/* Of an event only these members were taken, NULL-terminated, and those that have a row. "name/" is an object: a text there was not. */
void left_out_event(struct translation *t, const struct node *root, const char *const *taken);
/* What stands for the name and the input of a call, and is none: a name that is no string, an input that is one. */
void left_out_call(struct translation *t, const struct node *name, const struct node *input);
/* What the upstream wrote behind the end of its answer. */
void left_out_behind(struct translation *t, struct span bytes);

#endif
