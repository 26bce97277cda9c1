/* command_seal.c - filterctl seal: open sealed originals and change their recipients. */
#include <limits.h>
#include <sodium.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/operators.h"
#include "seal/blobs.h"
#include "seal/recipients.h"
#include "seal/sealed.h"

enum { FILE_MAX = 256 * 1024 * 1024, IDENTITY_FILE_MAX = 64 * 1024, OUTPUT_MAX = 64 * 1024 };

static int run_open(const struct arguments *args);
static int run_rewrap(const struct arguments *args);
static int run_recipients(const struct arguments *args);

const struct command command_seal_open = {
    .name = "seal open",
    .operands = "[FILE]",
    .summary = "Open a sealed original",
    .details = "FILE is a file of the folder seal beside the decision log; default: standard input. No identity is needed\n"
               "for a file that age has decrypted (age -d -i KEY FILE | filterctl seal open --shred DB). An original that\n"
               "is sealed to two groups takes an identity of each, in one file or in two runs. The key of the innermost\n"
               "layer is read from --shred, or requested from a running filterd (--keks, --token), which records who asks.",
    .options = OPTION_BIT(OPTION_IDENTITY) | OPTION_BIT(OPTION_SHRED) | OPTION_BIT(OPTION_KEKS) | OPTION_BIT(OPTION_TOKEN) |
               OPTION_BIT(OPTION_WHY),
    .max_operands = 1,
    .run = run_open,
};

const struct command command_seal_rewrap = {
    .name = "seal rewrap",
    .operands = "FILE",
    .summary = "Seal an original to other recipients",
    .details = "Replaces the header of FILE with one for the recipients of the group; the payload does not change. Prints\n"
               "the members of the line of type rewrap. If two groups are needed, only the outer layer changes.",
    .options = OPTION_BIT(OPTION_IDENTITY) | OPTION_BIT(OPTION_RECIPIENTS),
    .min_operands = 1,
    .max_operands = 1,
    .run = run_rewrap,
};

const struct command command_seal_recipients = {
    .name = "seal recipients",
    .operands = "FILE…",
    .summary = "Check files of recipients",
    .details = "Each FILE is a group as a policy's key seal names it, recipients/GROUP beside the policy.",
    .min_operands = 1,
    .max_operands = -1,
    .run = run_recipients,
};

/* --- reading ------------------------------------------------------------------ */

struct keyring {
    struct age_identity items[AGE_IDENTITIES_MAX];
    size_t n;
};

static void keyring_wipe(struct keyring *k)
{
    sodium_memzero(k, sizeof(*k));
}

static void wipe(struct buf *b)
{
    if (b->data != NULL) {
        sodium_memzero(b->data, b->cap);
    }
    buf_deinit(b);
}

static bool read_identities(const char *path, struct keyring *out, struct error *err)
{
    struct buf text CLEANUP(wipe);

    buf_init(&text, IDENTITY_FILE_MAX);
    if (path == NULL) {
        return error_set(err, ERROR_INVALID, "--identity FILE expected");
    }
    return file_read(path, &text, err) && age_identities_read(path, buf_span(&text), out->items, &out->n, err);
}

static bool read_input(const struct arguments *args, struct buf *out, struct error *err)
{
    return args->n_operands == 0 ? file_read_fd(STDIN_FILENO, "standard input", out, err)
                                 : file_read(args->operands[0], out, err);
}

/* --- open --------------------------------------------------------------------- */

/* The content of the age file, which may be decrypted already. */
static bool take_off_age(const struct arguments *args, struct span file, struct secret *box, struct error *err)
{
    struct keyring keys CLEANUP(keyring_wipe);
    char id[SHRED_ID + 1];

    keys.n = 0;
    if (sealed_key_id(file, id)) {
        return secret_init(box, file.len, err) && secret_append(box, file, err);
    }
    return read_identities(args->identity, &keys, err) && sealed_open_layers(keys.items, keys.n, file, box, err);
}

/* "abcd….age" without its end, when it is the name of an original. */
static struct span blob_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    size_t len = strlen(name);
    char ignored[PATH_MAX];

    if (len != BLOB_ID + strlen(".age") || !blobs_path("", span_of(name, BLOB_ID), ignored)) {
        return span_of(NULL, 0);
    }
    return span_of(name, BLOB_ID);
}

static bool read_key(const json_t *answer, const char *id, struct shred_key *out, struct error *err)
{
    const char *hex = json_string_value(json_object_get(answer, "key"));
    size_t n = 0;

    if (hex == NULL || sodium_hex2bin(out->key, sizeof(out->key), hex, strlen(hex), NULL, &n, NULL) != 0 || n != sizeof(out->key)) {
        return error_set(err, ERROR_MALFORMED, "filterd's answer: a key expected");
    }
    (void)snprintf(out->id, sizeof(out->id), "%s", id);
    return true;
}

/* The service puts on record who asks for it, and for which original. */
static bool ask_key(const struct arguments *args, const char *id, struct shred_key *out, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);
    struct arguments there = *args;
    struct span blob = args->n_operands == 0 ? span_of(NULL, 0) : blob_of(args->operands[0]);

    buf_init(&path, OUTPUT_MAX);
    there.operators = args->keks;
    if (args->keks[0] != '/' && strncmp(args->keks, "unix:", 5) != 0 && strncmp(args->keks, "https://", 8) != 0) {
        return error_set(err, ERROR_INVALID, "--keks: https://host:port or the path of a Unix socket expected");
    }
    bool is_made = buf_appendf(&path, err, "/v1/keks/%s", id) &&
                   (blob.len == 0 || buf_appendf(&path, err, "?blob=" SPAN_FMT, SPAN_ARG(blob))) &&
                   (args->why == NULL || (buf_append_str(&path, blob.len == 0 ? "?purpose=" : "&purpose=", err) &&
                                          operators_append(&path, args->why, err))) &&
                   buf_append_char(&path, '\0', err);
    json_t *answer = is_made ? operators_ask(&there, "POST", path.data, err) : NULL;
    bool is_read = answer != NULL && read_key(answer, id, out, err);
    json_decref(answer);
    return is_read;
}

static bool find_key(const struct arguments *args, struct span box, struct shred_key *out, struct error *err)
{
    char id[SHRED_ID + 1];

    if (!sealed_key_id(box, id)) {
        return error_set(err, ERROR_MALFORMED, "a sealed original expected; one of two groups needs an identity of the other group, too");
    }
    if ((args->shred == NULL) == (args->keks == NULL)) {
        return error_set(err, ERROR_INVALID, "--shred FILE or --keks URL expected, which has the key %s", id);
    }
    if (args->keks != NULL) {
        return ask_key(args, id, out, err);
    }
    struct shred_store *store = shred_open_file(args->shred, err);
    bool is_found = store != NULL && shred_find(store, id, out, err);
    shred_close(store);
    return is_found;
}

static bool print_original(const struct arguments *args, struct span file, struct error *err)
{
    struct secret box CLEANUP(secret_deinit) = {0}, plain CLEANUP(secret_deinit) = {0};
    struct shred_key key;

    bool is_open = take_off_age(args, file, &box, err) && find_key(args, secret_span(&box), &key, err) &&
                   sealed_open_box(&key, secret_span(&box), &plain, err);
    sodium_memzero(&key, sizeof(key));
    return is_open && command_print(secret_span(&plain), err);
}

static int run_open(const struct arguments *args)
{
    struct buf file CLEANUP(wipe);
    struct error err;

    buf_init(&file, FILE_MAX);
    return read_input(args, &file, &err) && print_original(args, buf_span(&file), &err) ? EXIT_CLEAN : command_failed(&err);
}

/* --- rewrap ------------------------------------------------------------------- */

static bool read_group(const char *path, struct age_recipient *out, size_t *n, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, RECIPIENTS_FILE_MAX);
    if (path == NULL) {
        return error_set(err, ERROR_INVALID, "--recipients FILE expected");
    }
    return file_read(path, &text, err) && recipients_read(path, buf_span(&text), out, n, err);
}

static bool rewrap(const struct arguments *args, struct buf *file, struct buf *again, struct error *err)
{
    struct keyring keys CLEANUP(keyring_wipe);
    struct age_recipient recipients[RECIPIENTS_MAX];
    size_t n = 0;

    keys.n = 0;
    return read_identities(args->identity, &keys, err) && read_group(args->recipients, recipients, &n, err) &&
           file_read(args->operands[0], file, err) &&
           age_rewrap(keys.items, keys.n, buf_span(file), recipients, n, again, err);
}

static int run_rewrap(const struct arguments *args)
{
    struct buf file CLEANUP(buf_deinit), again CLEANUP(buf_deinit), line CLEANUP(buf_deinit);
    char before[DIGEST_SHA256_HEX + 1], after[DIGEST_SHA256_HEX + 1];
    struct span blob = blob_of(args->operands[0]);
    struct error err;

    buf_init(&file, FILE_MAX);
    buf_init(&again, FILE_MAX + AGE_HEADER_MAX);
    buf_init(&line, OUTPUT_MAX);
    if (blob.len == 0) {
        (void)error_set(&err, ERROR_INVALID, "%s: the file of an original expected, 32 hexadecimal digits and .age",
                        args->operands[0]);
        return command_failed(&err);
    }
    bool is_done = rewrap(args, &file, &again, &err) && digest_sha256(buf_span(&file), before, &err) &&
                   digest_sha256(buf_span(&again), after, &err) &&
                   buf_appendf(&line, &err, "{\"blob\":\"" SPAN_FMT "\",\"old\":\"%s\",\"new\":\"%s\"}\n", SPAN_ARG(blob), before,
                               after) &&
                   file_write_atomic(args->operands[0], buf_span(&again), 0600, &err);
    return is_done ? command_finish(&line, EXIT_CLEAN) : command_failed(&err);
}

/* --- recipients --------------------------------------------------------------- */

static int run_recipients(const struct arguments *args)
{
    struct buf out CLEANUP(buf_deinit);
    int code = EXIT_CLEAN;
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    for (int i = 0; i < args->n_operands; i++) {
        struct age_recipient recipients[RECIPIENTS_MAX];
        size_t n = 0;
        if (!read_group(args->operands[i], recipients, &n, &err)) {
            code = command_failed(&err);
        } else if (!buf_appendf(&out, &err, "%s: %zu recipient%s\n", args->operands[i], n, plural_s(n))) {
            return command_failed(&err);
        }
    }
    return command_finish(&out, code);
}
