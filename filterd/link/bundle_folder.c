#include "link/bundle_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { FILE_MODE = 0644 };

static bool path_of(char path[PATH_MAX], const char *folder, const char *name, uint64_t number, const char *ending, struct error *err)
{
    int len = snprintf(path, PATH_MAX, "%s/%s-%" PRIu64 "%s", folder, name, number, ending);

    return (len > 0 && len < PATH_MAX) || error_set(err, ERROR_INVALID, "bundles: a shorter path expected");
}

static bool is_there(const char *folder, const char *name, uint64_t number)
{
    struct error ignored;
    char path[PATH_MAX];

    return path_of(path, folder, name, number, ".note", &ignored) && access(path, F_OK) == 0;
}

static bool write_one(const char *folder, const char *name, uint64_t number, const char *ending, const struct buf *bytes, struct error *err)
{
    char path[PATH_MAX];

    return path_of(path, folder, name, number, ending, err) && file_write_atomic(path, buf_span(bytes), FILE_MODE, err);
}

bool bundle_folder_has_rules(const char *folder, uint64_t version)
{
    return is_there(folder, "rules", version);
}

bool bundle_folder_has_note(const char *folder, uint64_t version, struct span note)
{
    struct buf there CLEANUP(buf_deinit);
    struct error ignored;
    char path[PATH_MAX];

    buf_init(&there, BUNDLE_NOTE_MAX);
    return path_of(path, folder, "rules", version, ".note", &ignored) && file_read(path, &there, &ignored) && span_equal(buf_span(&there), note);
}

bool bundle_folder_write_rules(const char *folder, uint64_t version, const struct buf *archive, const struct buf *note, struct error *err)
{
    return write_one(folder, "rules", version, ".tar.zst", archive, err) && write_one(folder, "rules", version, ".note", note, err);
}

bool bundle_folder_remove_rules(const char *folder, uint64_t version, struct error *err)
{
    static const char *const endings[] = {".note", ".tar.zst"};
    char path[PATH_MAX];

    for (size_t i = 0; i < COUNT(endings); i++) {
        if (!path_of(path, folder, "rules", version, endings[i], err)) {
            return false;
        }
        if (unlink(path) != 0 && errno != ENOENT) {
            return error_errno(err, "%s", path);
        }
    }
    return true;
}

bool bundle_folder_add_keys(const char *folder, uint64_t *generation, bundle_keys_fn *get, void *context, struct error *err)
{
    for (*generation = *generation == 0 ? 1 : *generation;; (*generation)++) {
        struct buf note CLEANUP(buf_deinit);
        buf_init(&note, BUNDLE_NOTE_MAX);
        if (is_there(folder, "keys", *generation + 1)) {
            continue;
        }
        if (!get(context, *generation + 1, &note, err)) {
            return err->kind == ERROR_NOT_FOUND;
        }
        if (!write_one(folder, "keys", *generation + 1, ".note", &note, err)) {
            return false;
        }
    }
}
