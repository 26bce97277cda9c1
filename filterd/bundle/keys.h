/* keys.h - the keys that sign policy bundles, how many of them must, and how they change.
 *
 * A file of keys is text, a line for each member, in this order:
 *
 *     example.com/policy                  the name of the series of bundles
 *     generation 3                        one more than that of the keys before
 *     threshold 2                         signatures that a bundle needs, of different keys
 *     key <vkey>                          one for each key (record/note.h), Ed25519
 *
 * The next generation comes as a signed note of such a text, signed by the threshold of the keys before and of its own (TUF's rule
 * for root keys), so that a node which knows one generation learns the next. Pure. Any thread. */
#ifndef FILTERD_BUNDLE_KEYS_H
#define FILTERD_BUNDLE_KEYS_H

#include "record/note.h"

enum { POLICY_BUNDLE_KEYS_MAX = 32, POLICY_BUNDLE_KEYS_TEXT_MAX = 16 * 1024 };

struct policy_bundle_keys {
    char name[NOTE_NAME_MAX + 1];
    uint64_t generation;
    unsigned threshold;
    size_t n;
    struct note_key keys[POLICY_BUNDLE_KEYS_MAX]; /* each once */
};

/* MALFORMED and INVALID name the line and what was expected there. */
MUST_CHECK bool policy_bundle_keys_parse(struct span text, struct policy_bundle_keys *out, struct error *err);
/* The note has signatures of the threshold of keys. DENIED: too few. INVALID: one is bad, whatever the rest. */
MUST_CHECK bool policy_bundle_keys_verify(const struct policy_bundle_keys *keys, const struct note *note, struct error *err);
/* Replaces the keys by those of the note, which are the next generation of the same name. On failure they stay. */
MUST_CHECK bool policy_bundle_keys_follow(struct policy_bundle_keys *keys, const struct note *note, struct error *err);

#endif
