/* pieces.h - texts that a reader reads as one, judged once more as one. */
#ifndef FILTERD_PROTOCOL_PIECES_H
#define FILTERD_PROTOCOL_PIECES_H

#include "protocol/translation.h"

struct piece {
    struct span text;
    struct span *out; /* what may be delivered */
    size_t from, to;  /* in the joined text */
};
struct pieces {
    struct piece *items;
    size_t n;
    bool are_texts; /* each was judged by itself: only what is found over a joint counts */
};
/* Judges the pieces as one text, with `joint` between two of them. */
MUST_CHECK bool pieces_judge_joined(struct translation *t, struct span path, struct pieces p, const char *joint, struct error *err);
/* Keeps the texts of a whole answer that its clients join, before they are judged. */
MUST_CHECK bool message_keep_parts(struct translation *t, struct node *root, struct error *err);
/* Judges those of each message once more as one text, after each of them was judged. */
MUST_CHECK bool message_judge_joined(struct translation *t, const struct node *root, struct error *err);

/* --- texts that passed answers say in pieces: passed_pieces.c --- */
/* Judges pieces that belong together once more as one text: the outputs of those of one array of JSON. */
MUST_CHECK bool pieces_judge(struct translation *t, struct document *d, struct error *err);
/* Whether channel i is such a piece. */
bool pieces_have(const struct document *d, size_t i);
/* Whether channel i is an array of parts that are such pieces. */
bool pieces_have_array(const struct document *d, size_t i);
/* The same for a text that may be subtitles. */
MUST_CHECK bool pieces_judge_cues(struct translation *t, struct span *text, struct error *err);
/* Appends what became of `before`. Of JSON and of changed lines of it what only its tokens say is left out. */
MUST_CHECK bool pieces_append_changed(struct span before, struct span after, struct buf *out, struct error *err);

#endif
