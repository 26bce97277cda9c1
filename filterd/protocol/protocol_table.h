/* protocol_table.h - the rows of a protocol: its routes, and what its answers have in common. */
#ifndef FILTERD_PROTOCOL_PROTOCOL_TABLE_H
#define FILTERD_PROTOCOL_PROTOCOL_TABLE_H

#include "protocol/protocol.h"
#include "protocol/wire/framing.h"
#include "protocol/wire/tree.h"

struct dialect;

/* What a passed route answers besides JSON. */
enum route_files {
    FILES_NONE,
    FILES_TEXT,  /* texts: judged; JSON Lines by their strings */
    FILES_MEDIA, /* these, and images, speech and other files, also in base64 in JSON: unread */
};

/* Of a passed route the dialect is that of its events, or NULL: it has none. */
struct protocol_route {
    const char *method, *path; /* a star matches one segment, at the end all that follow */
    enum route_use use;
    const char *name;
    const struct dialect *dialect;
    /* Whether the answer is a stream of messages, and their framing. */
    bool (*streams)(const struct translation_request *request, const struct node *body,
                    enum framing *framing, struct error *err);
    bool asks_nothing; /* a request without a body is a whole request */
    enum route_files files;
};

/* Method and path of the last row of each protocol: no method is empty, so that only protocol_other_route finds it. */
#define OTHER_ROUTES "", "/*"

struct protocol {
    const char *name;
    const struct protocol_route *routes;
    size_t n_routes;
    const char *below; /* a path under which the same routes are found, too; NULL: none */
    const struct protocol *also; /* whose routes the same servers have, too; NULL: none */
    const char *heartbeat;                                            /* between events */
    bool has_comments;                                                /* its clients skip comments between events */
    bool (*heartbeat_line)(struct translation *t, struct error *err); /* between lines, or NULL */
    bool (*blocked)(struct span notice, struct buf *out, struct error *err);
    bool (*failed)(unsigned status, struct span message, struct buf *out, struct error *err);
};

extern const struct protocol protocol_openai, protocol_anthropic, protocol_ollama, protocol_gemini,
    protocol_cohere;

/* The request's member "stream"; `by_default` if it is absent. */
MUST_CHECK bool request_streams(const struct node *body, bool by_default, bool *streams,
                                struct error *err);

/* The same as a framing: events for a stream, otherwise a body. */
MUST_CHECK bool request_streams_events(const struct node *body, enum framing *framing,
                                       struct error *err);

#endif
