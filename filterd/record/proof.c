#include "record/proof.h"

#include <inttypes.h>
#include <sodium.h>

#include "record/note_text.h"

static const char version[] = "c2sp.org/tlog-proof@v1";

static bool malformed(struct error *err, const char *expected)
{
    return error_set(err, ERROR_MALFORMED, "proof: %s expected", expected);
}

static bool decode_extra(struct span text, struct buf *out, struct error *err)
{
    size_t n = 0, most = text.len / 4 * 3;

    if (most > PROOF_EXTRA_MAX + 2) {
        return error_set(err, ERROR_LIMIT, "proof: extra data of at most %d bytes expected", PROOF_EXTRA_MAX);
    }
    if (!buf_reserve(out, most + 1, err)) {
        return false;
    }
    if (sodium_base642bin((uint8_t *)out->data + out->len, most, text.ptr, text.len, NULL, &n, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0) {
        return malformed(err, "Base64 behind \"extra\"");
    }
    if (n > PROOF_EXTRA_MAX) {
        return error_set(err, ERROR_LIMIT, "proof: extra data of at most %d bytes expected", PROOF_EXTRA_MAX);
    }
    out->len += n;
    return true;
}

static bool parse_head(struct span *rest, struct proof *p, struct error *err)
{
    struct span line;

    if (!note_take_line(rest, &line) || !span_is(line, version)) {
        return malformed(err, "\"c2sp.org/tlog-proof@v1\" as the first line");
    }
    if (!note_take_line(rest, &line)) {
        return malformed(err, "\"index <number>\"");
    }
    if (span_starts_with(line, span_str("extra "))) {
        struct buf bytes;
        p->has_extra = true;
        p->extra = span_slice(line, 6, line.len);
        buf_init(&bytes, PROOF_EXTRA_MAX + 4);
        bool is_good = decode_extra(p->extra, &bytes, err);
        buf_deinit(&bytes);
        if (!is_good) {
            return false;
        }
        if (!note_take_line(rest, &line)) {
            return malformed(err, "\"index <number>\"");
        }
    }
    return (span_starts_with(line, span_str("index ")) && note_read_number(span_slice(line, 6, line.len), &p->index)) ||
           malformed(err, "\"index <number>\"");
}

static bool parse_path(struct span *rest, struct tree_proof *path, struct error *err)
{
    struct span line;

    for (;;) {
        if (!note_take_line(rest, &line)) {
            return malformed(err, "an empty line behind the hashes");
        }
        if (line.len == 0) {
            return true;
        }
        if (path->n == TREE_PROOF_MAX || !tree_hash_parse(line, &path->hashes[path->n++], err)) {
            return malformed(err, "at most 64 hashes in Base64");
        }
    }
}

bool proof_parse(struct span bytes, struct proof *out, struct error *err)
{
    struct proof p = {.has_extra = false};
    struct span rest = bytes;

    if (bytes.len > PROOF_MAX) {
        return error_set(err, ERROR_LIMIT, "proof: at most %d bytes expected", PROOF_MAX);
    }
    if (!parse_head(&rest, &p, err) || !parse_path(&rest, &p.path, err) || !checkpoint_parse(rest, &p.checkpoint, err)) {
        return false;
    }
    *out = p;
    return true;
}

bool proof_extra(const struct proof *proof, struct buf *out, struct error *err)
{
    return !proof->has_extra || decode_extra(proof->extra, out, err);
}

static bool append_extra(struct span extra, struct buf *out, struct error *err)
{
    if (extra.len > PROOF_EXTRA_MAX) {
        return error_set(err, ERROR_LIMIT, "proof: extra data of at most %d bytes expected", PROOF_EXTRA_MAX);
    }
    size_t room = sodium_base64_ENCODED_LEN(extra.len, sodium_base64_VARIANT_ORIGINAL);
    if (!buf_append_str(out, "extra ", err) || !buf_reserve(out, room, err)) {
        return false;
    }
    (void)sodium_bin2base64(out->data + out->len, room, (const uint8_t *)extra.ptr, extra.len,
                            sodium_base64_VARIANT_ORIGINAL);
    out->len += room - 1;
    return buf_append_char(out, '\n', err);
}

bool proof_format(struct span extra, uint64_t index, const struct tree_proof *path, struct span checkpoint, struct buf *out,
                  struct error *err)
{
    char text[TREE_HASH_TEXT + 1];

    if (!buf_appendf(out, err, "%s\n", version) || (extra.ptr != NULL && !append_extra(extra, out, err)) ||
        !buf_appendf(out, err, "index %" PRIu64 "\n", index)) {
        return false;
    }
    for (size_t i = 0; i < path->n; i++) {
        tree_hash_format(&path->hashes[i], text);
        if (!buf_appendf(out, err, "%s\n", text)) {
            return false;
        }
    }
    return buf_append_char(out, '\n', err) && buf_append(out, checkpoint, err);
}

bool proof_verify(const struct proof *proof, const struct tree_hash *leaf, struct error *err)
{
    return tree_verify_inclusion(leaf, proof->index, proof->checkpoint.size, &proof->checkpoint.root, &proof->path, err);
}
