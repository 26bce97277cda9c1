/* block_style.h - chooses an ending of a blocked answer that its client understands (filterd-upstreams(5), "BLOCKS").
 *
 * A client may treat an ending as a lost connection and retry, put the notice into the value that it reads from JSON, or
 * blame the wrong party. The suitable ending depends on the route, on the request, and for a few clients on their
 * User-Agent, because they treat the same ending differently. */
#ifndef FILTERD_PROTOCOL_BLOCK_STYLE_H
#define FILTERD_PROTOCOL_BLOCK_STYLE_H

#include "protocol/protocol.h"
#include "protocol/wire/tree.h"

enum { CHOICES_MAX = 128 };

struct asked_answer {
    const char *route;     /* from protocol_route_name */
    const struct node *in; /* the request's body */
    struct span client;    /* its User-Agent; may be empty */
    bool is_streaming;
};

/* Whether what is asked here, or whether the answer is a stream, depends on this member of the body. */
bool is_asked_by(struct span name);
/* Whether the answer's text must be JSON, or of another form for programs. */
bool asks_for_structure(const struct asked_answer *asked);
/* Resolves `wanted` to SOFT, END_TURN or REFUSAL. HARD counts as AUTO, because after the first byte a 400 is impossible. */
enum block_style block_style_of(const struct asked_answer *asked, enum block_style wanted);

/* Sets the style of a translation from its request. */
void block_style_set(struct translation *t, const struct translation_request *request, const struct node *body);

#endif
