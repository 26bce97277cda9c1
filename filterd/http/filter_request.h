/* filter_request.h - parses a request of /v1/filter, strictly and in place.
 *
 * {"text" | "messages" | "document": …, "policy", "tenant", "app", "agent", "session", "user",
 * "explain", "context", "direction", "restore"}.
 * Unknown members, duplicates and wrong types are faults with a JSON pointer. A fault never quotes
 * the input, because an unknown member's name may be a secret; only a name that cannot be one is shown (fault.h).
 * Memory is the arena's or borrowed from the body. */
#ifndef FILTERD_HTTP_FILTER_REQUEST_H
#define FILTERD_HTTP_FILTER_REQUEST_H

#include "disclosure/system_prompt.h"
#include "mask/conversations.h"
#include "pipeline/document.h"

enum filter_kind { FILTER_TEXT, FILTER_MESSAGES, FILTER_DOCUMENT };
/* "text", "messages", "document": the member's name in the request and in the answer. */
const char *filter_kind_name(enum filter_kind kind);

enum { FILTER_NAME_MAX = 256 };

/* The member "context": {"system", "user"}, what the judged text answers. */
struct request_context {
    struct span prompt; /* the system prompt; empty: unknown */
    struct span user;   /* what the user wrote */
};

struct filter_request {
    enum filter_kind kind;
    struct request_context context;
    struct span policy; /* name; empty: the tenant's */
    struct identity who;
    bool explain;
    bool is_request;     /* the text goes to a model, and is masked; otherwise it is a model's answer */
    struct span restore; /* the handle of a conversation; ptr is NULL: none */
    char handle[CONVERSATION_HANDLE_TEXT + 1]; /* set by the caller, for the answer; empty: none */
    struct channel text;      /* TEXT */
    struct span quoted;       /* TEXT: verbatim from the body, including quotes; empty: plain */
    struct document document; /* MESSAGES, DOCUMENT */
    struct channel *channels; /* of either */
    size_t n_channels;
    size_t bytes; /* of all channels */
};

/* Why a request is refused: an HTTP status, a sentence, the place in the body. */
struct filter_fault {
    unsigned status;
    char detail[200];
    char pointer[40]; /* JSON pointer; empty: the whole body */
    unsigned retry_s; /* of 429: for Retry-After */
};

/* Of a struct request_context, for tables of members. */
struct member_type;
extern const struct member_type member_context;

/* What an exchange under the policy is to be searched for; NULL: nothing. The caller's reference. False: the context is too
 * large, or memory is out. */
MUST_CHECK bool context_system_prompt(const struct request_context *context, const struct policy *policy,
                                      struct system_prompt **out, struct filter_fault *fault);

/* Parses one value of application/json. text_max bounds the sum of all channels. */
MUST_CHECK bool filter_request_read(struct arena *a, struct span body, size_t text_max,
                                    struct filter_request *out, struct filter_fault *fault);
/* text/plain: the body is the text. filter_request_set sets the other members. */
MUST_CHECK bool filter_request_plain(struct span body, size_t text_max, struct filter_request *out,
                                     struct filter_fault *fault);
/* Sets one query parameter; a second one of the same name is a fault. `seen` starts as 0. */
MUST_CHECK bool filter_request_set(struct filter_request *q, struct span name, struct span value,
                                   unsigned *seen, struct filter_fault *fault);

#endif
