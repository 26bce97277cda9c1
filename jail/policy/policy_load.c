/* policy_load.c - a jail's policy from a file that only its owner can change. */
#include "base/cleanup.h"
#include "base/trusted_file.h"
#include "jail/policy/policy.h"

struct file {
    char folder[PATH_MAX];
    struct buf text;
};

static bool read_file(struct file *f, const char *path, struct error *err)
{
    buf_init(&f->text, JAIL_POLICY_BYTES_MAX);
    return trusted_file_read(path, &f->text, err) && trusted_file_folder(path, f->folder, err);
}

struct jail_policy *jail_policy_load(const char *path, struct error *err)
{
    struct file f;
    bool is_read = read_file(&f, path, err);
    struct jail_policy *p = is_read ? jail_policy_read(path, f.folder, buf_span(&f.text), err) : NULL;

    buf_deinit(&f.text);
    return p;
}

struct jail_policy *jail_policy_load_in(struct arena *arena, const char *path, struct error *err)
{
    struct file f;
    bool is_read = read_file(&f, path, err);
    struct jail_policy *p = is_read ? jail_policy_read_in(arena, path, f.folder, buf_span(&f.text), err) : NULL;

    buf_deinit(&f.text);
    return p;
}
