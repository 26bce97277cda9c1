/* presidio_operator.h - the operators of Presidio's anonymizer on one value: replace, redact, mask, hash, encrypt, keep, decrypt,
 * deanonymize_keep.
 *
 * Hashes are SHA-256 or SHA-512 of the value and a salt, random when none is given; encryption is AES-CBC with a random
 * initialization vector in front, in base64url, as Presidio's own. Both by GnuTLS. Memory is the arena's. Any thread. */
#ifndef FILTERD_CONTRACTS_PRESIDIO_OPERATOR_H
#define FILTERD_CONTRACTS_PRESIDIO_OPERATOR_H

#include "contracts/shape.h"

struct presidio_operator {
    const struct presidio_operator_type *type;
    struct json_value config; /* its object; raw.ptr NULL: none, all parameters have their defaults */
};

/* Finds the operator that `config` names, among those of the direction. False: *fault has Presidio's status and sentence. */
MUST_CHECK bool presidio_operator_read(const struct contract_call *call, struct json_value config, bool is_reverse,
                                       struct presidio_operator *out, struct filter_fault *fault);
/* For an entity without a configuration. */
struct presidio_operator presidio_operator_default(bool is_reverse);

const char *presidio_operator_name(const struct presidio_operator *op);

/* What replaces `value`, which the caller found as `entity`. */
MUST_CHECK bool presidio_operator_apply(const struct contract_call *call, const struct presidio_operator *op, struct span entity,
                                        struct span value, struct span *out, struct filter_fault *fault);

#endif
