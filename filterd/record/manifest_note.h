/* manifest_note.h - the text that a log signs for the manifest of an evidence bundle, and the request for it to the log's signer.
 *
 * The text is "filterd export v1", then a line with the manifest's SHA-256. No checkpoint has this form: a checkpoint has three
 * lines. The request is "manifest <SHA-256>", then a line with the log's origin. Parsed spans are borrowed. Any thread. */
#ifndef FILTERD_RECORD_MANIFEST_NOTE_H
#define FILTERD_RECORD_MANIFEST_NOTE_H

#include "base/buf.h"
#include "base/digest.h"

struct manifest_request {
    char sha256[DIGEST_SHA256_HEX + 1];
    struct span origin;
};

MUST_CHECK bool manifest_note_text(const char *sha256, struct buf *out, struct error *err);

MUST_CHECK bool manifest_request_format(const struct manifest_request *request, struct buf *out, struct error *err);
/* Begins as one. No request of record/add_checkpoint.h does. */
bool manifest_request_is(struct span bytes);
/* MALFORMED: no request as above; 64 lower-case digits and the name of a key are expected. */
MUST_CHECK bool manifest_request_parse(struct span bytes, struct manifest_request *out, struct error *err);

#endif
