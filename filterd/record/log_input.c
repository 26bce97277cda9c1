#include "record/log_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

struct log_input {
    char *path;
    int fd;
    enum log_compression compression;
    gzFile gz; /* owns a duplicate of fd */
    ZSTD_DStream *zstd;
    ZSTD_inBuffer compressed;
    char *room;            /* of `compressed` */
    bool is_between_frames; /* the data may end here */
};

static bool allocate(struct log_input *in, struct error *err)
{
    if (in->compression == LOG_GZIP) {
        int fd = dup(in->fd);
        in->gz = fd < 0 ? NULL : gzdopen(fd, "rb");
        if (in->gz == NULL && fd >= 0) {
            (void)close(fd);
        }
        return in->gz != NULL || error_set(err, ERROR_NO_MEMORY, "%s: no memory", in->path);
    }
    if (in->compression == LOG_ZSTD) {
        in->zstd = ZSTD_createDStream();
        in->room = malloc(ZSTD_DStreamInSize());
        in->compressed.src = in->room;
        in->is_between_frames = true;
        return (in->zstd != NULL && in->room != NULL) || error_set(err, ERROR_NO_MEMORY, "%s: no memory", in->path);
    }
    return true;
}

static enum log_compression detect(int fd)
{
    static const unsigned char gzip[] = {0x1F, 0x8B}, zstd[] = {0x28, 0xB5, 0x2F, 0xFD};
    unsigned char first[4] = {0};
    ssize_t n = pread(fd, first, sizeof(first), 0);

    if (n >= (ssize_t)sizeof(zstd) && memcmp(first, zstd, sizeof(zstd)) == 0) {
        return LOG_ZSTD;
    }
    return n >= (ssize_t)sizeof(gzip) && memcmp(first, gzip, sizeof(gzip)) == 0 ? LOG_GZIP : LOG_PLAIN;
}

static bool open_file(struct log_input *in, struct error *err)
{
    struct stat info;

    /* A pipe among the files of the folder must not hold up the reader. */
    in->fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (in->fd < 0 || fstat(in->fd, &info) != 0) {
        return error_errno(err, "%s", in->path);
    }
    if (!S_ISREG(info.st_mode)) {
        return error_set(err, ERROR_INVALID, "%s: a regular file expected", in->path);
    }
    in->compression = detect(in->fd);
    return allocate(in, err);
}

struct log_input *log_input_open(const char *path, struct error *err)
{
    struct log_input *in = calloc(1, sizeof(*in));
    char *copy = strdup(path);

    if (in == NULL || copy == NULL) {
        free(in);
        free(copy);
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
        return NULL;
    }
    in->path = copy;
    if (!open_file(in, err)) {
        log_input_close(in);
        return NULL;
    }
    return in;
}

void log_input_close(struct log_input *in)
{
    if (in == NULL) {
        return;
    }
    if (in->gz != NULL) {
        (void)gzclose_r(in->gz);
    }
    (void)ZSTD_freeDStream(in->zstd);
    if (in->fd >= 0) {
        (void)close(in->fd);
    }
    free(in->room);
    free(in->path);
    free(in);
}

enum log_compression log_input_compression(const struct log_input *in)
{
    return in->compression;
}

int log_input_fd(const struct log_input *in)
{
    return in->compression == LOG_PLAIN ? in->fd : -1;
}

static bool read_fd(const struct log_input *in, char *to, size_t max, size_t *len, struct error *err)
{
    ssize_t n;

    do {
        n = read(in->fd, to, max);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return error_errno(err, "%s", in->path);
    }
    *len = (size_t)n;
    return true;
}

static bool read_gzip(const struct log_input *in, char *to, size_t max, size_t *len, struct error *err)
{
    int status = Z_OK;

    errno = 0;
    int n = gzread(in->gz, to, (unsigned)max);
    if (n < 0 && errno != 0) {
        return error_errno(err, "%s", in->path);
    }
    /* At the end gzread says nothing when the data stops in the middle. */
    if (n < 0 || (n == 0 && (gzerror(in->gz, &status), status == Z_BUF_ERROR))) {
        return error_set(err, ERROR_MALFORMED, "%s: whole and intact gzip data expected", in->path);
    }
    *len = (size_t)n;
    return true;
}

static bool read_zstd(struct log_input *in, char *to, size_t max, size_t *len, struct error *err)
{
    ZSTD_outBuffer out = {.dst = to, .size = max};

    while (out.pos == 0) {
        if (in->compressed.pos == in->compressed.size) {
            in->compressed.pos = 0;
            if (!read_fd(in, in->room, ZSTD_DStreamInSize(), &in->compressed.size, err)) {
                return false;
            }
        }
        bool is_end = in->compressed.size == 0;
        if (is_end && in->is_between_frames) {
            break;
        }
        size_t left = ZSTD_decompressStream(in->zstd, &out, &in->compressed);
        if (ZSTD_isError(left) != 0 || (is_end && out.pos == 0)) {
            return error_set(err, ERROR_MALFORMED, "%s: whole and intact zstd data expected", in->path);
        }
        in->is_between_frames = left == 0;
    }
    *len = out.pos;
    return true;
}

bool log_input_read(struct log_input *in, char *to, size_t max, size_t *len, struct error *err)
{
    switch (in->compression) {
    case LOG_GZIP:
        return read_gzip(in, to, max, len, err);
    case LOG_ZSTD:
        return read_zstd(in, to, max, len, err);
    case LOG_PLAIN:
    default:
        return read_fd(in, to, max, len, err);
    }
}
