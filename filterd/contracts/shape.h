/* shape.h - parses bodies of contracts: members by name, and texts as channels.
 *
 * All functions need text that json_validate has accepted, which shape_root does. False: *fault says why, without
 * quoting the input. Memory is the arena's or borrowed from the body. */
#ifndef FILTERD_CONTRACTS_SHAPE_H
#define FILTERD_CONTRACTS_SHAPE_H

#include "base/json.h"
#include "contracts/contract.h"

/* What may stand where a value is expected; bits, so that several kinds may. */
enum shape {
    SHAPE_STRING = 1 << JSON_KIND_STRING,
    SHAPE_ARRAY = 1 << JSON_KIND_ARRAY,
    SHAPE_OBJECT = 1 << JSON_KIND_OBJECT,
    SHAPE_NUMBER = 1 << JSON_KIND_NUMBER,
    SHAPE_FLAG = 1 << JSON_KIND_TRUE | 1 << JSON_KIND_FALSE,
    SHAPE_ANY = 0xff,
};

/* A member of an object. `raw.ptr` of the value is NULL when it is absent or null. */
struct shape_member {
    const char *name;
    unsigned kinds;
    bool is_required;
    struct json_value *value;
};

/* The body, which must be one object. */
MUST_CHECK bool shape_root(const struct contract_call *call, struct json_value *root, struct filter_fault *fault);

/* Reads the members of `object` that the table names; a row without a name ends it. Others are ignored, duplicates of one
 * refused. `pointer` is the object's place, for faults. */
MUST_CHECK bool shape_read(const struct contract_call *call, struct json_value object, const char *pointer,
                           const struct shape_member *members, struct filter_fault *fault);

/* A whole number of at most nine digits: no sign, fraction or exponent. False for any other value. */
bool shape_count(struct json_value number, size_t *out);

/* The decoded string; empty for an absent one. */
MUST_CHECK bool shape_text(const struct contract_call *call, struct json_value string, struct span *out,
                           struct filter_fault *fault);

/* The elements of an array; each must be of `kinds`. */
MUST_CHECK bool shape_items(const struct contract_call *call, struct json_value array, const char *pointer, unsigned kinds,
                            struct json_value **items, size_t *n, struct filter_fault *fault);

/* 413 when the array has more than `max` elements, which `what` names; nothing is allocated. Where each has an answer of its own,
 * the request would otherwise decide how long the answer is. */
MUST_CHECK bool shape_at_most(struct json_value array, const char *pointer, size_t max, const char *what, struct filter_fault *fault);

/* Channels for `strings`, with the paths PREFIX or, of several, PREFIX/0, PREFIX/1, ... */
MUST_CHECK bool shape_channels(const struct contract_call *call, const struct json_value *strings, size_t n, const char *prefix,
                               bool is_list, struct contract_exchange *out, struct filter_fault *fault);

/* What a value says beside `known`, strings in it in their order: channels behind those of `out`, without a place in the answer. */
MUST_CHECK bool shape_rest(const struct contract_call *call, struct json_value value, const char *prefix, const struct json_value *known,
                           size_t n_known, struct contract_exchange *out, struct filter_fault *fault);

/* The string leaves of a value as channels, so that the answer can repeat the value with what may be delivered. */
MUST_CHECK bool shape_document(const struct contract_call *call, struct json_value value, const char *prefix,
                               struct document *document, struct contract_exchange *out, struct filter_fault *fault);

#endif
