#include "record/note.h"

#include <inttypes.h>
#include <sodium.h>

#include "record/note_text.h"

enum { TIME_BYTES = 8, SIGNATURE_BYTES = crypto_sign_BYTES, COSIGNED_HEADER_MAX = 64 };

static const char dash[] = "\xE2\x80\x94 "; /* U+2014 and a space */

static bool malformed(struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "note: a text, an empty line and signature lines expected");
}

/* --- parsing ---------------------------------------------------------------- */

static bool parse_signature(struct span line, struct note_signature *out, struct error *err)
{
    uint8_t bytes[NOTE_SIGNATURE_MAX];
    size_t n = 0;

    if (!span_starts_with(line, span_str(dash))) {
        return malformed(err);
    }
    struct span rest = span_slice(line, strlen(dash), line.len);
    const char *space = memchr(rest.ptr, ' ', rest.len);
    if (space == NULL) {
        return malformed(err);
    }
    struct span name = span_of(rest.ptr, (size_t)(space - rest.ptr));
    struct span encoded = span_slice(rest, name.len + 1, rest.len);
    if (encoded.len > sizeof(bytes) / 3 * 4) {
        return error_set(err, ERROR_LIMIT, "note: signatures of at most %d bytes expected", NOTE_SIGNATURE_MAX);
    }
    if (!note_name_is_valid(name) ||
        sodium_base642bin(bytes, sizeof(bytes), encoded.ptr, encoded.len, NULL, &n, NULL, sodium_base64_VARIANT_ORIGINAL) !=
            0 ||
        n <= NOTE_KEY_ID) {
        return malformed(err);
    }
    *out = (struct note_signature){.line = span_of(line.ptr, line.len + 1), .name = name, .encoded = encoded};
    memcpy(out->id, bytes, NOTE_KEY_ID);
    return true;
}

bool note_parse_signatures(struct span lines, struct note *out, struct error *err)
{
    struct note note = {.signatures = lines};
    struct span rest = lines, line;

    if (lines.len > NOTE_MAX) {
        return error_set(err, ERROR_LIMIT, "note: at most %d bytes expected", NOTE_MAX);
    }
    if (lines.len == 0 || lines.ptr[lines.len - 1] != '\n' || !note_text_is_valid(lines)) {
        return malformed(err);
    }
    while (note_take_line(&rest, &line)) {
        if (note.n == NOTE_SIGNATURES_MAX) {
            return error_set(err, ERROR_LIMIT, "note: at most %d signatures expected", NOTE_SIGNATURES_MAX);
        }
        if (!parse_signature(line, &note.list[note.n], err)) {
            return false;
        }
        note.n++;
    }
    *out = note;
    return true;
}

bool note_parse(struct span bytes, struct note *out, struct error *err)
{
    if (bytes.len > NOTE_MAX) {
        return error_set(err, ERROR_LIMIT, "note: at most %d bytes expected", NOTE_MAX);
    }
    size_t at = bytes.len; /* where the signatures begin: behind the last empty line */
    while (at >= 2 && !(bytes.ptr[at - 1] == '\n' && bytes.ptr[at - 2] == '\n')) {
        at--;
    }
    if (at < 2 || !note_text_is_valid(span_of(bytes.ptr, at))) {
        return malformed(err);
    }
    if (!note_parse_signatures(span_slice(bytes, at, bytes.len), out, err)) {
        return false;
    }
    out->text = span_of(bytes.ptr, at - 1);
    return true;
}

/* --- signatures ------------------------------------------------------------- */

/* What a key of that type signs. */
static bool append_message(struct buf *message, enum note_key_type type, uint64_t time, struct span text, struct error *err)
{
    return (type != NOTE_COSIGNATURE || buf_appendf(message, err, "cosignature/v1\ntime %" PRIu64 "\n", time)) &&
           buf_append(message, text, err);
}

static uint64_t read_time(const uint8_t bytes[TIME_BYTES])
{
    uint64_t time = 0;

    for (int i = 0; i < TIME_BYTES; i++) {
        time = time << 8 | bytes[i];
    }
    return time;
}

static bool is_signed(const struct note_signature *s, const struct note_key *key, struct span text, uint64_t *time)
{
    uint8_t bytes[NOTE_SIGNATURE_MAX];
    size_t n = 0, before = NOTE_KEY_ID + (key->type == NOTE_COSIGNATURE ? TIME_BYTES : 0);
    struct buf message;
    struct error ignored;

    (void)sodium_base642bin(bytes, sizeof(bytes), s->encoded.ptr, s->encoded.len, NULL, &n, NULL,
                            sodium_base64_VARIANT_ORIGINAL);
    if (n != before + SIGNATURE_BYTES) {
        return false;
    }
    *time = key->type == NOTE_COSIGNATURE ? read_time(bytes + NOTE_KEY_ID) : 0;
    buf_init(&message, NOTE_MAX + COSIGNED_HEADER_MAX);
    bool is_good = *time <= INT64_MAX && append_message(&message, key->type, *time, text, &ignored) &&
                   crypto_sign_verify_detached(bytes + before, (const uint8_t *)message.data, message.len, key->public) == 0;
    buf_deinit(&message);
    return is_good;
}

enum note_verdict note_verify(const struct note *note, const struct note_key *key, uint64_t *time)
{
    enum note_verdict verdict = NOTE_UNSIGNED;
    uint64_t latest = 0;

    for (size_t i = 0; i < note->n; i++) {
        const struct note_signature *s = &note->list[i];
        uint64_t signed_at;
        if (!span_is(s->name, key->name) || memcmp(s->id, key->id, NOTE_KEY_ID) != 0) {
            continue;
        }
        if (!is_signed(s, key, note->text, &signed_at)) {
            return NOTE_BAD;
        }
        latest = signed_at > latest ? signed_at : latest;
        verdict = NOTE_GOOD;
    }
    if (time != NULL) {
        *time = latest;
    }
    return verdict;
}

static bool append_line(struct buf *out, const struct note_key *key, const uint8_t *bytes, size_t n, struct error *err)
{
    char encoded[sodium_base64_ENCODED_LEN(NOTE_KEY_ID + TIME_BYTES + SIGNATURE_BYTES, sodium_base64_VARIANT_ORIGINAL)];

    (void)sodium_bin2base64(encoded, sizeof(encoded), bytes, n, sodium_base64_VARIANT_ORIGINAL);
    return buf_appendf(out, err, "%s%s %s\n", dash, key->name, encoded);
}

bool note_sign(const struct note_key *key, const uint8_t seed[NOTE_SEED], struct span text, uint64_t time, struct buf *out,
               struct error *err)
{
    uint8_t bytes[NOTE_KEY_ID + TIME_BYTES + SIGNATURE_BYTES], secret[crypto_sign_SECRETKEYBYTES], public[NOTE_PUBLIC];
    struct buf message;
    size_t n = NOTE_KEY_ID;

    memcpy(bytes, key->id, NOTE_KEY_ID);
    for (int i = 0; key->type == NOTE_COSIGNATURE && i < TIME_BYTES; i++) {
        bytes[n++] = (uint8_t)(time >> (8 * (TIME_BYTES - 1 - i)));
    }
    buf_init(&message, NOTE_MAX + COSIGNED_HEADER_MAX);
    bool is_made = append_message(&message, key->type, time, text, err);
    if (is_made) {
        (void)crypto_sign_seed_keypair(public, secret, seed);
        (void)crypto_sign_detached(bytes + n, NULL, (const uint8_t *)message.data, message.len, secret);
        sodium_memzero(secret, sizeof(secret));
        is_made = append_line(out, key, bytes, n + SIGNATURE_BYTES, err);
    }
    buf_deinit(&message);
    return is_made;
}
