/* litellm_request.h - what LiteLLM's generic guardrail posts, as channels.
 *
 * LiteLLM adds members from one version to the next, so members that are not known are passed over;
 * null is the same as absent. Judged are
 *   - texts, which the answer may rewrite: channels /texts/0, /texts/1, …, first and in order;
 *   - tool_calls, whose arguments are read as the JSON document that they hold when they hold one;
 *   - structured_messages only when there are no texts: they say the same once more.
 * Images and the definitions of tools are not judged. A fault never quotes the input. Memory is the
 * arena's or borrowed from the body. */
#ifndef FILTERD_HTTP_LITELLM_REQUEST_H
#define FILTERD_HTTP_LITELLM_REQUEST_H

#include "http/filter_request.h"

struct litellm_request {
    bool is_response;    /* what a model wrote, perhaps a part of it; else what it was asked */
    struct identity who; /* tenant: the team; app: the key; session: the conversation */
    struct channel *channels;
    size_t n_texts, n_channels; /* the texts come first; all others cannot be rewritten */
    size_t bytes;               /* of all channels */
};

MUST_CHECK bool litellm_request_read(struct arena *a, struct span body, size_t text_max,
                                     struct litellm_request *out, struct filter_fault *fault);

#endif
