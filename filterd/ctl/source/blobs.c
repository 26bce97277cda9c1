#include "ctl/source/blobs.h"

#include <limits.h>

#include "base/cleanup.h"

enum {
    PACKED_MIN = 64,              /* fewer are not worth another process, which says where the packs are */
    NEAR_BASES = 4 * 1024 * 1024 /* bytes, where the versions of a file are read one after the other */
};

static struct span next_id(struct span *ids)
{
    const char *end = memchr(ids->ptr, '\n', ids->len);
    size_t len = end != NULL ? (size_t)(end - ids->ptr) : ids->len;
    struct span id = span_of(ids->ptr, len);

    *ids = span_slice(*ids, end != NULL ? len + 1 : len, ids->len);
    return id;
}

static bool open_asked(struct blobs *b, size_t id_digits, struct error *err)
{
    static const char *const arguments[] = {"rev-parse", "--git-path", "objects", NULL};
    struct buf folder CLEANUP(buf_deinit);

    buf_init(&folder, PATH_MAX);
    if (!git_output(NULL, arguments, &folder, err) || !buf_append_char(&folder, '\0', err)) {
        return false;
    }
    if (folder.len > 1 && folder.data[folder.len - 2] == '\n') {
        folder.data[folder.len - 2] = '\0';
    }
    return packs_open(&b->packs, folder.data, id_digits / 2, PACK_BLOB, b->max, err);
}

static bool open_packs(struct blobs *b, const char *folder, size_t id_digits, struct error *err)
{
    return folder != NULL ? packs_open(&b->packs, folder, id_digits / 2, PACK_BLOB, b->max, err) : open_asked(b, id_digits, err);
}

bool blobs_open(struct blobs *b, const char *folder, struct span ids, size_t max, struct error *err)
{
    struct span rest = ids;
    size_t id_digits = next_id(&rest).len;
    struct buf asked CLEANUP(buf_deinit);
    struct pack *pack;
    size_t offset;

    *b = (struct blobs)BLOBS_NONE;
    b->max = max;
    buf_init(&asked, ids.len + 1);
    size_t n = ids.len / (id_digits + 1);
    if (n >= PACKED_MIN && !open_packs(b, folder, id_digits, err)) {
        return false;
    }
    packs_expect(&b->packs, n);
    for (rest = ids; rest.len > 0;) {
        struct span id = next_id(&rest);
        if (!packs_find(&b->packs, id, &pack, &offset) && (!buf_append(&asked, id, err) || !buf_append_char(&asked, '\n', err))) {
            return false;
        }
    }
    if (asked.len == 0) {
        b->packs.bases.near_bytes = NEAR_BASES;
    }
    return asked.len == 0 || blob_pipe_open(&b->pipe, buf_span(&asked), max, err);
}

void blobs_close(struct blobs *b)
{
    packs_close(&b->packs);
    blob_pipe_close(&b->pipe);
}

static bool next_piped(struct blob_pipe *pipe, struct span id, enum blob_state *state, struct content **content, struct error *err)
{
    struct span bytes;

    if (!blob_pipe_next(pipe, id, state, &bytes, err)) {
        return false;
    }
    if (*state != BLOB_READ) {
        return true;
    }
    *content = content_new(bytes, err);
    return *content != NULL;
}

static bool ask_alone(const struct blobs *b, struct span id, enum blob_state *state, struct content **content, struct error *err)
{
    struct blob_pipe pipe CLEANUP(blob_pipe_close) = {.git = GIT_NONE};

    return blob_pipe_open(&pipe, id, b->max, err) && next_piped(&pipe, id, state, content, err);
}

bool blobs_next(struct blobs *b, struct span id, enum blob_state *state, struct content **content, struct error *err)
{
    struct pack *pack;
    size_t offset;

    *content = NULL;
    if (!packs_find(&b->packs, id, &pack, &offset)) {
        return next_piped(&b->pipe, id, state, content, err);
    }
    *content = packs_read(&b->packs, pack, offset, err);
    if (*content == NULL) {
        return err->kind != ERROR_NO_MEMORY && ask_alone(b, id, state, content, err);
    }
    *state = BLOB_READ;
    return true;
}

bool blobs_are_packed(const struct blobs *b)
{
    return b->pipe.git.pid < 0;
}

struct content *blobs_packed(struct blobs *b, struct span id)
{
    struct error ignored;
    struct pack *pack;
    size_t offset;

    return packs_find(&b->packs, id, &pack, &offset) ? packs_read(&b->packs, pack, offset, &ignored) : NULL;
}

bool blobs_end(struct blobs *b, struct error *err)
{
    return blobs_are_packed(b) || blob_pipe_end(&b->pipe, err);
}
