/* note.h - signed notes (C2SP signed-note): a text, an empty line, signature lines; and their keys.
 *
 * A note is UTF-8 without control characters other than the newline, its text ends in a newline, and the last empty line
 * separates text and signatures. A signature line is "— <name> <base64 of key id and signature>". Two types of keys are
 * known: Ed25519 over the text, and the cosignatures of witnesses (C2SP tlog-cosignature), which sign
 * "cosignature/v1\ntime T\n" and the text. Lines of other keys are ignored, as the format requires.
 *
 * Ed25519 is libsodium's. Parsed spans borrow from the text. Any thread; sodium_init first. */
#ifndef FILTERD_RECORD_NOTE_H
#define FILTERD_RECORD_NOTE_H

#include <stdint.h>

#include "base/buf.h"

enum {
    NOTE_MAX = 64 * 1024,
    NOTE_SIGNATURES_MAX = 64,
    NOTE_NAME_MAX = 255, /* bytes of a key's name */
    NOTE_KEY_ID = 4,
    NOTE_PUBLIC = 32,
    NOTE_SEED = 32,
    NOTE_SIGNATURE_MAX = 4096, /* decoded bytes of one signature; ML-DSA-44's are 2,428 */
    NOTE_LINE_MAX = 512,       /* a signature line of a known type */
    NOTE_VKEY_MAX = 320,
};

enum note_key_type { NOTE_ED25519 = 0x01, NOTE_COSIGNATURE = 0x04 };

/* A public key, by name and id. */
struct note_key {
    char name[NOTE_NAME_MAX + 1];
    enum note_key_type type;
    uint8_t id[NOTE_KEY_ID]; /* SHA-256(name || "\n" || type || public)[:4] */
    uint8_t public[NOTE_PUBLIC];
};

/* INVALID: the name is empty, too long, no UTF-8 or has a space, a plus sign or a control character. */
MUST_CHECK bool note_key_make(struct span name, enum note_key_type type, const uint8_t public[NOTE_PUBLIC],
                              struct note_key *out, struct error *err);
/* A vkey: "<name>+<id in hex>+<base64 of type and key>". INVALID: its id is not that of its name and key, or its type is
 * another. */
MUST_CHECK bool note_key_parse(struct span vkey, struct note_key *out, struct error *err);
void note_key_format(const struct note_key *key, char vkey[NOTE_VKEY_MAX + 1]);
bool note_key_same(const struct note_key *a, const struct note_key *b); /* the key itself, whatever its name and type */

struct note_signature {
    struct span line; /* with its newline */
    struct span name;
    uint8_t id[NOTE_KEY_ID];
    struct span encoded; /* Base64 of id and signature, valid */
};

struct note {
    struct span text;       /* with its last newline */
    struct span signatures; /* all their lines */
    size_t n;
    struct note_signature list[NOTE_SIGNATURES_MAX];
};

/* MALFORMED: no note; LIMIT: longer than NOTE_MAX or more than NOTE_SIGNATURES_MAX. No signature is verified. */
MUST_CHECK bool note_parse(struct span bytes, struct note *out, struct error *err);
/* Signature lines alone, as a witness answers; at least one. out->text is empty: give it the note's. */
MUST_CHECK bool note_parse_signatures(struct span lines, struct note *out, struct error *err);

enum note_verdict {
    NOTE_BAD, /* a line of the key's name and id that is not its signature */
    NOTE_UNSIGNED,
    NOTE_GOOD,
};
/* Bad when any line of that name and id is. *time of a cosignature, in seconds since the epoch: the latest one; 0 for
 * other types. May be NULL. */
enum note_verdict note_verify(const struct note *note, const struct note_key *key, uint64_t *time);

/* Appends the signature line of that text. `time` is that of a cosignature; else it is not looked at. The public key in
 * `key` is that of the seed. */
MUST_CHECK bool note_sign(const struct note_key *key, const uint8_t seed[NOTE_SEED], struct span text, uint64_t time,
                          struct buf *out, struct error *err);
void note_public(const uint8_t seed[NOTE_SEED], uint8_t public[NOTE_PUBLIC]);

#endif
