#include "state/keys.h"

#include <limits.h>
#include <sodium.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { KEY_SIZE = 32, KEY_TEXT = 2 * KEY_SIZE };

static bool parse_key(const char *path, struct span text, uint8_t key[KEY_SIZE], struct error *err)
{
    size_t n = 0;

    if (text.len < KEY_TEXT ||
        sodium_hex2bin(key, KEY_SIZE, text.ptr, KEY_TEXT, NULL, &n, NULL) != 0 || n != KEY_SIZE) {
        return error_set(err, ERROR_INVALID, "%s:1:1: 64 hex digits expected", path);
    }
    return true;
}

static bool check_mode(const char *path, struct error *err)
{
    struct stat info;

    if (stat(path, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return error_set(err, ERROR_DENIED, "%s: mode 0600 expected", path);
    }
    return true;
}

static bool make_key(const char *path, uint8_t key[KEY_SIZE], struct error *err)
{
    char text[KEY_TEXT + 2];

    randombytes_buf(key, KEY_SIZE);
    (void)sodium_bin2hex(text, KEY_TEXT + 1, key, KEY_SIZE);
    text[KEY_TEXT] = '\n';
    bool is_written = file_write_atomic(path, span_of(text, KEY_TEXT + 1), 0600, err);
    sodium_memzero(text, sizeof(text));
    return is_written;
}

static bool key_path(const char *directory, const char *name, char path[PATH_MAX],
                     struct error *err)
{
    int len = snprintf(path, PATH_MAX, "%s/keys/%s.key", directory, name);

    return (len >= 0 && len < PATH_MAX) ||
           error_set(err, ERROR_INVALID, "%s: path too long", directory);
}

static bool read_key(const char *path, uint8_t key[KEY_SIZE], struct error *err)
{
    struct buf text;

    buf_init(&text, 4 * (size_t)KEY_TEXT);
    bool is_read = file_read(path, &text, err) && check_mode(path, err) &&
                   parse_key(path, buf_span(&text), key, err);
    if (text.data != NULL) {
        sodium_memzero(text.data, text.cap);
    }
    buf_deinit(&text);
    return is_read;
}

bool keys_load_named(const char *directory, const char *name, uint8_t key[KEY_SIZE], struct error *err)
{
    char path[PATH_MAX];

    if (!key_path(directory, name, path, err)) {
        return false;
    }
    return read_key(path, key, err) || (err->kind == ERROR_NOT_FOUND && make_key(path, key, err));
}

void keys_name(struct decision_keys *keys)
{
    uint8_t digest[crypto_generichash_BYTES_MIN];

    (void)crypto_generichash(digest, sizeof(digest), keys->token, sizeof(keys->token),
                             (const unsigned char *)"key id", 6);
    (void)sodium_bin2hex(keys->key_id, 2 * 4 + 1, digest, 4);
}

bool keys_load(const char *state_directory, struct keys *out, struct error *err)
{
    const struct {
        const char *name;
        uint8_t *key;
    } files[] = {
        {"token", out->decision.token},
        {"hash", out->redaction.hash},
        {"encrypt", out->redaction.encrypt},
    };
    char directory[PATH_MAX];

    if (state_directory == NULL) {
        randombytes_buf(out, sizeof(*out));
        keys_name(&out->decision);
        return true;
    }
    (void)snprintf(directory, sizeof(directory), "%s/keys", state_directory);
    if (!file_make_directory(directory, err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(files); i++) {
        if (!keys_load_named(state_directory, files[i].name, files[i].key, err)) {
            return false;
        }
    }
    keys_name(&out->decision);
    return true;
}

bool keys_read_named(const char *directory, const char *name, uint8_t key[KEY_SIZE], struct error *err)
{
    char path[PATH_MAX];

    return key_path(directory, name, path, err) && read_key(path, key, err);
}

bool keys_read(const char *state_directory, struct redaction_keys *out, struct error *err)
{
    if (state_directory == NULL) {
        randombytes_buf(out, sizeof(*out));
        return true;
    }
    return keys_read_named(state_directory, "hash", out->hash, err) &&
           keys_read_encrypt(state_directory, out, err);
}

bool keys_read_encrypt(const char *state_directory, struct redaction_keys *out, struct error *err)
{
    return keys_read_named(state_directory, "encrypt", out->encrypt, err);
}

void keys_wipe(struct keys *keys)
{
    sodium_memzero(keys, sizeof(*keys));
}
