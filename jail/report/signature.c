#include "jail/report/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { SEED = 32, SEED_TEXT = 2 * SEED, SIGNATURE = 64, FILE_MAX = 4096 };

_Static_assert(JAIL_PUBLIC_KEY == crypto_sign_PUBLICKEYBYTES && JAIL_SECRET_KEY == crypto_sign_SECRETKEYBYTES &&
                   SEED == crypto_sign_SEEDBYTES && SIGNATURE == crypto_sign_BYTES,
               "libsodium's sizes");

/* --- files ---------------------------------------------------------------- */

/* Whole and synced before it has its name; a file that is there already stays. */
static bool publish(int folder, const char *name, const char *text, mode_t mode, struct error *err)
{
    char temporary[64];
    uint64_t random;

    if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        return error_errno(err, "getrandom");
    }
    (void)snprintf(temporary, sizeof(temporary), ".%s-%016llx", name, (unsigned long long)random);
    int fd CLEANUP(cleanup_fd) = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) {
        return error_errno(err, "%s", name);
    }
    bool is_there = write(fd, text, strlen(text)) == (ssize_t)strlen(text) && fsync(fd) == 0 &&
                    (linkat(folder, temporary, folder, name, 0) == 0 || errno == EEXIST);
    if (!is_there) {
        error_errno(err, "%s", name);
    }
    (void)unlinkat(folder, temporary, 0);
    return is_there;
}

static bool parse_hex(const char *name, struct span text, uint8_t *out, size_t n, struct error *err)
{
    size_t len = 0;

    if (text.len < 2 * n || sodium_hex2bin(out, n, text.ptr, 2 * n, NULL, &len, NULL) != 0 || len != n) {
        return error_set(err, ERROR_INVALID, "%s:1:1: %zu hexadecimal digits expected", name, 2 * n);
    }
    return true;
}

static bool make_seed(int folder, struct error *err)
{
    uint8_t seed[SEED];
    char text[SEED_TEXT + 2];

    if (getrandom(seed, sizeof(seed), 0) != (ssize_t)sizeof(seed)) {
        return error_errno(err, "getrandom");
    }
    (void)sodium_bin2hex(text, SEED_TEXT + 1, seed, SEED);
    text[SEED_TEXT] = '\n';
    text[SEED_TEXT + 1] = '\0';
    bool is_made = publish(folder, JAIL_KEY_FILE, text, 0600, err);
    sodium_memzero(seed, sizeof(seed));
    sodium_memzero(text, sizeof(text));
    return is_made;
}

static int open_seed(int folder, struct error *err)
{
    struct stat info;
    int fd = openat(folder, JAIL_KEY_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT && make_seed(folder, err)) {
        fd = openat(folder, JAIL_KEY_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0 || fstat(fd, &info) != 0) {
        error_errno(err, JAIL_KEY_FILE);
        cleanup_fd(&fd);
        return -1;
    }
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0 || !S_ISREG(info.st_mode)) {
        error_set(err, ERROR_DENIED, JAIL_KEY_FILE ": mode 0600 expected");
        (void)close(fd);
        return -1;
    }
    return fd;
}

bool jail_signing_key_load(int folder, struct jail_signing_key *key, struct error *err)
{
    struct buf text;
    uint8_t seed[SEED];
    char public[2 * JAIL_PUBLIC_KEY + 2];
    int fd CLEANUP(cleanup_fd) = open_seed(folder, err);

    buf_init(&text, FILE_MAX);
    bool is_read = fd >= 0 && file_read_fd(fd, JAIL_KEY_FILE, &text, err) &&
                   parse_hex(JAIL_KEY_FILE, buf_span(&text), seed, SEED, err);
    if (text.data != NULL) {
        sodium_memzero(text.data, text.cap);
    }
    buf_deinit(&text);
    if (!is_read) {
        return false;
    }
    (void)crypto_sign_seed_keypair(key->public, key->secret, seed);
    sodium_memzero(seed, sizeof(seed));
    (void)sodium_bin2hex(public, sizeof(public) - 1, key->public, JAIL_PUBLIC_KEY);
    public[sizeof(public) - 2] = '\n';
    public[sizeof(public) - 1] = '\0';
    return faccessat(folder, JAIL_PUBLIC_KEY_FILE, F_OK, 0) == 0 || publish(folder, JAIL_PUBLIC_KEY_FILE, public, 0644, err);
}

void jail_signing_key_wipe(struct jail_signing_key *key)
{
    sodium_memzero(key, sizeof(*key));
}

bool jail_public_key_read(const char *path, uint8_t key[JAIL_PUBLIC_KEY], struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, FILE_MAX);
    return file_read(path, &text, err) && parse_hex(path, buf_span(&text), key, JAIL_PUBLIC_KEY, err);
}

/* --- lines ---------------------------------------------------------------- */

#define HEAD "{\"report\":"
#define KEY ",\"key\":\"ed25519:"
#define SIGNED "\",\"signature\":\"ed25519:"
#define TAIL "\"}\n"

enum { TAIL_LENGTH = sizeof(KEY) - 1 + 2 * JAIL_PUBLIC_KEY + sizeof(SIGNED) - 1 + 2 * SIGNATURE + sizeof(TAIL) - 1 };

bool jail_sign(const struct jail_signing_key *key, struct span report, struct buf *out, struct error *err)
{
    uint8_t signature[SIGNATURE];
    char public[2 * JAIL_PUBLIC_KEY + 1], text[2 * SIGNATURE + 1];

    (void)crypto_sign_detached(signature, NULL, (const uint8_t *)report.ptr, report.len, key->secret);
    (void)sodium_bin2hex(public, sizeof(public), key->public, JAIL_PUBLIC_KEY);
    (void)sodium_bin2hex(text, sizeof(text), signature, SIGNATURE);
    return buf_append_str(out, HEAD, err) && buf_append(out, report, err) &&
           buf_appendf(out, err, KEY "%s" SIGNED "%s" TAIL, public, text);
}

bool jail_verify(const uint8_t key[JAIL_PUBLIC_KEY], struct span line, struct span *report, struct error *err)
{
    uint8_t signature[SIGNATURE];
    struct error ignored;

    if (!span_starts_with(line, span_str(HEAD)) || line.len < sizeof(HEAD) - 1 + TAIL_LENGTH ||
        !span_equal(span_slice(line, line.len - (sizeof(TAIL) - 1), line.len), span_str(TAIL))) {
        return error_set(err, ERROR_MALFORMED, "a signed report expected");
    }
    size_t named = line.len - TAIL_LENGTH + sizeof(KEY) - 1 + (size_t)2 * JAIL_PUBLIC_KEY;
    if (!span_starts_with(span_slice(line, line.len - TAIL_LENGTH, line.len), span_str(KEY)) ||
        !span_starts_with(span_slice(line, named, line.len), span_str(SIGNED))) {
        return error_set(err, ERROR_MALFORMED, "a signed report expected");
    }
    size_t end = line.len - TAIL_LENGTH, text = line.len - (sizeof(TAIL) - 1) - (size_t)2 * SIGNATURE;
    struct span part = span_slice(line, sizeof(HEAD) - 1, end);
    bool is_good = parse_hex("signature", span_slice(line, text, line.len), signature, SIGNATURE, &ignored) &&
                   crypto_sign_verify_detached(signature, (const uint8_t *)part.ptr, part.len, key) == 0;
    if (!is_good) {
        return error_set(err, ERROR_DENIED, "the signature is not that of this key");
    }
    *report = part;
    return true;
}
