#include "dataset/key.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "dataset/letters.h"

enum { KEY_TEXT = 2 * DATASET_KEY };

static void derive(const uint8_t key[DATASET_KEY], const char *use, void *out, size_t n)
{
    (void)crypto_generichash(out, n, (const uint8_t *)use, strlen(use), key, DATASET_KEY);
}

void dataset_key_derive(const uint8_t key[DATASET_KEY], struct dataset_key *out)
{
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];
    uint8_t letters[DATASET_KEY];

    derive(key, "filterd dataset check", out->check, sizeof(out->check));
    derive(key, "filterd dataset mac", out->mac, sizeof(out->mac));
    derive(key, "filterd dataset hash", out->hash, sizeof(out->hash));
    derive(key, "filterd dataset filter", out->filter, sizeof(out->filter));
    derive(key, "filterd dataset words", out->words, sizeof(out->words));
    derive(key, "filterd dataset letters", letters, sizeof(letters));
    (void)crypto_stream_chacha20((uint8_t *)out->letters, sizeof(out->letters), nonce, letters);
    for (size_t c = 0; c < COUNT(out->ascii); c++) {
        out->ascii[c] = letters_ascii[c] == 0 ? 0 : out->letters[(unsigned char)letters_ascii[c]];
    }
    sodium_memzero(letters, sizeof(letters));
}

/* The opened file decides, not the path. */
static bool check_file(int fd, const char *path, struct error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    if (!S_ISREG(info.st_mode) || (info.st_uid != 0 && info.st_uid != geteuid())) {
        return error_set(err, ERROR_DENIED, "%s: a regular file of root or the caller expected", path);
    }
    return (info.st_mode & 077) == 0 || error_set(err, ERROR_DENIED, "%s: mode 0600 or less expected", path);
}

bool dataset_key_read(const char *path, struct dataset_key *out, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct buf text;
    uint8_t key[DATASET_KEY];
    size_t n = 0;

    if (fd < 0) {
        return error_errno(err, "%s", path);
    }
    if (!check_file(fd, path, err)) {
        return false;
    }
    buf_init(&text, KEY_TEXT + 1);
    bool is_read = file_read_fd(fd, path, &text, err);
    bool is_key = is_read && (text.len == KEY_TEXT || (text.len == KEY_TEXT + 1 && text.data[KEY_TEXT] == '\n')) &&
                  sodium_hex2bin(key, sizeof(key), text.data, KEY_TEXT, NULL, &n, NULL) == 0 && n == sizeof(key);
    if (is_key) {
        dataset_key_derive(key, out);
    }
    sodium_memzero(key, sizeof(key));
    buf_wipe(&text);
    buf_deinit(&text);
    return is_key || (is_read ? error_set(err, ERROR_INVALID, "%s:1:1: %d hexadecimal digits expected", path, KEY_TEXT) : false);
}

bool dataset_key_make(const char *path, struct dataset_key *out, bool *is_new, struct error *err)
{
    uint8_t key[DATASET_KEY];
    char text[KEY_TEXT + 2];

    *is_new = access(path, F_OK) != 0 && errno == ENOENT;
    if (!*is_new) {
        return dataset_key_read(path, out, err);
    }
    randombytes_buf(key, sizeof(key));
    (void)sodium_bin2hex(text, sizeof(text), key, sizeof(key));
    text[KEY_TEXT] = '\n';
    bool is_written = file_write_atomic(path, span_of(text, KEY_TEXT + 1), 0600, err);
    dataset_key_derive(key, out);
    sodium_memzero(key, sizeof(key));
    sodium_memzero(text, sizeof(text));
    return is_written;
}

void dataset_key_wipe(struct dataset_key *key)
{
    sodium_memzero(key, sizeof(*key));
}

/* --- SipHash-2-4 of a few bytes ------------------------------------------------------- */

enum { SHORT = 15 }; /* bytes of a value that are hashed here: two words with the kind and the length */

struct sip {
    uint64_t a, b, c, d;
};

static inline uint64_t turn(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static inline void sip_round(struct sip *s)
{
    s->a += s->b;
    s->c += s->d;
    s->b = turn(s->b, 13) ^ s->a;
    s->d = turn(s->d, 16) ^ s->c;
    s->a = turn(s->a, 32);
    s->c += s->b;
    s->a += s->d;
    s->b = turn(s->b, 17) ^ s->c;
    s->d = turn(s->d, 21) ^ s->a;
    s->c = turn(s->c, 32);
}

static inline void sip_word(struct sip *s, uint64_t word)
{
    s->d ^= word;
    sip_round(s);
    sip_round(s);
    s->a ^= word;
}

/* Up to 8 bytes as a number, the first one lowest. */
static inline uint64_t few_bytes(const char *from, size_t n)
{
    uint32_t first, last;

    if (n >= sizeof(first)) { /* which overlap */
        memcpy(&first, from, sizeof(first));
        memcpy(&last, from + n - sizeof(last), sizeof(last));
        return first | (uint64_t)last << 8 * (n - sizeof(last));
    }
    const unsigned char *bytes = (const unsigned char *)from;
    return n == 0 ? 0 : bytes[0] | (uint64_t)bytes[n / 2] << 8 * (n / 2) | (uint64_t)bytes[n - 1] << 8 * (n - 1);
}

/* The same as libsodium's, whose call takes three times as long for a word of a text. */
static uint64_t hash_short(const struct dataset_key *key, char kind, struct span value)
{
    uint64_t k0, k1, last = (uint64_t)(value.len + 1) << 56;

    memcpy(&k0, key->hash, sizeof(k0));
    memcpy(&k1, key->hash + sizeof(k0), sizeof(k1));
    struct sip s = {UINT64_C(0x736f6d6570736575) ^ k0, UINT64_C(0x646f72616e646f6d) ^ k1, UINT64_C(0x6c7967656e657261) ^ k0,
                    UINT64_C(0x7465646279746573) ^ k1};
    if (value.len < 7) {
        last |= few_bytes(value.ptr, value.len) << 8 | (unsigned char)kind;
    } else {
        sip_word(&s, few_bytes(value.ptr, 7) << 8 | (unsigned char)kind);
        last |= few_bytes(value.ptr + 7, value.len - 7);
    }
    sip_word(&s, last);
    s.c ^= 0xff;
    for (unsigned i = 0; i < 4; i++) {
        sip_round(&s);
    }
    return s.a ^ s.b ^ s.c ^ s.d;
}

static uint64_t hash_long(const struct dataset_key *key, char kind, struct span value)
{
    uint8_t bytes[1 + DATASET_VALUE_MAX];
    uint8_t digest[crypto_shorthash_BYTES];
    uint64_t hash;

    bytes[0] = (uint8_t)kind;
    memcpy(bytes + 1, value.ptr, value.len);
    (void)crypto_shorthash(digest, bytes, 1 + value.len, key->hash);
    memcpy(&hash, digest, sizeof(hash));
    return hash;
}

uint64_t dataset_hash(const struct dataset_key *key, char kind, struct span value)
{
    return value.len < SHORT ? hash_short(key, kind, value) : hash_long(key, kind, value);
}

/* --- a permutation ---------------------------------------------------------------------- */

enum { PERMUTE_ROUNDS = 6 };

static uint32_t round_of(const struct dataset_key *key, unsigned round, uint32_t half)
{
    char value[1 + sizeof(half)];

    value[0] = (char)round;
    memcpy(value + 1, &half, sizeof(half));
    return (uint32_t)dataset_hash(key, 'r', span_of(value, sizeof(value)));
}

uint64_t dataset_permute(const struct dataset_key *key, uint64_t x)
{
    for (unsigned round = 0; round < PERMUTE_ROUNDS; round++) {
        const uint32_t left = (uint32_t)(x >> 32), right = (uint32_t)x;
        x = (uint64_t)right << 32 | (left ^ round_of(key, round, right));
    }
    return x;
}

uint64_t dataset_permute_back(const struct dataset_key *key, uint64_t x)
{
    for (unsigned round = PERMUTE_ROUNDS; round-- > 0;) {
        const uint32_t left = (uint32_t)(x >> 32), right = (uint32_t)x;
        x = (uint64_t)(right ^ round_of(key, round, left)) << 32 | left;
    }
    return x;
}
