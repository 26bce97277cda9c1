/* passkeys.h - the registered passkeys of people: an SQLite file of the state directory, passkeys.db.
 *
 * It has public keys, names and times; nothing in it is secret, but a user who can write to it can sign in. The file has mode 0600, every
 * row of it is verified when it is opened, and a change is on disk before a function returns. A person is a name of the tokens
 * file; names are compared without regard to case, as for second persons. Any thread. */
#ifndef FILTERD_SIGNIN_PASSKEYS_H
#define FILTERD_SIGNIN_PASSKEYS_H

#include "signin/passkey.h"

enum {
    PASSKEYS_OF_ONE = 8,
    PASSKEYS_MAX = 8192,
    PASSKEY_PERSON_MAX = 79, /* bytes */
    PASSKEY_NAME_MAX = 64,   /* bytes */
};

struct passkeys;

/* Opens or creates the file. INVALID: something else, or a row that is no valid key. DENIED: another process has it. */
struct passkeys *passkeys_open(const char *path, struct error *err);
void passkeys_close(struct passkeys *p); /* accepts NULL */

struct passkey_row {
    int64_t number; /* identifies it in forms; never reused */
    char person[PASSKEY_PERSON_MAX + 1];
    char name[PASSKEY_NAME_MAX + 1]; /* which the person gave it */
    int64_t added_ms, used_ms;       /* UTC; used 0: never */
    struct passkey key;
};

/* True also when the file cannot be read: a second factor is demanded then. */
bool passkeys_has(struct passkeys *p, const char *person);

/* That one exists, and is that person's. False also when the file cannot be read. */
bool passkeys_has_number(struct passkeys *p, const char *person, int64_t number);

/* False stops the listing with *err. */
typedef bool passkey_row_fn(void *context, const struct passkey_row *row, struct error *err);
/* Of one person, or of all if `person` is NULL; ordered by person and number. `take` must not call this module. */
MUST_CHECK bool passkeys_list(struct passkeys *p, const char *person, passkey_row_fn *take, void *context, struct error *err);
/* The key of that person with that credential id. NOT_FOUND. */
MUST_CHECK bool passkeys_find(struct passkeys *p, const char *person, struct span id, struct passkey_row *out, struct error *err);

/* LIMIT: the person or the file has too many. DENIED: the credential id is registered already. `number` is ignored. */
MUST_CHECK bool passkeys_add(struct passkeys *p, const struct passkey_row *row, struct error *err);
/* Stores the counter of an assertion and the time. DENIED: it did not grow since the last one that was stored. */
MUST_CHECK bool passkeys_use(struct passkeys *p, int64_t number, uint32_t count, int64_t now_ms, struct error *err);
/* NOT_FOUND. */
MUST_CHECK bool passkeys_remove(struct passkeys *p, const char *person, int64_t number, struct error *err);
/* Removes all keys of a person. NOT_FOUND: none. */
MUST_CHECK bool passkeys_reset(struct passkeys *p, const char *person, struct error *err);

#endif
