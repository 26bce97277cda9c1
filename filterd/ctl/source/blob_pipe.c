#include "ctl/source/blob_pipe.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { PIECE = 256 * 1024, HEAD_MAX = 200 };

bool blob_pipe_open(struct blob_pipe *b, struct span ids, size_t max, struct error *err)
{
    static const char *const arguments[] = {"cat-file", "--batch", "--buffer", NULL};
    int list CLEANUP(cleanup_fd) = memfd_create("blobs", MFD_CLOEXEC);

    *b = (struct blob_pipe){.git = GIT_NONE, .max = max};
    buf_init(&b->pending, max + 2 * PIECE);
    if (list < 0 || !file_write_all(list, ids) || lseek(list, 0, SEEK_SET) != 0) {
        return error_errno(err, "git: list of blobs");
    }
    return git_start(&b->git, NULL, arguments, list, err);
}

void blob_pipe_close(struct blob_pipe *b)
{
    git_stop(&b->git);
    buf_deinit(&b->pending);
}

static struct span left(const struct blob_pipe *b)
{
    return span_slice(buf_span(&b->pending), b->at, b->pending.len);
}

/* Reads until `len` bytes are pending. */
static bool fill(struct blob_pipe *b, size_t len, struct error *err)
{
    if (left(b).len < len && b->at > 0) {
        memmove(b->pending.data, b->pending.data + b->at, left(b).len);
        b->pending.len -= b->at;
        b->at = 0;
    }
    while (left(b).len < len) {
        size_t n;
        if (!buf_reserve(&b->pending, PIECE, err) || !git_read(&b->git, b->pending.data + b->pending.len, PIECE, &n, err)) {
            return false;
        }
        if (n == 0) {
            return git_end(&b->git, err) && error_set(err, ERROR_MALFORMED, "git: more blobs expected");
        }
        b->pending.len += n;
    }
    return true;
}

static bool skip(struct blob_pipe *b, size_t len, struct error *err)
{
    while (len > 0) {
        if (!fill(b, 1, err)) {
            return false;
        }
        size_t n = left(b).len < len ? left(b).len : len;
        b->at += n;
        len -= n;
    }
    return true;
}

/* One line, without its newline, as a string. */
static bool read_head(struct blob_pipe *b, char head[HEAD_MAX], struct error *err)
{
    for (size_t i = 0; i < HEAD_MAX; i++) {
        if (!fill(b, 1, err)) {
            return false;
        }
        head[i] = b->pending.data[b->at++];
        if (head[i] == '\n') {
            head[i] = '\0';
            return true;
        }
    }
    return error_set(err, ERROR_MALFORMED, "git: the head of a blob expected");
}

/* "ID blob SIZE", or "ID missing". */
bool blob_pipe_next(struct blob_pipe *b, struct span id, enum blob_state *state, struct span *content, struct error *err)
{
    char head[HEAD_MAX];

    if (!read_head(b, head, err)) {
        return false;
    }
    if (strncmp(head, id.ptr, id.len) != 0 || head[id.len] != ' ') {
        return error_set(err, ERROR_MALFORMED, "git: the blob that was asked for expected");
    }
    const char *rest = head + id.len + 1;
    *content = span_of("", 0);
    *state = BLOB_MISSING;
    if (strcmp(rest, "missing") == 0) {
        return true;
    }
    const char *size = strchr(rest, ' ');
    if (size == NULL || size[1] < '0' || size[1] > '9') {
        return error_set(err, ERROR_MALFORMED, "git: the size of a blob expected");
    }
    char *end;
    errno = 0;
    unsigned long long len = strtoull(size + 1, &end, 10);
    if (errno != 0 || *end != '\0' || len > SIZE_MAX - 1) {
        return error_set(err, ERROR_MALFORMED, "git: the size of a blob expected");
    }
    if (len > b->max || strncmp(rest, "blob ", strlen("blob ")) != 0) {
        *state = BLOB_TOO_LARGE;
        return skip(b, (size_t)len + 1, err);
    }
    if (!fill(b, (size_t)len + 1, err)) {
        return false;
    }
    *state = BLOB_READ;
    *content = span_of(b->pending.data + b->at, (size_t)len);
    b->at += (size_t)len + 1;
    return true;
}

bool blob_pipe_end(struct blob_pipe *b, struct error *err)
{
    return git_end(&b->git, err);
}
