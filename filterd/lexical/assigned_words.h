/* assigned_words.h - what a word of a setting's name says that its value is. */
#ifndef FILTERD_LEXICAL_ASSIGNED_WORDS_H
#define FILTERD_LEXICAL_ASSIGNED_WORDS_H

#include "base/span.h"

enum assigned_meaning {
    ASSIGNED_UNKNOWN,    /* nothing that the lists know: the name of a service, perhaps */
    ASSIGNED_PLAIN,      /* an English word or one of program text that says none of what follows: value, string, prod */
    ASSIGNED_PASSWORD,   /* a password, in any of thirty languages */
    ASSIGNED_SECRET,     /* a secret, token, credential; what joins key with another word of this kind */
    ASSIGNED_KEY,        /* a key: of a service, a map, a keyboard */
    ASSIGNED_DIGEST,     /* a digest, checksum, fingerprint, revision */
    ASSIGNED_IDENTIFIER, /* an id, a name, a user, an account, an address of a person */
    ASSIGNED_PLACE,      /* a URL, a host, a path, a file */
    ASSIGNED_NUMBER,     /* a count, a size, a time, a version */
    ASSIGNED_PUBLIC,     /* what is public or short-lived by design: public, csrf, nonce, cursor */
};

/* `word` is in lower case, of letters alone. Words joined without a mark (apikey, authtoken) count by their end. */
enum assigned_meaning assigned_word_meaning(struct span word);

#endif
