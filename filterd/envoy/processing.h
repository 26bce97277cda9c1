/* processing.h - one HTTP exchange that Envoy has processed: the messages of one call, as a request of the proxy and its answer.
 *
 *   Envoy's message      done with it
 *   request headers      the request is admitted (proxy_admit); headers that do not go up are removed
 *   request body         held until it is whole, judged (proxy_run), and sent on as it was or redacted
 *   response headers     proxy_flow_head; headers that do not come down are removed
 *   response body        proxy_flow_take; what is released leaves in responses
 *   trailers             the end of a body without one; all trailers are removed
 *
 * Whatever is refused, blocked as a whole or fails is an immediate response, with which Envoy replaces the answer, or breaks the
 * client's connection off once the answer's head has left. A call is never finished with GRPC_OK before its end, because Envoy
 * would let the rest pass.
 *
 * BODY_STREAMED: one response for each message; the last waits for what is held. BODY_BUFFERED: likewise with one message.
 * BODY_FULL_DUPLEX: responses are independent of messages, and the head of the answer waits for its first text, so that a block
 * before it is an answer of its own. Other modes are refused: what is not sent here cannot be judged.
 *
 * Everything runs in the reactor's thread but the judging of long requests. */
#ifndef FILTERD_ENVOY_PROCESSING_H
#define FILTERD_ENVOY_PROCESSING_H

#include "envoy/link.h"
#include "service/request.h"

struct processing_options {
    struct service *service;
    const struct listener *listener;
    struct reactor *reactor;
    struct link *link;
    struct grpc_call *call;
    unsigned caller;      /* of request_source */
    const char *upstream; /* its name; copied */
};

/* NULL: LIMIT or NO_MEMORY. It frees itself some time after processing_closed. */
void *processing_new(const struct processing_options *options, struct error *err);

/* The callbacks of grpc.h. */
bool processing_received(void *state, struct span message);
void processing_ended(void *state);
void processing_drained(void *state);
void processing_closed(void *state);

#endif
