#include "signin/sessions.h"

#include <pthread.h>
#include <sodium.h>

enum { ID_BYTES = 32, COUNTERS = 1024 };

struct entry {
    bool is_used;
    uint8_t id[TOKEN_HASH]; /* SHA-256 of its text */
    uint64_t used_ms;
    uint8_t challenge[SESSION_CHALLENGE];
    uint64_t challenge_ends_ms; /* 0: none */
    struct session session;
};

struct counter {
    uint64_t since_ms;
    unsigned failures;
};

struct sessions {
    pthread_mutex_t lock;
    uint8_t key[DIGEST_KEY]; /* of this process */
    uint64_t limit_ms;
    struct entry entries[SESSIONS_MAX];
    struct counter counters[COUNTERS];
};

struct sessions *sessions_new(uint64_t limit_s, struct error *err)
{
    struct sessions *s = calloc(1, sizeof(*s));

    _Static_assert(sodium_base64_ENCODED_LEN(ID_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == SESSION_ID_TEXT + 1,
                   "the text of an id");
    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "sessions: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&s->lock, NULL);
    randombytes_buf(s->key, sizeof(s->key));
    s->limit_ms = limit_s * 1000;
    return s;
}

void sessions_free(struct sessions *s)
{
    if (s != NULL) {
        (void)pthread_mutex_destroy(&s->lock);
        sodium_memzero(s, sizeof(*s));
        free(s);
    }
}

static bool is_alive(const struct entry *e, uint64_t now_ms)
{
    return e->is_used && now_ms < e->session.ends_ms && now_ms < e->used_ms + (uint64_t)SESSION_IDLE_S * 1000;
}

static void end(struct entry *e)
{
    sodium_memzero(e, sizeof(*e));
}

/* Examines all entries, so that the time reveals nothing. NULL: not found or expired. */
static struct entry *find(struct sessions *s, struct span id, uint64_t now_ms)
{
    uint8_t hash[TOKEN_HASH];
    struct entry *found = NULL;

    token_hash(id, hash);
    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        bool is_it = s->entries[i].is_used && sodium_memcmp(s->entries[i].id, hash, sizeof(hash)) == 0;
        found = is_it ? &s->entries[i] : found;
    }
    if (found != NULL && !is_alive(found, now_ms)) {
        end(found);
        found = NULL;
    }
    return found;
}

/* A free entry: of an expired session, or the oldest of an owner with too many. */
static struct entry *find_place(struct sessions *s, const uint8_t owner[TOKEN_HASH], uint64_t now_ms)
{
    struct entry *place = NULL, *oldest = NULL;
    size_t n = 0;

    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct entry *e = &s->entries[i];
        if (!is_alive(e, now_ms)) {
            place = place == NULL ? e : place;
        } else if (memcmp(e->session.owner, owner, TOKEN_HASH) == 0) {
            n++;
            oldest = oldest == NULL || e->session.opened_ms < oldest->session.opened_ms ? e : oldest;
        }
    }
    return n >= SESSIONS_OF_ONE || place == NULL ? oldest : place;
}

/* The end of a session that is opened or extended now. */
static uint64_t end_of(const struct sessions *s, uint64_t opened_ms, uint64_t now_ms)
{
    uint64_t end_ms = now_ms + (uint64_t)SESSION_LIFE_S * 1000, last_ms = opened_ms + s->limit_ms;

    return end_ms < last_ms ? end_ms : last_ms;
}

static void set_id(struct entry *e, char id[SESSION_ID_TEXT + 1])
{
    uint8_t bytes[ID_BYTES];

    randombytes_buf(bytes, sizeof(bytes));
    (void)sodium_bin2base64(id, SESSION_ID_TEXT + 1, bytes, sizeof(bytes), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    token_hash(span_of(id, SESSION_ID_TEXT), e->id);
}

bool sessions_open(struct sessions *s, const uint8_t owner[TOKEN_HASH], bool is_secure, uint64_t now_ms,
                   char id[SESSION_ID_TEXT + 1], struct error *err)
{
    (void)pthread_mutex_lock(&s->lock);
    struct entry *e = find_place(s, owner, now_ms);
    if (e != NULL) {
        *e = (struct entry){.is_used = true,
                            .used_ms = now_ms,
                            .session = {.ends_ms = end_of(s, now_ms, now_ms), .opened_ms = now_ms, .is_secure = is_secure}};
        memcpy(e->session.owner, owner, TOKEN_HASH);
        randombytes_buf(e->session.key, SESSION_KEY);
        set_id(e, id);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return e != NULL || error_set(err, ERROR_LIMIT, "sessions: at most %d expected", SESSIONS_MAX);
}

bool sessions_find(struct sessions *s, struct span id, bool is_secure, uint64_t now_ms, struct session *out)
{
    if (id.len != SESSION_ID_TEXT) {
        return false;
    }
    (void)pthread_mutex_lock(&s->lock);
    struct entry *e = find(s, id, now_ms);
    bool is_found = e != NULL && e->session.is_secure == is_secure;
    if (is_found) {
        e->used_ms = now_ms;
        *out = e->session;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return is_found;
}

bool sessions_extend(struct sessions *s, struct span id, uint64_t now_ms, bool *is_limited)
{
    (void)pthread_mutex_lock(&s->lock);
    struct entry *e = find(s, id, now_ms);
    if (e != NULL) {
        e->session.ends_ms = end_of(s, e->session.opened_ms, now_ms);
        *is_limited = e->session.ends_ms == e->session.opened_ms + s->limit_ms;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return e != NULL;
}

void sessions_close(struct sessions *s, struct span id)
{
    (void)pthread_mutex_lock(&s->lock);
    struct entry *e = find(s, id, 0);
    if (e != NULL) {
        end(e);
    }
    (void)pthread_mutex_unlock(&s->lock);
}

/* --- passkeys ------------------------------------------------------------------------ */

bool sessions_challenge(struct sessions *s, struct span id, uint64_t now_ms, uint8_t challenge[SESSION_CHALLENGE])
{
    (void)pthread_mutex_lock(&s->lock);
    struct entry *e = find(s, id, now_ms);
    if (e != NULL) {
        randombytes_buf(e->challenge, SESSION_CHALLENGE);
        e->challenge_ends_ms = now_ms + (uint64_t)SESSION_CHALLENGE_S * 1000;
        memcpy(challenge, e->challenge, SESSION_CHALLENGE);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return e != NULL;
}

bool sessions_take_challenge(struct sessions *s, struct span id, uint64_t now_ms, uint8_t challenge[SESSION_CHALLENGE])
{
    (void)pthread_mutex_lock(&s->lock);
    struct entry *e = find(s, id, now_ms);
    bool is_valid = e != NULL && now_ms < e->challenge_ends_ms;
    if (is_valid) {
        memcpy(challenge, e->challenge, SESSION_CHALLENGE);
    }
    if (e != NULL) {
        e->challenge_ends_ms = 0;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return is_valid;
}

bool sessions_confirm(struct sessions *s, struct span id, int64_t passkey, uint64_t now_ms, char new_id[SESSION_ID_TEXT + 1])
{
    (void)pthread_mutex_lock(&s->lock);
    struct entry *e = find(s, id, now_ms);
    if (e != NULL) {
        set_id(e, new_id);
        if (e->session.passkey == 0) {
            randombytes_buf(e->session.key, SESSION_KEY);
        }
        e->session.passkey = passkey;
        e->session.confirmed_ms = now_ms;
        e->used_ms = now_ms;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return e != NULL;
}

static bool is_recent(uint64_t since_ms, uint64_t now_ms)
{
    return now_ms < since_ms + (uint64_t)SESSION_FRESH_S * 1000;
}

bool session_is_fresh(const struct session *s, uint64_t now_ms)
{
    return s->passkey != 0 && is_recent(s->confirmed_ms, now_ms);
}

bool session_is_new(const struct session *s, uint64_t now_ms)
{
    return is_recent(s->opened_ms, now_ms);
}

bool sessions_key(const struct sessions *s, struct span name, uint8_t key[SESSION_KEY], struct error *err)
{
    char hex[DIGEST_TOKEN_HEX + 1];

    _Static_assert((int)SESSION_KEY == (int)DIGEST_TOKEN_HEX, "128 bits, written out");
    if (!digest_token(s->key, name, hex, err)) {
        return false;
    }
    memcpy(key, hex, SESSION_KEY);
    return true;
}

/* --- attempts ----------------------------------------------------------------------- */

static struct counter *counter_of(struct sessions *s, struct span address, uint64_t now_ms)
{
    uint8_t hash[TOKEN_HASH];
    unsigned number = 0;

    token_hash(address, hash);
    memcpy(&number, hash, sizeof(number));
    struct counter *c = &s->counters[number % COUNTERS];
    if (now_ms - c->since_ms >= (uint64_t)SESSION_ATTEMPTS_S * 1000) {
        *c = (struct counter){.since_ms = now_ms};
    }
    return c;
}

bool sessions_may_try(struct sessions *s, struct span address, uint64_t now_ms)
{
    (void)pthread_mutex_lock(&s->lock);
    bool may = counter_of(s, address, now_ms)->failures < SESSION_ATTEMPTS;
    (void)pthread_mutex_unlock(&s->lock);
    return may;
}

void sessions_count_failure(struct sessions *s, struct span address, uint64_t now_ms)
{
    (void)pthread_mutex_lock(&s->lock);
    counter_of(s, address, now_ms)->failures++;
    (void)pthread_mutex_unlock(&s->lock);
}
