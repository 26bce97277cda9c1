/* supervision.h - what a supervisor made of an exchange's text, or why it made nothing of it.
 *
 * The interface between those who ask (filterd/http, supervisor-llm) and the pipeline. A zeroed
 * supervision is one that was never asked for: a failure like the others. Holds no text of the
 * exchange but `reason`, which a model wrote: it is shown to the caller on request, and never
 * recorded or logged. */
#ifndef FILTERD_JUDGE_SUPERVISION_H
#define FILTERD_JUDGE_SUPERVISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum supervision_outcome {
    SUPERVISION_NOT_ASKED,   /* there is no supervisor, or none on this route */
    SUPERVISION_TOO_LONG,    /* the text */
    SUPERVISION_OVERLOADED,  /* the queue was full, or no endpoint had room before the deadline */
    SUPERVISION_UNAVAILABLE, /* every endpoint's breaker was open */
    SUPERVISION_TIMEOUT,
    SUPERVISION_UNREACHABLE,
    SUPERVISION_BUSY,      /* 429 */
    SUPERVISION_REFUSED,   /* another status of 4xx */
    SUPERVISION_BROKEN,    /* 5xx, or the answer broke off */
    SUPERVISION_TOO_LARGE, /* the answer */
    SUPERVISION_MALFORMED, /* the answer is not what the protocol says */
    SUPERVISION_SHAPE,     /* the verdict is no JSON of the agreed shape */
    SUPERVISION_EVIDENCE,  /* what it quotes is not in the text */
    SUPERVISION_ECHO,      /* it repeated what it must never write: it was talked round */
    SUPERVISION_STOPPED,   /* filterd is stopping */
    SUPERVISION_ANSWERED,
    SUPERVISION_OUTCOME_COUNT
};

/* "timeout" and so on, for records and metrics. */
const char *supervision_outcome_name(enum supervision_outcome outcome);
/* A sentence's part for people: "the supervisor did not answer in time". Static. */
const char *supervision_outcome_reason(enum supervision_outcome outcome);

enum {
    SUPERVISION_EVIDENCE_MAX = 8,
    SUPERVISION_REASON_MAX = 200,
    SUPERVISION_NAME_MAX = 64,
    SUPERVISION_MODEL_MAX = 128,
    SUPERVISION_DIGEST = 71 /* "sha256:" and 64 digits */
};

/* Bytes of the text that was asked about, half-open. */
struct supervision_range {
    size_t from, to;
};

struct supervision {
    enum supervision_outcome outcome;
    /* of an answer */
    bool is_violation;
    unsigned category; /* enum supervisor_category; of a violation */
    double confidence;
    struct supervision_range evidence[SUPERVISION_EVIDENCE_MAX];
    size_t n_evidence; /* at least one of a violation */
    char reason[SUPERVISION_REASON_MAX + 1];
    /* of the last attempt; texts are NUL-terminated, empty when there was none */
    char endpoint[SUPERVISION_NAME_MAX + 1];
    char model[SUPERVISION_MODEL_MAX + 1];
    char prompt[SUPERVISION_DIGEST + 1]; /* digest of the prompt's texts */
    uint64_t latency_ns;                 /* from the question to its end */
    unsigned attempts;
    bool is_cached;
    uint32_t tokens_in, tokens_out; /* as the endpoint counts; 0: it did not say */
};

/* What came of one question about a part of a stream. */
enum { SUPERVISION_BESIDE = UINT32_MAX };
struct supervision_unit {
    uint32_t channel; /* of the exchange; BESIDE: a text that was judged beside the stream, as a tool call */
    size_t from, to;  /* bytes of what the rules released of the channel, half-open */
    bool is_rest;     /* everything that followed of all channels as well */
    enum supervision_outcome outcome;
    bool is_violation;
    unsigned category;
    double confidence;
    uint64_t latency_ns;
    bool is_cached;
};

#endif
