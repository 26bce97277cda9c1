/* outputs.h - the files of a quarantine, each with what it is and what the rules say to it: what the
 * commands `filterctl outputs …` share.
 *
 * The type is found in the bytes (libmagic), never in the name. A file is judged as a text, and where
 * it is JSON also string by string; one in UTF-16 or UTF-32 with a byte order mark, or gzipped, as it
 * stands and decoded, as `filterctl check` reads it. The strictest verdict counts. */
#ifndef FILTERD_CTL_OUTPUTS_OUTPUTS_H
#define FILTERD_CTL_OUTPUTS_OUTPUTS_H

#include <magic.h>

#include "ctl/judging.h"
#include "ctl/outputs/quarantine.h"

/* All that a command that reads outputs takes. */
#define OPTIONS_OUTPUTS (OPTIONS_RULES | OPTIONS_JUDGING)

struct outputs {
    struct session session;
    struct worker *worker;
    struct quarantine quarantine;
    struct buf bytes; /* of the file at hand */
    struct buf text;  /* decoded */
    magic_t magic;
};

/* One file; valid until the next one is read. */
struct output {
    const char *path;
    struct span bytes;
    char digest[DIGEST_SHA256_HEX + 1];
    char type[96]; /* "text/plain" */
    bool is_text;  /* of a type that a person can read */
    bool is_decoded; /* what is judged and shown is not the bytes themselves */
    struct judging judging;
    enum action action;
    bool is_complete; /* judged, whole */
};

/* `o` is zeroed storage; outputs_close takes it also after a failure. */
MUST_CHECK bool outputs_open(struct outputs *o, const struct arguments *args, struct error *err);
void outputs_close(struct outputs *o);

MUST_CHECK bool outputs_read(struct outputs *o, size_t i, struct output *out, struct error *err);

/* True when `word` is the digest of that output: "sha256:" and 64 digits, or the digits alone. */
bool outputs_is_digest(const struct output *f, const char *word);
/* True when `word` could be one. */
bool outputs_is_digest_form(const char *word);

/* Appends the text as it may be shown on a terminal: redacted, without what a terminal would obey;
 * one line for what is no text, or is blocked. */
MUST_CHECK bool outputs_append_shown(const struct output *f, struct buf *out, struct error *err);
/* Appends "rule, rule": each once, in order of place; "-" for none. */
MUST_CHECK bool outputs_append_rules(const struct output *f, struct buf *out, struct error *err);

#endif
