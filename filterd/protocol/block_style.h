/* block_style.h - which ending of a blocked answer its client understands (filterd-upstreams(5), "BLOCKS").
 *
 * A client may take an ending for a lost connection and ask again, put the notice into the value that it reads from JSON, or
 * blame the wrong party. What fits follows from the route, from what the request asks for, and for a few clients from their
 * User-Agent, as they treat the same ending differently. */
#ifndef FILTERD_PROTOCOL_BLOCK_STYLE_H
#define FILTERD_PROTOCOL_BLOCK_STYLE_H

#include "protocol/protocol.h"
#include "protocol/tree.h"

enum { CHOICES_MAX = 128 };

struct asked_answer {
    const char *route;     /* as protocol_route_name says it */
    const struct node *in; /* the request's body */
    struct span client;    /* its User-Agent; may be empty */
    bool is_streaming;
};

/* Whether the answer's text is to be JSON, or of another form that a program reads. */
bool asks_for_structure(const struct asked_answer *asked);
/* How many answers to one question are asked for, which a blocked answer has as well: 1 to CHOICES_MAX. */
size_t choices_asked(const struct asked_answer *asked);
/* SOFT, END_TURN or REFUSAL: what `wanted` comes to. HARD is AUTO, as once bytes have left nothing else is possible. */
enum block_style block_style_of(const struct asked_answer *asked, enum block_style wanted);

#endif
