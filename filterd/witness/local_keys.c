#include "witness/local_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/key_file.h"

static const char key_name[] = "log.key", next_name[] = "log.next", new_name[] = "log.next.new";

static bool path_of(const char *folder, const char *name, char path[PATH_MAX], struct error *err)
{
    int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);

    return (n > 0 && n < PATH_MAX) || error_set(err, ERROR_INVALID, "%s: a shorter path expected", folder);
}

static bool sync_folder(const char *folder, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return (fd >= 0 && fsync(fd) == 0) || error_errno(err, "%s", folder);
}

static bool move(const char *folder, const char *from, const char *to, struct error *err)
{
    char old[PATH_MAX], new[PATH_MAX];

    return path_of(folder, from, old, err) && path_of(folder, to, new, err) &&
           (rename(old, new) == 0 || error_errno(err, "%s", new)) && sync_folder(folder, err);
}

bool local_keys_open(struct witness *w, const char *folder, struct error *err)
{
    char path[PATH_MAX], next[PATH_MAX];

    w->keys = folder;
    if (!path_of(folder, key_name, path, err) || !path_of(folder, next_name, next, err)) {
        return false;
    }
    if (!key_file_read(path, w->seed, err) && !(err->kind == ERROR_NOT_FOUND && key_file_make(path, w->seed, err))) {
        return false;
    }
    w->has_next = key_file_read(next, w->next, err);
    return w->has_next || err->kind == ERROR_NOT_FOUND;
}

/* Under another name until it is whole. */
static bool make_next(const char *folder, uint8_t next[NOTE_SEED], struct error *err)
{
    char key[PATH_MAX], path[PATH_MAX];
    struct stat owner;

    if (!path_of(folder, key_name, key, err) || !path_of(folder, new_name, path, err)) {
        return false;
    }
    if (stat(key, &owner) != 0) {
        return error_set(err, ERROR_NOT_FOUND, "%s: the key of a log expected", key);
    }
    if (unlink(path) != 0 && errno != ENOENT) {
        return error_errno(err, "%s", path);
    }
    if (!key_file_make(path, next, err)) {
        return false;
    }
    bool is_owned = geteuid() != 0 || lchown(path, owner.st_uid, owner.st_gid) == 0 || error_errno(err, "%s", path);
    return is_owned && move(folder, new_name, next_name, err);
}

bool local_keys_prepare(const char *folder, uint8_t next[NOTE_SEED], struct error *err)
{
    char path[PATH_MAX];

    if (!path_of(folder, next_name, path, err)) {
        return false;
    }
    return key_file_read(path, next, err) || (err->kind == ERROR_NOT_FOUND && make_next(folder, next, err));
}

bool local_keys_retire(struct witness *w, struct error *err)
{
    if (w->keys == NULL || !move(w->keys, next_name, key_name, err)) {
        return w->keys != NULL ? false : error_set(err, ERROR_NOT_FOUND, "no folder of keys");
    }
    memcpy(w->seed, w->next, sizeof(w->seed));
    sodium_memzero(w->next, sizeof(w->next));
    w->has_next = false;
    return true;
}
