/* litellm_request.h - parses a request of LiteLLM's generic guardrail into channels.
 *
 * New versions of LiteLLM add members, so unknown members are ignored;
 * null is the same as absent. filterd judges
 *   - texts, which the answer may rewrite: channels /texts/0, /texts/1, …, first and in order;
 *   - tool_calls, whose arguments are parsed as a JSON document if they are one;
 *   - structured_messages: of a request what the texts do not say already; of an answer only when there are no texts;
 *   - tools of a request, the definitions that go to the model.
 * Images are not judged. A fault never quotes the input. Memory is the
 * arena's or borrowed from the body. */
#ifndef FILTERD_HTTP_LITELLM_REQUEST_H
#define FILTERD_HTTP_LITELLM_REQUEST_H

#include "http/filter_request.h"

struct litellm_request {
    bool is_response;    /* output of a model, possibly partial; otherwise its input */
    struct identity who; /* tenant: the team; app: the key; session: the conversation */
    struct channel *channels;
    size_t n_texts, n_channels; /* the texts come first; all others cannot be rewritten */
    size_t bytes;               /* of all channels */
};

MUST_CHECK bool litellm_request_read(struct arena *a, struct span body, size_t text_max,
                                     struct litellm_request *out, struct filter_fault *fault);

#endif
