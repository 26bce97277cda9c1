#include "bundle/keys.h"

#include <inttypes.h>
#include <stdio.h>

#include "bundle/lines.h"

static bool take_head(struct lines *l, struct policy_bundle_keys *k, struct error *err)
{
    struct span name, generation, threshold;
    uint64_t n;

    if (!lines_take(l, "", &name) || !note_name_is_valid(name)) {
        return lines_expected(l, "the name of the bundles", err);
    }
    (void)snprintf(k->name, sizeof(k->name), SPAN_FMT, SPAN_ARG(name));
    if (!lines_take(l, "generation ", &generation) || !note_read_number(generation, &k->generation) || k->generation == 0) {
        return lines_expected(l, "generation and a number from 1", err);
    }
    if (!lines_take(l, "threshold ", &threshold) || !note_read_number(threshold, &n) || n == 0 || n > POLICY_BUNDLE_KEYS_MAX) {
        return lines_expected(l, "threshold and a number from 1", err);
    }
    k->threshold = (unsigned)n;
    return true;
}

static bool take_key(struct lines *l, struct policy_bundle_keys *k, struct error *err)
{
    struct note_key *key = &k->keys[k->n];
    struct span vkey;

    if (!lines_take(l, "key ", &vkey)) {
        return lines_expected(l, "key and a vkey", err);
    }
    if (k->n == POLICY_BUNDLE_KEYS_MAX) {
        return error_set(err, ERROR_LIMIT, "line %u: at most %d keys expected", l->number, POLICY_BUNDLE_KEYS_MAX);
    }
    if (!note_key_parse(vkey, key, err) || key->type != NOTE_ED25519) {
        return lines_expected(l, "the vkey of an Ed25519 key", err);
    }
    for (size_t i = 0; i < k->n; i++) {
        bool is_alike = strcmp(k->keys[i].name, key->name) == 0 && memcmp(k->keys[i].id, key->id, NOTE_KEY_ID) == 0;
        if (is_alike || note_key_same(&k->keys[i], key)) {
            return error_set(err, ERROR_INVALID, "line %u: each key once expected", l->number);
        }
    }
    k->n++;
    return true;
}

bool policy_bundle_keys_parse(struct span text, struct policy_bundle_keys *out, struct error *err)
{
    struct lines l = {.rest = text};
    struct policy_bundle_keys k = {.n = 0};

    if (!take_head(&l, &k, err)) {
        return false;
    }
    while (l.rest.len > 0) {
        if (!take_key(&l, &k, err)) {
            return false;
        }
    }
    if (k.n < k.threshold) {
        return error_set(err, ERROR_INVALID, "line 3: a threshold of at most the %zu keys of the file expected", k.n);
    }
    *out = k;
    return true;
}

bool policy_bundle_keys_verify(const struct policy_bundle_keys *keys, const struct note *note, struct error *err)
{
    unsigned good = 0;

    for (size_t i = 0; i < keys->n; i++) {
        enum note_verdict verdict = note_verify(note, &keys->keys[i], NULL);
        if (verdict == NOTE_BAD) {
            return error_set(err, ERROR_INVALID, "the signature of key %zu of generation %" PRIu64 " is not of this text", i + 1,
                             keys->generation);
        }
        good += verdict == NOTE_GOOD;
    }
    return good >= keys->threshold || error_set(err, ERROR_DENIED,
                                                "signatures of %u keys of generation %" PRIu64 " expected; there are %u",
                                                keys->threshold, keys->generation, good);
}

bool policy_bundle_keys_follow(struct policy_bundle_keys *keys, const struct note *note, struct error *err)
{
    struct policy_bundle_keys next;

    if (!policy_bundle_keys_parse(note->text, &next, err)) {
        return false;
    }
    if (strcmp(next.name, keys->name) != 0 || next.generation != keys->generation + 1) {
        return error_set(err, ERROR_INVALID, "generation %" PRIu64 " of the keys of %s expected", keys->generation + 1, keys->name);
    }
    if (!policy_bundle_keys_verify(keys, note, err) || !policy_bundle_keys_verify(&next, note, err)) {
        return false;
    }
    *keys = next;
    return true;
}
