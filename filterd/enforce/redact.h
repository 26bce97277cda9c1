/* redact.h - a channel's text with the findings that call for it taken out.
 *
 * Overlapping spans merge into one; its label and operator are those of the finding that leads
 * (judge/decide.h). The result is a function of text, findings and keys alone, and redacting a
 * redacted text changes nothing: labels are no findings. */
#ifndef FILTERD_ENFORCE_REDACT_H
#define FILTERD_ENFORCE_REDACT_H

#include "base/arena.h"
#include "base/buf.h"
#include "judge/exchange.h"

/* 32 random bytes each, the operator's own. */
struct redaction_keys {
    uint8_t hash[32], encrypt[32];
};

/* Where a part of the text became something else. In order; they do not touch. */
struct redacted_place {
    size_t from, to;         /* in the channel's text */
    size_t out_from, out_to; /* in its output */
};

struct redacted_places {
    struct redacted_place *items;
    size_t n;
};

/* Sets channel->output for `channel` of the exchange: borrowed when nothing is redacted, else in the
 * arena. keys may be NULL: then the hash and encrypt operators fail. */
MUST_CHECK bool redact_channel(struct arena *a, const struct exchange *x, uint32_t channel,
                               const struct redaction_keys *keys, struct redacted_places *places, struct error *err);

/* What the label operator puts in place of a finding of the rule. */
MUST_CHECK bool redact_append_label(struct buf *out, const struct rule *rule, struct error *err);

/* The range of the text that [*from, *to) of the output comes from; a part of a label comes from all that
 * it stands for. */
void redacted_to_text(const struct redacted_places *places, size_t *from, size_t *to);

/* Where the byte at `at` of the text is in the output; of one that was taken out, where what stands for it ends. */
size_t redacted_to_output(const struct redacted_places *places, size_t at);

/* The text behind the output of the encrypt operator ("[rule:enc:…]", the part between the last colon and the
 * bracket); false when it is not ours or was changed. */
MUST_CHECK bool redact_decrypt(struct arena *a, const struct redaction_keys *keys, struct span token, struct span *text,
                               struct error *err);

#endif
