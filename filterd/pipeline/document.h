/* document.h - the channels of a JSON document, and the document again with what may be delivered.
 *
 * String leaves are channels; so are member names, and numbers of eight or more digits (a card
 * number needs no quotes). So is an array of short strings or codes of characters (array_parts.h), as one text: they may be the
 * parts of a secret. Redacted, it becomes a string. Short strings at one member of the objects in an array are a column (joined_columns.h). The rest of the text is kept byte for byte: white space, number forms,
 * order and duplicates of members. A redacted string becomes a string, a redacted number a string;
 * a member name is never changed (a redaction there blocks, see channel.is_member_name).
 *
 * A channel's key is the nearest member name above it, for a member name the one above its object.
 * Its path (judge/path.h) names it in the document; a member name has the path of its member.
 *
 * Memory comes from the arena and is linear in the text: paths that would need more than
 * DOCUMENT_PATH_FACTOR bytes for each byte of the text are refused. The JSON must have been
 * validated by json_validate. */
#ifndef FILTERD_PIPELINE_DOCUMENT_H
#define FILTERD_PIPELINE_DOCUMENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "judge/exchange.h"

struct document_token {
    size_t from, to; /* of the string (quotes included), number or array in the JSON text */
    bool is_raw;     /* a text outside JSON: it is written as it is, without quotes */
};

struct document {
    struct span json;
    struct channel *channels;
    const struct document_token *tokens; /* one per channel */
    size_t n;
    size_t n_containers; /* objects and arrays */
};

enum {
    DOCUMENT_CHANNELS_MAX = 1 << 20,
    DOCUMENT_NUMBER_DIGITS = 8,
    DOCUMENT_PATH_FACTOR = 64,
    DOCUMENT_PATH_FREE = 64 * 1024, /* paths may be this long in sum, however short the text */
};

/* `json` is one JSON value; it must outlive the document. Paths lead into it, put
 * behind `prefix`: empty in the service, whose paths read "/0/content" in messages.
 * The out-part of each channel is zero: nothing may be delivered until it has been judged. LIMIT
 * when there are too many channels, too long paths or too little memory. */
MUST_CHECK bool document_read(struct arena *a, struct span json, struct span prefix,
                              struct document *out, struct error *err);

/* The same for a text that json_validate_known has accepted with these values, which have no channels. */
MUST_CHECK bool document_read_known(struct arena *a, struct span json, struct json_known known, struct document *out,
                                    struct error *err);

/* The same without the numbers: for what consists of them, such as embeddings. Numbers of arrays of parts are all codes of printable
 * ASCII there. */
MUST_CHECK bool document_read_texts(struct arena *a, struct span json, struct span prefix,
                                    struct document *out, struct error *err);

/* The same with whole numbers of eight or more digits: for texts of users that may have embeddings. */
MUST_CHECK bool document_read_integers(struct arena *a, struct span json, struct span prefix,
                                       struct document *out, struct error *err);

/* Which numbers are channels, and with all of them all arrays of codes. */
enum document_numbers { DOCUMENT_NO_NUMBERS, DOCUMENT_INTEGERS, DOCUMENT_NUMBERS };

/* The channels of a text file, which need not be valid: of one JSON object or array; of each line, when every line that is not
 * blank is one (JSON Lines), with its number from 0 in the path; else one channel that is the text. */
MUST_CHECK bool document_read_file(struct arena *a, struct span text, struct span prefix, enum document_numbers numbers,
                                   struct document *out, struct error *err);

/* The channels of documents that stand in `text` in this order, as one document. */
MUST_CHECK bool document_join(struct arena *a, struct span text, const struct document *of, size_t n_of, struct document *out,
                              struct error *err);

/* Numbers its columns from behind `before` on, so that they are apart from those of other documents of the exchange. Returns the highest
 * number. */
uint32_t document_number_columns(struct document *d, uint32_t before);

/* Appends the document with each channel's output in its place. Fails with INVALID when the output
 * of a member name differs from its text; the buffer is unchanged on failure. */
MUST_CHECK bool document_write(const struct document *d, struct buf *out, struct error *err);

#endif
