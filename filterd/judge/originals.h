/* originals.h - which parts of an exchange its policy wants sealed, and the parts that a stream keeps for that.
 *
 * A stream does not keep its texts, so it keeps what is wanted when it is found: each finding with what there still is of
 * the text around it. Parts are secrets (seal/secret.h): copies of text under judgement. One thread at a time. */
#ifndef FILTERD_JUDGE_ORIGINALS_H
#define FILTERD_JUDGE_ORIGINALS_H

#include "judge/exchange.h"
#include "policy/seal.h"
#include "seal/secret.h"

enum { ORIGINALS_MAX = 64, ORIGINALS_BYTES_MAX = 256 * 1024, ORIGINAL_PATH_MAX = 256 };

struct original {
    uint32_t channel; /* as in the record */
    size_t beside;    /* 1 and more: the how many-th finding beside the stream it is of; 0: it is in the stream */
    char path[ORIGINAL_PATH_MAX];
    size_t path_len;
    size_t from; /* bytes in the channel's text */
    struct secret text;
};

struct originals {
    struct original *items;
    size_t n, cap, bytes;
    bool is_cut; /* there were more than may be kept */
};

/* A stretch of a text that is to be sealed; borrowed. */
struct original_part {
    uint32_t channel;
    struct span path;
    size_t from;
    struct span text;
};

/* Whether the exchange is one whose original its policy wants. `draw` decides about samples: a number in [0, 1) that is
 * drawn for the exchange; 0 is in every sample. */
bool originals_are_wanted(const struct exchange *x, double draw);

/* Calls `take` for each part, in order of channel and place; no two overlap. For a stream those that it kept. Returns how
 * many. */
typedef void original_take_fn(void *context, const struct original_part *part);
size_t originals_each(const struct exchange *x, original_take_fn *take, void *context);

/* Keeps a copy of what the policy wants of a finding at [from, to) of `text`, which begins at `base` of the channel. A
 * finding that it wants nothing of, and one for which there is no room, keeps nothing. False when memory is out. */
MUST_CHECK bool originals_keep(struct originals *o, const struct policy_seal *seal, const struct finding *f,
                               const struct channel *c, uint32_t channel, size_t base, struct error *err);
/* The same of a whole text beside a stream, whose channel has no number yet. */
MUST_CHECK bool originals_keep_beside(struct originals *o, const struct policy_seal *seal, const struct finding *f,
                                      const struct channel *c, size_t beside, struct error *err);
/* Numbers the channels of those: the first is `first`. */
void originals_place(struct originals *o, size_t first);
void originals_deinit(struct originals *o);

#endif
