/* successive.h - strings at one place of an answer, one after another. Functions of one thread, the answer's. */
#ifndef FILTERD_PROTOCOL_SUCCESSIVE_H
#define FILTERD_PROTOCOL_SUCCESSIVE_H

#include "protocol/translation.h"

/* Judges what a message says behind what left before at its places: before it is written, behind all other judgements. */
MUST_CHECK bool successive_judge(struct translation *t, struct node *root, struct error *err);

#endif
