/* protocol.h - the wire formats of language model APIs, one table row each.
 *
 * A protocol defines which requests may pass and how an answer is parsed: which parts are text (judged
 * channel by channel) and which are structure (passed). Every unknown string leaf is also
 * text, which is released at the end of its part. An answer is translated as it arrives: the upstream's bytes in, the client's
 * bytes out. The translation does no I/O, knows no HTTP beyond status and content type, and does not log.
 *
 *   t = translation_new(&request, stream, &err)
 *   translation_head(t, status, content_type, &err)     once, before any byte
 *   translation_feed(t, worker, bytes, &out, &err)      any number of times, in any chunks
 *   translation_end(t, worker, is_whole, &out, &err)    once
 *   translation_resume(t, worker, &out, &err)           after each of them, whenever the stream got an answer
 *
 * Redaction keeps the events and their shape. A block after the first byte ends the
 * answer in a form that its client understands, with the policy's notice. Before the first
 * byte the caller may choose a hard block instead: translation_is_blocked, then
 * translation_hard_block makes the body of a 400.
 *
 * If the supervisor is asked about the stream (pipeline/stream_inquiry.h), a message is written when its answer is known:
 * check stream_asks after feed, end and resume. The contents of `out` may always be sent.
 *
 * Tool calls are held completely, judged as JSON documents, and written as one event or withheld.
 */
#ifndef FILTERD_PROTOCOL_PROTOCOL_H
#define FILTERD_PROTOCOL_PROTOCOL_H

#include "base/json.h"
#include "pipeline/stream.h"

struct protocol; /* "openai", "anthropic", "ollama", "gemini", "cohere" */

/* NULL when there is none of that name. protocol_names: NULL-terminated. */
const struct protocol *protocol_find(struct span name);
extern const char *const protocol_names[];

enum route_use {
    ROUTE_REFUSED, /* not on the protocol's list: never forwarded */
    ROUTE_PASSED,  /* carries no text of a model (model list, embeddings): judged like any JSON, except its numbers */
    ROUTE_JUDGED,  /* the answer is translated */
    ROUTE_UPGRADED, /* a WebSocket, whose events are routes without a method */
};

struct protocol_route; /* one row: method, path pattern, translator */
/* `path` is the path after the upstream's name, without query: "/v1/chat/completions". */
enum route_use protocol_route(const struct protocol *p, struct span method, struct span path,
                              const struct protocol_route **route);
/* Any other route: its answer is judged like those of ROUTE_PASSED, for upstreams that are set up so. Still refused: a path that an
 * upstream could read otherwise. */
enum route_use protocol_other_route(const struct protocol *p, struct span path, const struct protocol_route **route);
/* Whether a pattern of a route fits the path: a star matches one step, at the end of the pattern all that follow. */
bool route_path_fits(struct span pattern, struct span path);
/* The length of the API version, "/v1", at the start of the path; 0: none. Routes match with and without it, because it may
 * be in a client's base URL, in the upstream's, in both or in neither. */
size_t version_length(struct span path);
const char *protocol_route_name(const struct protocol_route *route); /* for record and metrics */
/* Whose forms its answers and errors have: that of the upstream, or of another API that such upstreams have, too. */
const struct protocol *protocol_of_route(const struct protocol_route *route);

struct translation;

/* How a blocked answer ends (filterd-upstreams(5)): marked as filtered; as a 400, while that is
 * possible; like any other answer; as a refusal by the model. AUTO chooses by the request and its client. */
enum block_style { BLOCK_SOFT, BLOCK_HARD, BLOCK_END_TURN, BLOCK_REFUSAL, BLOCK_AUTO };

/* What is done with routes that the protocol does not list. */
enum other_routes { OTHER_ROUTES_REFUSED, OTHER_ROUTES_JUDGED };

struct translation_request {
    const struct protocol_route *route;
    struct span path, query; /* in some protocols they request a stream */
    struct span type;      /* of that body; empty: JSON */
    struct span body;      /* of the client's request; borrowed during translation_new only */
    bool is_valid;         /* json_validate_known has accepted the body with `known` */
    struct json_known known;
    bool is_unjudged;      /* a good answer passes as it comes, and counts as not judged */
    struct stream *stream; /* borrowed until translation_free */
    enum block_style block;
    struct span client;    /* the client's User-Agent; may be empty */
    size_t event_max;      /* bytes of one event or of a whole non-streaming body */
    size_t passed_max;     /* bytes of the body of a passed route; 0: event_max */
    size_t waiting_max;    /* bytes that may wait for the supervisor, for input and output each; more is blocked */
};

/* NULL with INVALID when the body is not valid for the route, DENIED with a sentence for the client when it requests something
 * that cannot be judged, LIMIT or NO_MEMORY. */
struct translation *translation_new(const struct translation_request *request, struct error *err);
void translation_free(struct translation *t);

struct places;
/* The answer is one of several that a client reads in a row, as events of a WebSocket outside a response: its strings are judged behind
 * what those before it left (protocol/successive.c). Moves that in, before the first byte, and out, for the next one, when all is written. */
void translation_go_on(struct translation *t, struct places *from);
void translation_hand_on(struct translation *t, struct places *to);

/* Whether the client asked for a stream. */
bool translation_is_streaming(const struct translation *t);

/* Interprets the upstream's head; `type` may be empty. After OK or ERROR_BODY call feed and end
 * (an error's body is text of the upstream and is judged like any other). */
enum head_use { HEAD_OK, HEAD_ERROR_BODY, HEAD_UNKNOWN_TYPE };
enum head_use translation_head(struct translation *t, unsigned status, struct span type);
/* The client's content type for the output of feed and end. */
const char *translation_type(const struct translation *t);

/* False: the upstream's answer cannot be parsed (err says what was expected where, never its text);
 * the stream is then blocked. Bytes appended to `out` before are valid. */
MUST_CHECK bool translation_feed(struct translation *t, struct worker *w, struct span bytes,
                                 struct buf *out, struct error *err);
/* is_whole: the upstream ended its answer itself; otherwise the connection broke. */
MUST_CHECK bool translation_end(struct translation *t, struct worker *w, bool is_whole,
                                struct buf *out, struct error *err);

/* After an answer: writes what waited for it, and what arrived since, until the stream asks again. */
MUST_CHECK bool translation_resume(struct translation *t, struct worker *w, struct buf *out,
                                   struct error *err);

/* True when nothing more will be written: the answer was ended by a block or by its own end. */
bool translation_is_over(const struct translation *t);
/* Whether it is blocked without an end that says so, such as behind the event that said how it ends: the connection must break. */
bool translation_is_broken_off(const struct translation *t);

/* Whether a block decided so far, including an omitted tool call. */
bool translation_is_blocked(const struct translation *t);
/* stream_exchange, together with judgements outside the stream (tool calls, unknown members):
 * for the record. Valid until the next call with the translation or the stream. */
void translation_exchange(struct translation *t, struct exchange *out);

/* Bytes that wait for the end of the answer or a part of it, at most four times event_max, and for the supervisor, at most
 * twice waiting_max. */
size_t translation_waiting(const struct translation *t);

/* True when the answer is blocked, and is read on for the requested usage. The caller must end it when that takes
 * too long. */
bool translation_awaits_cost(const struct translation *t);

/* True when each part of a stream has ended and its protocol has no message that says that the answer has. The caller ends it, as whole,
 * when nothing more is received for a while. */
bool translation_needs_no_more(const struct translation *t);

/* Appends a keep-alive of the protocol; only between events. */
MUST_CHECK bool translation_heartbeat(struct translation *t, struct buf *out, struct error *err);

/* Whether a comment of server-sent events may be put between events of the answer: it is a stream of them, and the
 * protocol's clients skip comments. */
bool translation_takes_comments(const struct translation *t);

/* The body of the 400 for a block, in the protocol's envelope; type application/json. */
MUST_CHECK bool translation_hard_block(const struct translation *t, struct buf *out,
                                       struct error *err);
/* The same body for a request that is blocked. */
MUST_CHECK bool protocol_blocked_body(const struct protocol *p, struct span notice, struct buf *out, struct error *err);
/* An error of the proxy itself in the protocol's envelope: `message` is a sentence without input. */
MUST_CHECK bool protocol_error_body(const struct protocol *p, unsigned status, const char *message,
                                    struct buf *out, struct error *err);

#endif
