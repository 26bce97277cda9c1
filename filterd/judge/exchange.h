/* exchange.h - one output of an agent under judgement, and everything learned about it.
 *
 * Filled by the caller: policy, who, now, id, channels' in-part. Filled by the pipeline: all else. A
 * zeroed exchange blocks. All memory is the worker's arena or borrowed from the request; it is
 * valid until the worker's next exchange. */
#ifndef FILTERD_JUDGE_EXCHANGE_H
#define FILTERD_JUDGE_EXCHANGE_H

#include "budget/spending.h"
#include "judge/supervision.h"
#include "mask/restore.h"
#include "policy/policy.h"
#include "policy/text_role.h"
#include "view/view.h"

struct finding;

/* One string that a reader would see or a tool would run. */
struct channel {
    /* in */
    struct span path; /* JSON pointer (RFC 6901) in the exchange; empty for a plain text */
    struct span text; /* as sent, JSON escapes undone */
    struct span key;  /* the member name that holds it: context for rules, never delivered; may be empty */
    bool is_member_name; /* cannot be redacted without changing the shape: a redaction here blocks */
    bool is_parts; /* of parts that are channels, too: only what they say when they are joined is a finding */
    bool has_tokens_alone; /* of texts that were judged: only tokens are findings */
    uint32_t message; /* parts of one message, which its readers join, have the same number here; 0: none */
    bool joint_is_known; /* what goes on from the part before into this one was judged with an earlier request */
    bool goes_on; /* the first part of a message: it goes on where the message of the number before ends */
    uint32_t column; /* short texts at one place of a document, in arrays, which readers may join, likewise */
    enum text_role role; /* of a request's text; answers have none */
    const struct finding *known; /* what was found in this text by these rules before, instead of a search; NULL: it is judged */
    size_t n_known;
    /* out */
    struct span output; /* what may be delivered; the same pointer as text when nothing changed */
    size_t judged;      /* bytes of text that were judged */
    bool has_pseudonyms; /* of the exchange's masking: what was found in them is no finding */
    bool is_clear;       /* nothing at all was found in what redaction made of the text */
    bool is_cut;         /* something is found in it that goes on in another text */
};

/* Texts that were looked through before. */
struct settled_texts {
    /* Whether in the output of the channel, made by a redaction, nothing was found to act on. */
    bool (*is_settled)(void *context, const struct channel *c);
    void *context;
};

struct redacted_places; /* enforce/redact.h */

/* What of a redacted text is searched again, for one that is judged in parts as it is. */
struct redacted_near {
    /* Appends what is near the places in the output of the channel. Where nothing in that might be a finding, nothing is in the output;
     * else all of it is searched, as where nothing is appended. */
    bool (*append)(void *context, const struct channel *c, const struct redacted_places *places, struct buf *out, struct error *err);
    void *context;
};

enum finding_source { FINDING_RULE, FINDING_CLASSIFIER, FINDING_SUPERVISOR, FINDING_SYSTEM_PROMPT };

struct finding {
    enum finding_source source;
    const struct rule *rule;
    uint32_t channel;
    enum text_role role; /* of the channel */
    size_t from, to; /* bytes in the channel's text as sent, half-open */
    size_t match_from;     /* where the whole match begins, with the words before the value */
    enum view_kind view;
    const char *transform; /* static: how the view was made, "raw" for none */
    double confidence;
    enum action action;    /* what the policy says to this finding */
    const struct policy_action *because; /* the entry that said so; NULL when none did */
    bool is_shadow;        /* recorded, not acted on */
    bool is_excepted;      /* an exception of the policy covers it */
    struct span exception; /* its id, of one that reviewers made; empty: none */
    bool is_over_limit;    /* the match was longer or costlier than the rule's limits */
    uint32_t checks_passed;  /* bit per check of the rule */
    uint32_t contexts_found; /* bit per context of the rule */
    struct span value;       /* as it reads in its view; for tokens and exceptions, never shown or logged */
    struct span token;       /* of a stream, whose text is gone when it is recorded: that of the value; empty: none was made */
    const struct policy_budget *budget; /* that its value exceeds; NULL: none */
};

/* How the text was read to find it, as every output says it: "raw" for as it was sent. */
static inline const char *finding_view(const struct finding *f)
{
    return f->transform == NULL ? "raw" : f->transform;
}

enum stage { STAGE_VIEWS, STAGE_SCAN, STAGE_CONFIRM, STAGE_CLASSIFY, STAGE_DECIDE, STAGE_REDACT, STAGE_COUNT };
const char *stage_name(enum stage stage);

struct exchange_id {
    uint8_t bytes[16]; /* UUIDv7 */
};

/* When what happened to an exchange, for the spans of its trace: monotonic nanoseconds; 0: it did not happen. */
struct exchange_times {
    int64_t started_utc_ns;         /* the moment of started_ns */
    uint64_t started_ns, ended_ns;  /* the request's head, or the first step where it has none; the verdict */
    uint64_t received_ns;           /* the last byte of its body */
    uint64_t asked_ns, answered_ns; /* the upstream: the request was sent, the head of the answer came */
    uint64_t answer_ended_ns;       /* its last byte came */
    uint64_t delivered_ns;          /* the head of the answer was given to the client */
};

struct exchange {
    /* in */
    const struct snapshot *snapshot; /* held by the caller from start to finish */
    const struct policy *policy;
    struct identity who;
    struct exchange_id id;
    int64_t now_ns; /* UTC */
    struct channel *channels;
    size_t n_channels;
    const char *agent_state; /* static: of the agent's account; NULL: it has none */
    double violations;
    bool is_store_lost; /* the account is of this node alone: it had no contact with the fleet */
    struct masking *masking; /* of the conversation: what is found in a pseudonym that it issued is no finding; NULL: none */
    struct restore_counts restored; /* of what was delivered, set by the caller for the record */
    size_t left_out; /* bytes of an upstream's answer that do not go to the client though nothing was found in them */
    bool is_part; /* of a stream, which the supervisor is asked about as a whole */
    bool can_ask; /* the caller can ask the policy's supervisor, and judge again with its answer */
    const struct supervision *supervision; /* that answer; NULL: not asked yet. Set to one of "not asked" when the
                                              policy wants one and the caller cannot ask */
    const struct supervision_unit *units; /* of a stream that was asked about in parts: each question, in order */
    size_t n_units;
    struct span asked; /* the question that it answers; an answer to another question does not count. ptr NULL: the same */
    const struct system_prompt *system_prompt; /* of the request that this answers (disclosure/system_prompt.h); NULL: unknown */
    struct budgets *budgets;      /* where values are charged to the policy's budgets; NULL: nowhere */
    bool is_redacted;             /* the findings are of what redaction made of the text: their values are charged to none */
    bool is_request;              /* to a model, of a caller; else it is what an agent wrote */
    struct exchange_id answer;    /* of a request: the id of the answer to it; zero: there is none */
    const struct span *texts;     /* of a request: all of them; a pseudonym is in none */
    size_t n_texts;
    const struct originals *originals; /* of a stream: what it kept to be sealed (originals.h); NULL: nothing */
    const struct settled_texts *settled; /* asked before a redacted text is searched again; NULL: none is known */
    const struct redacted_near *near; /* NULL: all of a redacted text is searched again */
    const struct exchange_times *times; /* for the record, where a span is recorded; NULL: none */
    /* out */
    bool is_asking; /* no verdict yet, action is block: the supervisor is to be asked about `question` */
    struct span question; /* the text, as the rules would deliver it: redacted, channels joined by newlines */
    enum action action;
    struct span rule;   /* id of the deciding rule; "filterd.unjudged" when it could not be judged; empty: none */
    struct span notice; /* what to show instead, when action is block */
    const struct finding *findings; /* in order of channel, from, to, rule */
    size_t n_findings;
    bool has_findings_in_names; /* in member names that are not among the channels; those among them need no mark */
    size_t bytes, judged; /* over all channels */
    size_t known;         /* bytes of a request that were judged with an earlier one; of the channels only those that are known */
    const char *unjudged_reason; /* static text; NULL when all was judged */
    struct spending *spending;   /* made by the pipeline, or of the stream it is part of; NULL: the policy has no budgets */
    bool is_unclassified;        /* the policy has rules of classifiers, which took no part: a stream whose policy has `hold: none` */
    const struct sealed_note *sealed; /* of the original, set by the caller; NULL: nothing was to be sealed */
    uint64_t stage_ns[STAGE_COUNT];
};

/* The place of the first finding of that channel, or of the one behind its findings. */
static inline size_t exchange_findings_of(const struct exchange *x, size_t channel)
{
    size_t from = 0, to = x->n_findings;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (x->findings[middle].channel < channel) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

#endif
