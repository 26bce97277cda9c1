#include "http/spool.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    TAG = crypto_aead_chacha20poly1305_ietf_ABYTES,
    NONCE = crypto_aead_chacha20poly1305_ietf_NPUBBYTES,
    SEALED = SPOOL_CHUNK + TAG,
};

struct spool {
    const char *directory;
    uint64_t max, size;
    int fd;              /* -1 while all is in memory */
    uint64_t n_chunks;   /* in the file */
    uint64_t next_chunk; /* to read */
    size_t at;           /* read position in `open` */
    bool is_tail_read;   /* `open` is a chunk of the file, the tail waits in `tail` */
    size_t n_open, n_tail;
    uint8_t key[crypto_aead_chacha20poly1305_ietf_KEYBYTES];
    char tail[SPOOL_CHUNK]; /* the bytes after the last full chunk */
    char open[SPOOL_CHUNK];
    unsigned char sealed[SEALED];
};

struct spool *spool_new(const char *directory, uint64_t max, struct error *err)
{
    struct spool *s = malloc(sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "spool: no memory");
        return NULL;
    }
    s->directory = directory;
    s->max = max;
    s->size = s->n_chunks = s->next_chunk = 0;
    s->at = s->n_open = s->n_tail = 0;
    s->is_tail_read = false;
    s->fd = -1;
    crypto_aead_chacha20poly1305_ietf_keygen(s->key);
    return s;
}

void spool_free(struct spool *s)
{
    if (s == NULL) {
        return;
    }
    if (s->fd >= 0) {
        close(s->fd);
    }
    sodium_memzero(s->key, sizeof(s->key));
    free(s);
}

/* The chunk's number: a key is used for one spool only, so no nonce comes twice. */
static void make_nonce(uint64_t chunk, unsigned char nonce[NONCE])
{
    memset(nonce, 0, NONCE);
    memcpy(nonce, &chunk, sizeof(chunk));
}

static bool open_file(struct spool *s, struct error *err)
{
    if (s->fd < 0) {
        s->fd = open(s->directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    }
    return s->fd >= 0 || error_errno(err, "spool: %s", s->directory);
}

static bool write_chunk(struct spool *s, struct error *err)
{
    unsigned char nonce[NONCE];

    if (!open_file(s, err)) {
        return false;
    }
    make_nonce(s->n_chunks, nonce);
    (void)crypto_aead_chacha20poly1305_ietf_encrypt(s->sealed, NULL, (unsigned char *)s->tail,
                                                    SPOOL_CHUNK, NULL, 0, NULL, nonce, s->key);
    ssize_t n = pwrite(s->fd, s->sealed, SEALED, (off_t)(s->n_chunks * SEALED));
    if (n != SEALED) {
        return error_errno(err, "spool: write");
    }
    s->n_chunks++;
    s->n_tail = 0;
    return true;
}

bool spool_append(struct spool *s, struct span bytes, struct error *err)
{
    if (bytes.len > s->max - s->size) {
        return error_set(err, ERROR_LIMIT, "spool: full");
    }
    s->size += bytes.len;
    while (bytes.len > 0) {
        if (s->n_tail == SPOOL_CHUNK && !write_chunk(s, err)) {
            return false;
        }
        size_t room = SPOOL_CHUNK - s->n_tail;
        size_t n = bytes.len < room ? bytes.len : room;
        memcpy(s->tail + s->n_tail, bytes.ptr, n);
        s->n_tail += n;
        bytes = span_slice(bytes, n, bytes.len);
    }
    return true;
}

uint64_t spool_size(const struct spool *s)
{
    return s->size;
}

static bool read_chunk(struct spool *s, struct error *err)
{
    unsigned char nonce[NONCE];

    make_nonce(s->next_chunk, nonce);
    ssize_t n = pread(s->fd, s->sealed, SEALED, (off_t)(s->next_chunk * SEALED));
    if (n != SEALED) {
        return error_errno(err, "spool: read");
    }
    if (crypto_aead_chacha20poly1305_ietf_decrypt((unsigned char *)s->open, NULL, NULL, s->sealed,
                                                  SEALED, NULL, 0, nonce, s->key) != 0) {
        return error_set(err, ERROR_INTERNAL, "spool: the file was changed");
    }
    s->next_chunk++;
    s->n_open = SPOOL_CHUNK;
    return true;
}

bool spool_read(struct spool *s, size_t max, struct span *bytes, struct error *err)
{
    if (s->at == s->n_open && s->next_chunk < s->n_chunks) {
        s->at = 0;
        if (!read_chunk(s, err)) {
            return false;
        }
    } else if (s->at == s->n_open && !s->is_tail_read) {
        s->is_tail_read = true;
        s->at = 0;
        s->n_open = s->n_tail;
        memcpy(s->open, s->tail, s->n_tail);
    }
    size_t n = s->n_open - s->at;
    n = n < max ? n : max;
    *bytes = span_of(s->open + s->at, n);
    s->at += n;
    return true;
}
