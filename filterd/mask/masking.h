/* masking.h - pseudonyms for the values of one conversation, and the way back.
 *
 * A masking maps values to pseudonyms, and pseudonyms to values. One value has one pseudonym: it is derived from the
 * conversation's key and the value, so that it is also the same after the mapping has expired and was made again. The pseudonym
 * shows the kind of its value, "[person-name-3f2a]", or keeps its form (enum masking_form).
 *
 * Invariants:
 *   - No pseudonym is the beginning of another, in any case of its letters, so that the first one that a text spells is the only
 *     one it can mean (restore.h).
 *   - A pseudonym does not occur in the texts that the caller names when it is issued: what a user wrote stays what it is.
 *   - Nothing is removed: a pseudonym is valid as long as the masking is.
 *
 * Values and pseudonyms are in locked pages, which are left out of core dumps and overwritten when the last reference is
 * released. Bounded in entries and bytes. Any thread, several at once.
 *
 *   m = masking_new(NULL, &masking_limits_default, &err)
 *   masking_pseudonym(m, &(struct masked_value){.kind = rule->id, .categories = 1U << rule->category,
 *                     .form = masking_form_of_rule(rule->id), .value = value}, texts, n_texts, &pseudonym, &err)
 *   ... the caller writes the pseudonym in place of the value; restore.h writes the value in place of the pseudonym ...
 *   masking_unref(m) */
#ifndef FILTERD_MASK_MASKING_H
#define FILTERD_MASK_MASKING_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum {
    MASKING_KEY = 32,
    MASKING_KIND_MAX = 40,      /* bytes of a kind that a pseudonym shows */
    MASKING_PSEUDONYM_MAX = 96, /* bytes of a pseudonym */
    MASKING_VALUE_MAX = 65536,  /* bytes of a value */
};

/* What a pseudonym looks like. A value whose form cannot be kept gets a label. */
enum masking_form {
    MASKING_LABEL, /* "[kind-3f2a]" */
    MASKING_CARD,  /* digits of the same grouping: a test number of Visa's, with a valid check digit */
    MASKING_PHONE, /* in the range for fiction of the number's country */
    MASKING_EMAIL, /* "email-3f2a@example.com" */
    MASKING_IBAN,  /* of the same country, grouping and classes of characters, bank code zero, valid check digits */
};

/* The form for findings of a rule: by its id, LABEL for most. */
enum masking_form masking_form_of_rule(struct span rule_id);

struct masked_value {
    struct span kind;  /* a rule's id; only its letters, digits and hyphens are shown */
    unsigned categories; /* a bit for each that it was found as; restore.h withholds a value by any of them, at any use */
    enum masking_form form;
    struct span value; /* at most MASKING_VALUE_MAX bytes, not empty */
};

/* What several maskings may hold together. */
struct masking_budget {
    _Atomic uint64_t used;
    uint64_t max; /* bytes */
};

struct masking_limits {
    size_t entries; /* values */
    size_t bytes;   /* of memory, over all of them */
    struct masking_budget *budget; /* outlives the maskings; NULL: none */
};
extern const struct masking_limits masking_limits_default; /* 4,096 values, 4 MiB */

struct masking;

/* Without key: a random one. NULL with NO_MEMORY or INTERNAL. One reference, the caller's. */
struct masking *masking_new(const uint8_t key[MASKING_KEY], const struct masking_limits *limits, struct error *err);
struct masking *masking_ref(struct masking *m);
/* Accepts NULL. The last one wipes and frees. */
void masking_unref(struct masking *m);

/* The pseudonym of a value; issued if the value has none yet. `texts` are all texts in which it must not occur by chance: those
 * of the request. *out lives as long as the masking. LIMIT when the masking is full or the value is too long: the caller must
 * then block, as the value has no pseudonym. */
MUST_CHECK bool masking_pseudonym(struct masking *m, const struct masked_value *v, const struct span *texts, size_t n_texts,
                                  struct span *out, struct error *err);

/* Whether the text is exactly an issued pseudonym, in any case. */
bool masking_find_pseudonym(struct masking *m, struct span text);
/* Whether [from, to) of the text is inside an issued pseudonym there, or is one: what is found in it is no finding. */
bool masking_covers(struct masking *m, struct span text, size_t from, size_t to);

/* Whether more than one reference is held. */
bool masking_is_shared(const struct masking *m);
/* Of this one alone, as long as the process lives; never 0. */
uint64_t masking_number(const struct masking *m);
/* How many pseudonyms were issued. */
size_t masking_count(struct masking *m);

#endif
