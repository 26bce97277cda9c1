#include "state/sealer.h"

#include <sodium.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/file.h"
#include "state/keys.h"
#include "state/original_json.h"
#include "seal/sealed.h"

enum { DRAW_DIGITS = 13 }; /* as many hexadecimal digits as a double holds exactly */

struct sealer {
    struct shred_store *keys;
    struct blobs *files;
    uint8_t sample_key[DIGEST_KEY];
};

static bool make_path(char path[PATH_MAX], const char *folder, size_t len, const char *name, struct error *err)
{
    int n = snprintf(path, PATH_MAX, "%.*s%s", (int)len, folder, name);

    return (n > 0 && n < PATH_MAX) || error_set(err, ERROR_INVALID, "%s: path too long", folder);
}

static bool open_parts(struct sealer *s, const char *state_directory, const char *log, struct error *err)
{
    char path[PATH_MAX];
    const char *slash = strrchr(log, '/');

    if (!make_path(path, state_directory, strlen(state_directory), "/keys", err) || !file_make_directory(path, err) ||
        !keys_load_named(state_directory, "sample", s->sample_key, err) ||
        !make_path(path, state_directory, strlen(state_directory), "/" SHRED_FOLDER, err)) {
        return false;
    }
    s->keys = shred_open(path, err);
    if (s->keys == NULL || !make_path(path, log, slash == NULL ? 0 : (size_t)(slash + 1 - log), BLOBS_FOLDER, err)) {
        return false;
    }
    s->files = blobs_new(path, err);
    return s->files != NULL;
}

struct sealer *sealer_open(const char *state_directory, const char *log, struct error *err)
{
    if (state_directory == NULL) {
        error_set(err, ERROR_INVALID, "seal: a state directory expected, where keys are kept");
        return NULL;
    }
    struct sealer *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "seal: no memory");
        return NULL;
    }
    if (!open_parts(s, state_directory, log, err)) {
        sealer_close(s);
        return NULL;
    }
    return s;
}

void sealer_close(struct sealer *s)
{
    if (s != NULL) {
        blobs_free(s->files);
        shred_close(s->keys);
        sodium_memzero(s->sample_key, sizeof(s->sample_key));
        free(s);
    }
}

static bool write_file(struct sealer *s, const struct exchange *x, struct span plain, struct sealed_note *note,
                       struct error *err)
{
    const struct policy_seal *seal = x->policy->seal;
    const struct sealed_readers readers = {seal->to.all, seal->also.all, seal->to.n_all, seal->also.n_all};
    char month[SHRED_MONTH + 1];
    struct shred_key key;
    struct buf file;

    shred_month(x->now_ns, month);
    if (!shred_key_for(s->keys, identity_tenant(&x->who), month, &key, err)) {
        return false;
    }
    buf_init(&file, plain.len + plain.len / 32 + SEALED_OVERHEAD);
    bool is_written = sealed_write(&key, &readers, plain, &file, err);
    memcpy(note->kek, key.id, sizeof(note->kek));
    sodium_memzero(&key, sizeof(key));
    is_written = is_written && digest_sha256(buf_span(&file), note->sha256, err) &&
                 blobs_add(s->files, buf_span(&file), note->blob, err);
    note->bytes = file.len;
    buf_deinit(&file);
    return is_written;
}

/* In [0, 1), by the exchange's id under a key of its own: who sees ids cannot tell which exchanges are in a sample. */
static bool draw_number(const struct sealer *s, const struct exchange *x, double *draw, struct error *err)
{
    char hex[DIGEST_TOKEN_HEX + 1];

    if (!digest_token(s->sample_key, span_of((const char *)x->id.bytes, sizeof(x->id.bytes)), hex, err)) {
        return false;
    }
    hex[DRAW_DIGITS] = '\0';
    *draw = (double)strtoull(hex, NULL, 16) / (double)(UINT64_C(1) << 4 * DRAW_DIGITS);
    return true;
}

enum seal_result sealer_seal(struct sealer *s, const struct exchange *x, struct sealed_note *note, struct error *err)
{
    struct secret plain;
    double draw = 0;

    if (!originals_are_wanted(x, draw)) {
        return SEAL_NOTHING;
    }
    if (s != NULL && !draw_number(s, x, &draw, err)) {
        *note = (struct sealed_note){.has_failed = true};
        return SEAL_FAILED;
    }
    if (!originals_are_wanted(x, draw)) {
        return SEAL_NOTHING;
    }
    *note = (struct sealed_note){.seal = x->policy->seal,
                                 .is_partial = x->originals != NULL,
                                 .expires_ns = x->now_ns + x->policy->seal->keep_ns};
    bool is_sealed = original_json(x, &plain, err);
    if (!is_sealed && err->kind == ERROR_NOT_FOUND) {
        return SEAL_NOTHING;
    }
    if (is_sealed) {
        is_sealed = s != NULL ? write_file(s, x, secret_span(&plain), note, err)
                              : error_set(err, ERROR_INTERNAL, "seal: no sealer");
        secret_deinit(&plain);
    }
    if (!is_sealed) {
        *note = (struct sealed_note){.has_failed = true};
    }
    return is_sealed ? SEAL_DONE : SEAL_FAILED;
}

bool sealer_find_key(struct sealer *s, const char *id, struct shred_key *out, struct error *err)
{
    if (s == NULL) {
        return error_set(err, ERROR_NOT_FOUND, "keys of originals: there are none");
    }
    return shred_find(s->keys, id, out, err);
}

bool sealer_sync(void *sealer, struct error *err)
{
    const struct sealer *s = sealer;

    return blobs_sync(s->files, err);
}
