/* sessions.h - sessions of the review page: a bounded table in memory.
 *
 * An id is 32 random bytes as base64url; the table has its SHA-256. A session expires SESSION_IDLE_S after its last use and
 * SESSION_LIFE_S after it was opened or extended, and ends with the service. It has the hash of its token, which the caller must
 * look up for each request, so that removing a token ends its sessions. A token has at most SESSIONS_OF_ONE sessions; a new one
 * replaces the oldest. The table also counts failed attempts by address. Times are monotonic milliseconds. Any thread. */
#ifndef FILTERD_SIGNIN_SESSIONS_H
#define FILTERD_SIGNIN_SESSIONS_H

#include "http/tokens.h"

enum {
    SESSIONS_MAX = 4096,
    SESSIONS_OF_ONE = 16,
    SESSION_IDLE_S = 30 * 60,
    SESSION_LIFE_S = 8 * 60 * 60,
    SESSION_ID_TEXT = 43,
    SESSION_KEY = 32,
    SESSION_ATTEMPTS = 10, /* failed attempts per address within SESSION_ATTEMPTS_S */
    SESSION_ATTEMPTS_S = 60,
};

struct sessions;

/* NULL on failure. */
struct sessions *sessions_new(struct error *err);
void sessions_free(struct sessions *s); /* accepts NULL */

struct session {
    uint8_t owner[TOKEN_HASH];
    uint8_t key[SESSION_KEY]; /* of its form tokens */
    uint64_t ends_ms;
    bool is_secure; /* its cookie is sent only over TLS */
};

/* Opens a session with a new id. LIMIT: the table is full with sessions of other tokens. */
MUST_CHECK bool sessions_open(struct sessions *s, const uint8_t owner[TOKEN_HASH], bool is_secure, uint64_t now_ms,
                              char id[SESSION_ID_TEXT + 1], struct error *err);
/* Counts as use. A session with a secure cookie is found only by a secure cookie, and vice versa. */
bool sessions_find(struct sessions *s, struct span id, bool is_secure, uint64_t now_ms, struct session *out);
/* Another SESSION_LIFE_S from now. */
bool sessions_extend(struct sessions *s, struct span id, uint64_t now_ms);
void sessions_close(struct sessions *s, struct span id);

/* A key of form tokens for a caller without a session, derived from their name. */
MUST_CHECK bool sessions_key(const struct sessions *s, struct span name, uint8_t key[SESSION_KEY], struct error *err);

/* False: too many attempts from that address have failed. Addresses may share a counter. */
bool sessions_may_try(struct sessions *s, struct span address, uint64_t now_ms);
void sessions_count_failure(struct sessions *s, struct span address, uint64_t now_ms);

#endif
