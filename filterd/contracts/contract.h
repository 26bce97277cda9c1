/* contract.h - requests of other products' guardrail APIs: one becomes an exchange, and its verdict an answer in their words.
 *
 * Clients of Presidio, OpenAI's moderations, LLM Guard and others change one URL and are judged by the same pipeline,
 * policy, record and ledger as callers of /v1/filter. docs/contracts.md has the table of paths, what each answer can say, and
 * what its clients do on an error. server/route_contract.c calls this module for each request:
 *
 *   read    the body becomes channels; nothing is judged yet
 *   write   the judged exchange becomes the answer
 *   refuse  an error becomes the body of the shape that the product's clients parse
 *
 * Bodies are read as the products read them: unknown members are ignored, except that a second member of the same name is
 * refused, because only one of both would be judged. A contract that cannot express a redaction blocks instead. A contract
 * that cannot express a block without a finding (the text could not be judged, the agent is stopped) answers with an error, so
 * that clients that fail closed stay closed.
 *
 * Memory is the arena's or borrowed from the body. No state; any thread. */
#ifndef FILTERD_CONTRACTS_CONTRACT_H
#define FILTERD_CONTRACTS_CONTRACT_H

#include "http/filter_request.h"
#include "http/writer.h"
#include "policy/names.h"

/* What a contract may read of a request. */
struct contract_call {
    struct arena *arena;
    struct span body;
    struct span parameter; /* part of the path that the route's braces match; empty: none */
    size_t text_max;       /* bound of the sum of all channels, in bytes */
    const struct names *names;
    struct span (*header)(const void *context, const char *name); /* empty when it is missing */
    const void *context;
};

/* The request as an exchange. */
struct contract_exchange {
    struct identity who; /* of the body; headers of the caller replace it */
    struct span policy;  /* name; empty: the tenant's */
    struct channel *channels;
    size_t n_channels;
    size_t bytes;         /* of all channels */
    size_t n_rest;        /* of these the last: a redaction in them cannot be expressed, and blocks */
    bool takes_no_change; /* nor can any */
    void *state;          /* of the contract */
};

struct contract {
    const char *path; /* of its route, see server/routes.c */
    bool (*read)(const struct contract_call *call, struct contract_exchange *out, struct filter_fault *fault);
    /* Returns the HTTP status. Also called with a zeroed exchange but for its policy and channels: it is blocked because its
     * record could not be written. */
    unsigned (*write)(struct writer *w, const struct contract_call *call, const struct contract_exchange *c,
                      const struct exchange *x);
    void (*refuse)(struct writer *w, const struct filter_fault *fault);
};

/* NULL when no contract has that path. */
const struct contract *contract_find(const char *path);

/* The findings of that channel and of those behind it, of which there are *n: with many channels, each must not look at all. */
const struct finding *contract_findings_from(const struct exchange *x, size_t channel, size_t *n);

/* Whether the exchange is blocked for another reason than its findings: unjudged, a stopped agent, no record. */
bool contract_is_blocked_without_finding(const struct exchange *x);

#endif
