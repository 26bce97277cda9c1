#include "record/add_checkpoint.h"

#include <inttypes.h>

#include "record/note_text.h"

static bool malformed(struct error *err)
{
    return error_set(err, ERROR_MALFORMED,
                     "request: \"old <size>\", at most %d hashes, an empty line and a checkpoint expected",
                     ADD_CHECKPOINT_PROOF_MAX);
}

bool add_checkpoint_parse(struct span bytes, struct add_checkpoint *out, struct error *err)
{
    struct add_checkpoint request = {.old = 0};
    struct span rest = bytes, line;

    if (bytes.len > ADD_CHECKPOINT_MAX) {
        return error_set(err, ERROR_LIMIT, "request: at most %d bytes expected", ADD_CHECKPOINT_MAX);
    }
    if (!note_take_line(&rest, &line) || !span_starts_with(line, span_str("old ")) ||
        !note_read_number(span_slice(line, 4, line.len), &request.old)) {
        return malformed(err);
    }
    for (;;) {
        if (!note_take_line(&rest, &line)) {
            return malformed(err);
        }
        if (line.len == 0) {
            break;
        }
        if (request.proof.n == ADD_CHECKPOINT_PROOF_MAX ||
            !tree_hash_parse(line, &request.proof.hashes[request.proof.n++], err)) {
            return malformed(err);
        }
    }
    request.checkpoint = rest;
    *out = request;
    return true;
}

bool add_checkpoint_format(uint64_t old, const struct tree_proof *proof, struct span checkpoint, struct buf *out,
                           struct error *err)
{
    char text[TREE_HASH_TEXT + 1];

    if (proof->n > ADD_CHECKPOINT_PROOF_MAX) {
        return error_set(err, ERROR_INVALID, "request: a proof of at most %d hashes expected", ADD_CHECKPOINT_PROOF_MAX);
    }
    if (!buf_appendf(out, err, "old %" PRIu64 "\n", old)) {
        return false;
    }
    for (size_t i = 0; i < proof->n; i++) {
        tree_hash_format(&proof->hashes[i], text);
        if (!buf_appendf(out, err, "%s\n", text)) {
            return false;
        }
    }
    return buf_append_char(out, '\n', err) && buf_append(out, checkpoint, err);
}
