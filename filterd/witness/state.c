#include "witness/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"

bool witness_state_open(struct witness_state *s, const char *folder, struct error *err)
{
    *s = (struct witness_state){.fd = -1};
    int len = snprintf(s->folder, sizeof(s->folder), "%s", folder);
    if (len <= 0 || (size_t)len >= sizeof(s->folder)) {
        return error_set(err, ERROR_INVALID, "state: a path of 1 to %d bytes expected", PATH_MAX - 1);
    }
    if (!file_make_directory(folder, err)) {
        return false;
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return error_errno(err, "%s", folder);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        bool is_taken = errno == EWOULDBLOCK;
        error_errno(err, "%s", folder);
        (void)close(fd);
        return is_taken ? error_set(err, ERROR_DENIED, "%s: another witness has this state", folder) : false;
    }
    s->fd = fd;
    return true;
}

void witness_state_close(struct witness_state *s)
{
    if (s->fd >= 0) {
        (void)close(s->fd);
        s->fd = -1;
    }
}

static bool state_path(const struct witness_state *s, struct span origin, char path[PATH_MAX], struct error *err)
{
    char name[DIGEST_SHA256_HEX + 1];

    if (!digest_sha256(origin, name, err)) {
        return false;
    }
    int len = snprintf(path, PATH_MAX, "%s/%s", s->folder, name);
    return (len > 0 && len < PATH_MAX) || error_set(err, ERROR_INVALID, "%s: path too long", s->folder);
}

bool witness_state_read(const struct witness_state *s, struct span origin, uint64_t *size, struct tree_hash *root,
                        struct error *err)
{
    char path[PATH_MAX];
    struct checkpoint c;
    struct buf text;

    if (!state_path(s, origin, path, err)) {
        return false;
    }
    buf_init(&text, CHECKPOINT_TEXT_MAX);
    bool is_there = file_read(path, &text, err);
    bool is_good = is_there && checkpoint_parse_text(buf_span(&text), &c, err) && span_equal(c.origin, origin);
    if (is_good) {
        *size = c.size;
        *root = c.root;
    } else if (is_there) {
        error_set(err, ERROR_MALFORMED, "%s: the checkpoint of an origin expected", path);
    } else if (err->kind == ERROR_NOT_FOUND) {
        *size = 0;
        tree_hash_empty(root);
        is_good = true;
    }
    buf_deinit(&text);
    return is_good;
}

bool witness_state_write(const struct witness_state *s, struct span origin, uint64_t size, const struct tree_hash *root,
                         struct error *err)
{
    char path[PATH_MAX];
    struct buf text;

    if (!state_path(s, origin, path, err)) {
        return false;
    }
    buf_init(&text, CHECKPOINT_TEXT_MAX);
    bool is_written =
        checkpoint_format(origin, size, root, &text, err) && file_write_atomic(path, buf_span(&text), 0600, err);
    buf_deinit(&text);
    /* The new name, too, or a loss of power brings the old one back. */
    return is_written && (fsync(s->fd) == 0 || error_errno(err, "%s", s->folder));
}
