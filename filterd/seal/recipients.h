/* recipients.h - the recipients of sealed originals: a group is a text file with one age recipient a line.
 *
 *   # compliance, Zurich
 *   age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
 *
 * Comments begin with '#', empty lines are skipped. A group has at least two recipients, each once: with one, the loss of its
 * key would lose every original. Errors are "file:line:column: what was expected" and never quote the line. */
#ifndef FILTERD_SEAL_RECIPIENTS_H
#define FILTERD_SEAL_RECIPIENTS_H

#include "base/digest.h"
#include "seal/age.h"

enum { RECIPIENTS_MIN = 2, RECIPIENTS_MAX = AGE_STANZAS_MAX, RECIPIENTS_FILE_MAX = 64 * 1024, GROUP_NAME_MAX = 64 };

struct recipient_group {
    struct span name;
    const struct age_recipient *recipients;
    size_t n;
    char digest[DIGEST_SHA256_HEX + 1]; /* of the file's bytes */
};

/* Letters, digits, '-' and '_': a name that cannot leave its folder. */
bool recipients_is_name(struct span name);

/* Into `out`, which has room for RECIPIENTS_MAX. */
MUST_CHECK bool recipients_read(const char *file, struct span text, struct age_recipient *out, size_t *n,
                                struct error *err);

#endif
