/* tokens.h - bearer tokens and their roles.
 *
 * Tokens are stored as SHA-256 and compared in constant time against every line, so that neither the
 * file nor the time of an answer reveals a token. Tokens are long random strings, for which a hash
 * without salt suffices. The file has one line per token:
 *     role:name:hash              # 64 hexadecimal digits; `filterd --hash-token` makes the line
 *     role:name:hash:tenant=NAME  # reviewer, approver, auditor or operator: sees what is that tenant's, and nothing else */
#ifndef FILTERD_HTTP_TOKENS_H
#define FILTERD_HTTP_TOKENS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/digest.h"

/* Bits, so that a route can admit several. */
enum role {
    ROLE_CALLER = 1,
    ROLE_PROXY = 2,
    ROLE_REVIEWER = 4,
    ROLE_OPERATOR = 8,
    ROLE_ADMIN = 16,
    ROLE_REPORTER = 32,
    ROLE_AUDITOR = 64,
    ROLE_APPROVER = 128,
};

enum { TOKEN_MIN = 16, TOKEN_MAX = 512, TOKEN_HASH = 32, TOKENS_MAX = 1024, TOKEN_NAME_MAX = 64, TOKEN_TENANT_MAX = 128 };

struct tokens;

/* NULL with "file:line: what was expected". */
struct tokens *tokens_parse(const char *file, struct span text, struct error *err);
struct tokens *tokens_load(const char *path, struct error *err);
void tokens_free(struct tokens *t);
size_t tokens_count(const struct tokens *t);

void token_hash(struct span token, uint8_t hash[TOKEN_HASH]);
/* The role of the token with that hash; 0 when there is none. */
unsigned tokens_role(const struct tokens *t, const uint8_t hash[TOKEN_HASH]);
/* "reviewer"; the least one of several, "" of none. */
const char *role_name(unsigned role);
/* 0: there is no role of that name. */
unsigned role_find(struct span name);
/* Its name; "" when there is none. It lives as long as the tokens. */
const char *tokens_name(const struct tokens *t, const uint8_t hash[TOKEN_HASH]);
/* The tenant that it is limited to; "" when it is not, and when there is none. Likewise. */
const char *tokens_tenant(const struct tokens *t, const uint8_t hash[TOKEN_HASH]);
/* SHA-256 of the file, in hexadecimal; "" without tokens. */
const char *tokens_digest(const struct tokens *t);

/* Appends the file's line for a new token. */
MUST_CHECK bool token_write_line(struct span role, struct span name, struct span token,
                                 struct buf *out, struct error *err);

#endif
