/* document.h - the channels of a JSON document, and the document again with what may be delivered.
 *
 * String leaves are channels; so are member names, and numbers of eight or more digits (a card number needs
 * no quotes). The rest of the text is kept byte for byte: white space, number forms, order and
 * duplicates of members. A redacted string becomes a string, a redacted number a string; a member
 * name is never changed (a redaction there blocks, see channel.is_member_name).
 *
 * Memory comes from the arena. The JSON must have been validated by json_validate. */
#ifndef FILTERD_PIPELINE_DOCUMENT_H
#define FILTERD_PIPELINE_DOCUMENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "judge/exchange.h"

struct document_token {
    size_t from, to; /* of the string (quotes included) or number in the JSON text */
};

struct document {
    struct span json;
    struct channel *channels;
    const struct document_token *tokens; /* one per channel */
    size_t n;
};

enum { DOCUMENT_CHANNELS_MAX = 1 << 20 };

/* `json` is one JSON value; it must outlive the document. Paths begin with `prefix` ("/messages"). */
MUST_CHECK bool document_read(struct arena *a, struct span json, struct span prefix, struct document *out, struct error *err);

/* Appends the document with each channel's output in its place. */
MUST_CHECK bool document_write(const struct document *d, struct buf *out, struct error *err);

#endif
