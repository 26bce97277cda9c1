/* sessions.h - sessions of the review page: a bounded table in memory.
 *
 * An id is 32 random bytes as base64url; the table has its SHA-256. A session expires SESSION_IDLE_S after its last use,
 * SESSION_LIFE_S after it was opened or extended, and a limit after it was opened, and ends with the service. It has the hash of its token, which the caller must
 * look up for each request, so that removing a token ends its sessions. A token has at most SESSIONS_OF_ONE sessions; a new one
 * replaces the oldest. The table also counts failed attempts by address. Times are monotonic milliseconds. Any thread.
 *
 * A session has at most one challenge for a passkey: random, of use once, within SESSION_CHALLENGE_S, in this session alone. A
 * confirmed session is one in which a challenge was answered; the caller decides which sessions need that, and how recent. */
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
    SESSION_CHALLENGE = 32,
    SESSION_CHALLENGE_S = 5 * 60,
    SESSION_FRESH_S = 15 * 60,
};

struct sessions;

/* No session lives longer than limit_s, however often it is extended. NULL on failure. */
struct sessions *sessions_new(uint64_t limit_s, struct error *err);
void sessions_free(struct sessions *s); /* accepts NULL */

struct session {
    uint8_t owner[TOKEN_HASH];
    uint8_t key[SESSION_KEY]; /* of its form tokens */
    uint64_t ends_ms, opened_ms;
    int64_t passkey;       /* number of the one that confirmed it; 0: not confirmed */
    uint64_t confirmed_ms; /* the last time */
    bool is_secure; /* its cookie is sent only over TLS */
};

/* Opens a session with a new id. LIMIT: the table is full with sessions of other tokens. */
MUST_CHECK bool sessions_open(struct sessions *s, const uint8_t owner[TOKEN_HASH], bool is_secure, uint64_t now_ms,
                              char id[SESSION_ID_TEXT + 1], struct error *err);
/* Counts as use. A session with a secure cookie is found only by a secure cookie, and vice versa. */
bool sessions_find(struct sessions *s, struct span id, bool is_secure, uint64_t now_ms, struct session *out);
/* Another SESSION_LIFE_S from now, or to the limit: *is_limited. False: it has ended. */
bool sessions_extend(struct sessions *s, struct span id, uint64_t now_ms, bool *is_limited);
void sessions_close(struct sessions *s, struct span id);

/* Makes a new challenge, which replaces one that was not answered. False: the session has ended. */
bool sessions_challenge(struct sessions *s, struct span id, uint64_t now_ms, uint8_t challenge[SESSION_CHALLENGE]);
/* Takes the challenge away, before the answer is verified. False: there is none, or it has expired. */
bool sessions_take_challenge(struct sessions *s, struct span id, uint64_t now_ms, uint8_t challenge[SESSION_CHALLENGE]);
/* The session is confirmed now, by the passkey of that number, under a new id, so that an id from before is useless. The first time it gets another key of form
 * tokens, too. False: it has ended. */
bool sessions_confirm(struct sessions *s, struct span id, int64_t passkey, uint64_t now_ms, char new_id[SESSION_ID_TEXT + 1]);

/* A passkey confirmed it within SESSION_FRESH_S; it was opened within SESSION_FRESH_S. Pure. */
bool session_is_fresh(const struct session *s, uint64_t now_ms);
bool session_is_new(const struct session *s, uint64_t now_ms);

/* A key of form tokens for a caller without a session, derived from their name. */
MUST_CHECK bool sessions_key(const struct sessions *s, struct span name, uint8_t key[SESSION_KEY], struct error *err);

/* False: too many attempts from that address have failed. Addresses may share a counter. */
bool sessions_may_try(struct sessions *s, struct span address, uint64_t now_ms);
void sessions_count_failure(struct sessions *s, struct span address, uint64_t now_ms);

#endif
