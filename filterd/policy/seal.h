/* seal.h - what of a text is kept for reviewers when it is withheld, sealed to their keys (seal/sealed.h): a policy's key
 * `seal`. Without it nothing is kept. */
#ifndef FILTERD_POLICY_SEAL_H
#define FILTERD_POLICY_SEAL_H

#include "policy/policy.h"
#include "seal/blobs.h"
#include "seal/recipients.h"
#include "seal/sealed.h"

enum { SEAL_GROUPS_MAX = 8, SEAL_CONTEXT_MAX = 4096 };

/* How much of it: around each finding that is acted on, the channels that have one, or all channels. */
enum seal_what { SEAL_SPAN, SEAL_CHANNEL, SEAL_EXCHANGE };
/* What follows when it cannot be sealed: the answer is blocked as unjudged, or its verdict stands. */
enum seal_failure { SEAL_FAILURE_BLOCK, SEAL_FAILURE_CONTINUE };

/* Holds for an exchange with one of these verdicts that meets the condition, if it is in the sample. */
struct seal_trigger {
    struct policy_condition when;
    unsigned actions; /* bit per action */
    double sample;    /* share of those exchanges, 0 to 1: of which the draw (judge/originals.h) is below it */
};

struct seal_groups {
    struct span_list names;
    const struct recipient_group *groups; /* names.n of them */
    const struct age_recipient *all;      /* of all groups together, each once */
    size_t n_all;
};

struct policy_seal {
    const struct seal_trigger *when;
    size_t n_when;
    enum seal_what what;
    uint32_t context; /* bytes on either side, of SEAL_SPAN */
    struct seal_groups to, also;
    int64_t keep_ns;
    enum seal_failure on_failure;
    struct span digest; /* "sha256:…": of the files of all groups, in order */
};

const char *seal_what_name(enum seal_what what);

/* What the record says of an original. Texts are borrowed from the policy; a failed one has no other member. */
struct sealed_note {
    bool has_failed;
    bool is_partial; /* of a stream, of which only this was left */
    char blob[BLOB_ID + 1];
    char sha256[DIGEST_SHA256_HEX + 1]; /* of the file */
    uint64_t bytes;                     /* of the file */
    char kek[SHRED_ID + 1];
    int64_t expires_ns; /* UTC */
    const struct policy_seal *seal;
};

#endif
