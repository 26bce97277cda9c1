/* sessions.h - who is signed in to the review page: a bounded table in memory.
 *
 * An id is 32 random bytes as base64url; the table has its SHA-256. A session ends SESSION_IDLE_S after it was last used and
 * SESSION_LIFE_S after it was opened or extended, with the service, and when its token is taken away: it has the token's hash, and
 * who asks looks the token up each time. Of one token the oldest gives way to a new one beyond SESSIONS_OF_ONE. Beside it,
 * failed attempts are counted by address. Times are monotonic milliseconds. Any thread. */
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
    SESSION_ATTEMPTS = 10, /* failed ones from an address within SESSION_ATTEMPTS_S */
    SESSION_ATTEMPTS_S = 60,
};

struct sessions;

/* NULL on failure. */
struct sessions *sessions_new(struct error *err);
void sessions_free(struct sessions *s); /* accepts NULL */

struct session {
    uint8_t owner[TOKEN_HASH];
    uint8_t key[SESSION_KEY]; /* of the tokens of its forms */
    uint64_t ends_ms;
    bool is_secure; /* its cookie goes over TLS alone */
};

/* A new one, whose id nobody has had. LIMIT: the table is full of others' sessions. */
MUST_CHECK bool sessions_open(struct sessions *s, const uint8_t owner[TOKEN_HASH], bool is_secure, uint64_t now_ms,
                              char id[SESSION_ID_TEXT + 1], struct error *err);
/* Counts as use. A session whose cookie is secure is found by a secure cookie alone, and the other way round. */
bool sessions_find(struct sessions *s, struct span id, bool is_secure, uint64_t now_ms, struct session *out);
/* Another SESSION_LIFE_S from now. */
bool sessions_extend(struct sessions *s, struct span id, uint64_t now_ms);
void sessions_close(struct sessions *s, struct span id);

/* A key for forms of a caller without a session, by a name for them. */
MUST_CHECK bool sessions_key(const struct sessions *s, struct span name, uint8_t key[SESSION_KEY], struct error *err);

/* False: too many attempts from that address have failed. Addresses may share a counter. */
bool sessions_may_try(struct sessions *s, struct span address, uint64_t now_ms);
void sessions_count_failure(struct sessions *s, struct span address, uint64_t now_ms);

#endif
