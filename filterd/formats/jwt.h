/* jwt.h - the structure of JSON Web Tokens (RFC 7519): JWS of three parts, JWE of five. */
#ifndef FILTERD_FORMATS_JWT_H
#define FILTERD_FORMATS_JWT_H

#include "base/span.h"

/* True when header and payload are base64url of JSON objects, the header names an algorithm, and
 * the signature is as long as that makes it. An unknown algorithm may sign with any length. */
bool jwt_is_token(struct span text);
/* True for a header by itself, in which nothing is secret: base64url of an object of "alg", "typ" or both. */
bool jwt_is_header(struct span text);

#endif
