#include "ctl/outputs/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "ctl/outputs/quarantine.h"

int target_open(const char *folder, struct error *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0) {
        error_errno(err, "%s", folder);
    }
    return fd;
}

bool target_compare(int folder, const char *path, struct span bytes, enum target_state *state, struct error *err)
{
    struct buf there CLEANUP(buf_deinit);
    struct stat info;
    int fd CLEANUP(cleanup_fd) = quarantine_open_below(folder, path, O_RDONLY | O_NONBLOCK);

    buf_init(&there, bytes.len + 1);
    if (fd < 0 && errno == ENOENT) {
        *state = TARGET_NEW;
        return true;
    }
    if (fd < 0 || fstat(fd, &info) != 0) {
        return error_errno(err, "%s: at the target", path);
    }
    *state = TARGET_OTHER;
    if (S_ISREG(info.st_mode) && info.st_size == (off_t)bytes.len) {
        struct error ignored; /* it grew just now: another one then */
        bool is_same = file_read_fd(fd, path, &there, &ignored) && span_equal(buf_span(&there), bytes);
        *state = is_same ? TARGET_SAME : TARGET_OTHER;
    }
    return true;
}

/* The folder that the last part of `path` is in; *name is that part. Missing folders are made. */
static int open_parent(int folder, const char *path, const char **name, struct error *err)
{
    char partial[PATH_MAX];

    if ((size_t)snprintf(partial, sizeof(partial), "%s", path) >= sizeof(partial)) {
        error_set(err, ERROR_INVALID, "a shorter path expected");
        return -1;
    }
    int at = quarantine_open_below(folder, ".", O_PATH | O_DIRECTORY);
    char *part = partial;
    for (char *slash = strchr(part, '/'); at >= 0 && slash != NULL; slash = strchr(part, '/')) {
        *slash = '\0';
        if (mkdirat(at, part, 0755) != 0 && errno != EEXIST) {
            break;
        }
        int next = quarantine_open_below(at, part, O_PATH | O_DIRECTORY);
        (void)close(at);
        at = next;
        part = slash + 1;
    }
    if (at < 0 || strchr(part, '/') != NULL) {
        error_errno(err, "%s: at the target", path);
        cleanup_fd(&at);
        return -1;
    }
    *name = path + (part - partial);
    return at;
}

/* One rename, which with RENAME_NOREPLACE also says whether something was there. */
static bool put(int parent, const char *temporary, const char *name, bool replace)
{
    if (renameat2(parent, temporary, parent, name, replace ? 0 : RENAME_NOREPLACE) == 0) {
        return true;
    }
    /* A file system without that: a link fails likewise where something stands. */
    return !replace && errno == EINVAL && linkat(parent, temporary, parent, name, 0) == 0 &&
           unlinkat(parent, temporary, 0) == 0;
}

bool target_write(int folder, const char *path, struct span bytes, bool replace, struct error *err)
{
    char temporary[64];
    const char *name = "";
    uint64_t random;
    int parent CLEANUP(cleanup_fd) = open_parent(folder, path, &name, err);

    if (parent < 0) {
        return false;
    }
    if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        return error_errno(err, "getrandom");
    }
    (void)snprintf(temporary, sizeof(temporary), ".filterctl-%016llx", (unsigned long long)random);
    int fd CLEANUP(cleanup_fd) = openat(parent, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) {
        return error_errno(err, "%s: at the target", path);
    }
    if (file_write_all(fd, bytes) && fsync(fd) == 0 && put(parent, temporary, name, replace)) {
        return true;
    }
    int reason = errno;
    (void)unlinkat(parent, temporary, 0);
    errno = reason;
    return error_errno(err, "%s: at the target", path);
}

bool target_is_obeyed(const char *path)
{
    static const char *const names[] = {
        ".git",      ".gitmodules", ".gitattributes", ".hg",           ".svn",     ".github",      ".gitlab-ci.yml",
        ".vscode",   ".idea",       ".devcontainer",  ".mcp.json",     ".claude",  ".cursor",      ".cursorrules",
        "AGENTS.md", "CLAUDE.md",   "GEMINI.md",      ".envrc",        ".env",     ".bashrc",      ".bash_profile",
        ".profile",  ".zshrc",      ".zshenv",        ".npmrc",        ".yarnrc",  ".yarnrc.yml",  ".pypirc",
        ".netrc",    ".ssh",        ".gdbinit",       ".editorconfig", ".husky",   ".pre-commit-config.yaml",
    };

    for (const char *part = path; *part != '\0';) {
        size_t len = strcspn(part, "/");
        for (size_t i = 0; i < COUNT(names); i++) {
            /* In any case: other file systems do not tell them apart. */
            if (strlen(names[i]) == len && strncasecmp(part, names[i], len) == 0) {
                return true;
            }
        }
        part += len + (part[len] == '/' ? 1 : 0);
    }
    return false;
}
