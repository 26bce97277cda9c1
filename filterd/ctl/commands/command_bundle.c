/* command_bundle.c - filterctl bundle: make, sign and verify signed policy bundles, and the keys that sign them. */
#include <inttypes.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/plural.h"
#include "ctl/cache.h"
#include "ctl/command.h"
#include "pipeline/load.h"
#include "bundle/archive.h"
#include "bundle/keys.h"
#include "bundle/store.h"
#include "query/timestamp.h"
#include "record/key_file.h"
#include "record/note_text.h"

enum { OUTPUT_MAX = 64 * 1024 };

static int run_key(const struct arguments *args);
static int run_make(const struct arguments *args);
static int run_sign(const struct arguments *args);
static int run_verify(const struct arguments *args);

const struct command command_bundle_key = {
    .name = "bundle key",
    .operands = "NAME FILE",
    .summary = "Make a key that signs policy bundles",
    .details = "FILE is new; it has the private key and stays with the one who signs. Prints the public key, a vkey, for the file of\n"
               "keys: the name of the bundles, generation 1, threshold K, and a line `key VKEY` for each key.",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_key,
};

const struct command command_bundle_make = {
    .name = "bundle make",
    .operands = "VERSION FOLDER",
    .summary = "Make a policy bundle from a folder of rules and policies",
    .details = "Checks that the rules and the policy of FOLDER load and pass their examples; then writes rules-VERSION.tar.zst and\n"
               "rules-VERSION.note, which nobody has signed yet. VERSION is higher than that of every bundle before.",
    .options = OPTION_BIT(OPTION_OUT) | OPTION_BIT(OPTION_UNTIL) | OPTION_BIT(OPTION_KEYS) | OPTION_BIT(OPTION_CACHE),
    .texts = {{OPTION_KEYS, "the file of keys that will sign it"},
              {OPTION_OUT, "folder for the two files, made if it is not there (the current one)"},
              {OPTION_UNTIL, "when the bundle expires: a date, or a time of RFC 3339 (in 30 days)"}},
    .min_operands = 2,
    .max_operands = 2,
    .run = run_make,
};

const struct command command_bundle_sign = {
    .name = "bundle sign",
    .operands = "NAME FILE NOTE",
    .summary = "Sign a policy bundle, or the keys that follow",
    .details = "Adds the signature of the key NAME, in FILE, to NOTE. NOTE is that of a bundle, or a file keys-GENERATION.note with the\n"
               "text of the next keys and an empty line behind it. Signs what is in NOTE: read it before.",
    .min_operands = 3,
    .max_operands = 3,
    .run = run_sign,
};

const struct command command_bundle_verify = {
    .name = "bundle verify",
    .operands = "NOTE ARCHIVE",
    .summary = "Verify that a policy bundle has the signatures that a service expects",
    .details = "Exit code 1 when it would be refused, with the reason. Whether its version is higher than that of the bundle before\n"
               "is known to a service alone.",
    .options = OPTION_BIT(OPTION_KEYS),
    .texts = {{OPTION_KEYS, "the file of keys that must have signed it"}},
    .min_operands = 2,
    .max_operands = 2,
    .run = run_verify,
};

static void wipe_seed(uint8_t (*seed)[NOTE_SEED])
{
    sodium_memzero(*seed, NOTE_SEED);
}

static bool read_keys(const char *path, struct policy_bundle_keys *keys, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, POLICY_BUNDLE_KEYS_TEXT_MAX);
    if (path == NULL) {
        return error_set(err, ERROR_INVALID, "--keys FILE expected");
    }
    return file_read(path, &text, err) && (policy_bundle_keys_parse(buf_span(&text), keys, err) || error_wrap(err, "%s", path));
}

static bool make_key(const char *name, const uint8_t seed[NOTE_SEED], struct note_key *key, struct error *err)
{
    uint8_t public[NOTE_PUBLIC];

    note_public(seed, public);
    return note_key_make(span_str(name), NOTE_ED25519, public, key, err);
}

static int run_key(const struct arguments *args)
{
    uint8_t seed[NOTE_SEED] CLEANUP(wipe_seed) = {0};
    char vkey[NOTE_VKEY_MAX + 1];
    struct buf out CLEANUP(buf_deinit);
    struct note_key key;
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    /* A name that no key can have leaves no file. */
    if (!make_key(args->operands[0], seed, &key, &err) || !key_file_make(args->operands[1], seed, &err) ||
        !make_key(args->operands[0], seed, &key, &err)) {
        return command_failed(&err);
    }
    note_key_format(&key, vkey);
    return buf_appendf(&out, &err, "%s\n", vkey) ? command_finish(&out, EXIT_CLEAN) : command_failed(&err);
}

/* --- make --------------------------------------------------------------------- */

static bool check_folder(const struct arguments *args, const char *folder, struct error *err)
{
    char cache[PATH_MAX];
    const struct rule_set_options options = {.cache_directory = cache_directory(args, cache), .test_examples = true};
    struct snapshot *snapshot = snapshot_open(folder, NULL, &options, err);

    if (snapshot == NULL) {
        return false;
    }
    snapshot_unref(snapshot);
    return true;
}

static bool describe(const struct arguments *args, const struct policy_bundle_keys *keys, struct policy_bundle *b, struct error *err)
{
    const int64_t second = 1000000000, now = clock_utc_ns();

    *b = (struct policy_bundle){.name = span_str(keys->name), .keys = keys->generation, .created_ns = now, .engine = span_str(FILTERD_VERSION),
                                .expires_ns = now + 30 * 86400 * second};
    if (!note_read_number(span_str(args->operands[0]), &b->version) || b->version == 0) {
        return error_set(err, ERROR_INVALID, "%s: a version, a number from 1, expected", args->operands[0]);
    }
    if (args->until != NULL && (!timestamp_parse(span_str(args->until), now, &b->expires_ns) || b->expires_ns <= now)) {
        return error_set(err, ERROR_INVALID, "--until: a date, or a time of RFC 3339, in the future expected");
    }
    return true;
}

static bool write_file(const char *folder, const struct policy_bundle *b, const char *ending, struct span bytes, struct error *err)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/rules-%" PRIu64 "%s", folder, b->version, ending);

    return (len > 0 && len < (int)sizeof(path) && file_write_atomic(path, bytes, 0644, err)) ||
           (len >= (int)sizeof(path) && error_set(err, ERROR_INVALID, "--out: a shorter path expected"));
}

static bool make(const struct arguments *args, struct buf *archive, struct buf *note, struct policy_bundle *b, struct error *err)
{
    const char *folder = args->operands[1], *out = args->out == NULL ? "." : args->out;
    struct policy_bundle_keys keys;

    return read_keys(args->keys, &keys, err) && describe(args, &keys, b, err) && check_folder(args, folder, err) &&
           policy_bundle_pack(folder, archive, err) && digest_sha256(buf_span(archive), b->sha256, err) &&
           policy_bundle_format(b, note, err) && buf_append_char(note, '\n', err) && file_make_directory(out, err) &&
           write_file(out, b, ".tar.zst", buf_span(archive), err) && write_file(out, b, ".note", buf_span(note), err);
}

static int run_make(const struct arguments *args)
{
    struct buf archive CLEANUP(buf_deinit), note CLEANUP(buf_deinit);
    struct policy_bundle b;
    struct error err;

    buf_init(&archive, POLICY_BUNDLE_BYTES_MAX);
    buf_init(&note, NOTE_MAX);
    return make(args, &archive, &note, &b, &err) ? command_finish(&note, EXIT_CLEAN) : command_failed(&err);
}

/* --- sign --------------------------------------------------------------------- */

/* The text of a note without a signature, which is no note yet, ends in an empty line. */
static bool text_of(struct span bytes, struct span *text, struct error *err)
{
    struct note note;
    size_t len = bytes.len;

    if (note_parse(bytes, &note, err)) {
        *text = note.text;
        return true;
    }
    *text = span_slice(bytes, 0, len < 2 ? 0 : len - 1);
    return (len >= 2 && bytes.ptr[len - 1] == '\n' && bytes.ptr[len - 2] == '\n' && note_text_is_valid(bytes)) || error_wrap(err, "note");
}

/* Only what this key is for. */
static bool check_text(struct span text, struct error *err)
{
    struct policy_bundle_keys keys;
    struct policy_bundle b;

    return policy_bundle_parse(text, &b, err) || policy_bundle_keys_parse(text, &keys, err) ||
           error_set(err, ERROR_INVALID, "the note of a policy bundle, or keys of policy bundles, expected");
}

static bool sign(const struct arguments *args, struct buf *bytes, struct error *err)
{
    uint8_t seed[NOTE_SEED] CLEANUP(wipe_seed) = {0};
    struct note_key key;
    struct note note;
    struct span text;

    if (!file_read(args->operands[2], bytes, err) || !text_of(buf_span(bytes), &text, err) || !check_text(text, err) ||
        !key_file_read(args->operands[1], seed, err) || !make_key(args->operands[0], seed, &key, err)) {
        return false;
    }
    if (note_parse(buf_span(bytes), &note, err) && note_verify(&note, &key, NULL) != NOTE_UNSIGNED) {
        return error_set(err, ERROR_INVALID, "%s: the key has signed it already", args->operands[2]);
    }
    return note_sign(&key, seed, text, 0, bytes, err) && file_write_atomic(args->operands[2], buf_span(bytes), 0644, err);
}

static int run_sign(const struct arguments *args)
{
    struct buf bytes CLEANUP(buf_deinit);
    struct error err;

    buf_init(&bytes, NOTE_MAX);
    return sign(args, &bytes, &err) ? EXIT_CLEAN : command_failed(&err);
}

/* --- verify ------------------------------------------------------------------- */

static int run_verify(const struct arguments *args)
{
    struct buf note CLEANUP(buf_deinit), archive CLEANUP(buf_deinit), out CLEANUP(buf_deinit);
    struct policy_bundle_keys keys;
    struct policy_bundle b;
    struct error err;

    buf_init(&note, NOTE_MAX);
    buf_init(&archive, POLICY_BUNDLE_BYTES_MAX);
    buf_init(&out, OUTPUT_MAX);
    if (!read_keys(args->keys, &keys, &err) || !file_read(args->operands[0], &note, &err) ||
        !file_read(args->operands[1], &archive, &err)) {
        return command_failed(&err);
    }
    if (!policy_bundle_verify(buf_span(&note), buf_span(&archive), &keys, clock_utc_ns(), FILTERD_VERSION, &b, &err)) {
        (void)command_failed(&err);
        return EXIT_FOUND;
    }
    return buf_appendf(&out, &err, "ok: " SPAN_FMT " version %" PRIu64 ", sha256:%s\n", SPAN_ARG(b.name), b.version, b.sha256)
               ? command_finish(&out, EXIT_CLEAN)
               : command_failed(&err);
}
