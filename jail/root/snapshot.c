#include "jail/root/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sodium.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "jail/root/mounts.h"
#include "jail/root/names.h"

enum { PIECE = 64 * 1024, NAME_ROOM = NAME_MAX + 1 };

_Static_assert((int)JAIL_SNAPSHOT_DIGEST == crypto_hash_sha256_BYTES, "libsodium's size");

/* One walk over the input. The first copies; the second looks whether all is as the first found it. So the copy is what was
 * there between the two. */
struct copying {
    struct jail_snapshot_store *store;
    struct jail_snapshot *out;
    bool is_again;
    unsigned depth;
    crypto_hash_sha256_state listing, state;
    char path[PATH_MAX]; /* below the input */
    size_t len;
    char shown[PATH_MAX]; /* the same for errors; the stack of a recursion has no room for it */
};

static bool walk(struct copying *c, int entry, int folder, const char *name, struct error *err);

/* --- saying what is wrong ------------------------------------------------- */

/* File names are arbitrary bytes: no control characters in errors. */
static const char *shown_path(struct copying *c)
{
    (void)snprintf(c->shown, sizeof(c->shown), "%s", c->len == 0 ? "." : c->path);
    for (char *at = c->shown; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            *at = '?';
        }
    }
    return c->shown;
}

static bool complain(struct copying *c, struct error *err, const char *what)
{
    return error_set(err, ERROR_DENIED, "%s: %s", shown_path(c), what);
}

/* What is in errno after an entry could not be opened. */
static bool not_opened(struct copying *c, struct error *err)
{
    static const struct {
        int number;
        const char *what;
    } known[] = {
        {ENOENT, "changed while it was copied"},
        {EXDEV, "another file system is mounted there, which a copy does not go into"},
        {EACCES, "the jail's user may not read it (deny_names leaves out)"},
        {EPERM, "the jail's user may not read it (deny_names leaves out)"},
    };
    int why = errno;

    for (size_t i = 0; i < COUNT(known); i++) {
        if (known[i].number == why) {
            return complain(c, err, known[i].what);
        }
    }
    errno = why;
    return error_errno(err, "%s", shown_path(c));
}

/* --- room ----------------------------------------------------------------- */

/* Before anything is made: `bytes` in whole pages, as memory gives them. */
static bool spend(struct copying *c, int64_t bytes, struct error *err)
{
    const struct jail_copy_limits *most = &c->store->policy->snapshots;
    struct jail_copy_limits *left = &c->store->left;
    int64_t page = sysconf(_SC_PAGESIZE);

    if (left->files < 1) {
        return error_set(err, ERROR_LIMIT, "%s: one more than snapshots.files, %" PRId64, shown_path(c), most->files);
    }
    if (bytes > left->bytes || (bytes + page - 1) / page * page > left->bytes) {
        return error_set(err, ERROR_LIMIT, "%s: its %" PRId64 " bytes are more than is left of snapshots.size, %" PRId64,
                         shown_path(c), bytes, most->bytes);
    }
    left->files--;
    left->bytes -= (bytes + page - 1) / page * page;
    return true;
}

/* --- what was found ------------------------------------------------------- */

static void note_state(struct copying *c, const struct stat *info)
{
    const int64_t numbers[] = {(int64_t)info->st_dev,      (int64_t)info->st_ino,       (int64_t)info->st_mode,
                               (int64_t)info->st_size,     (int64_t)info->st_mtim.tv_sec, (int64_t)info->st_mtim.tv_nsec,
                               (int64_t)info->st_ctim.tv_sec, (int64_t)info->st_ctim.tv_nsec};

    (void)crypto_hash_sha256_update(&c->state, (const uint8_t *)c->path, c->len + 1);
    (void)crypto_hash_sha256_update(&c->state, (const uint8_t *)numbers, sizeof(numbers));
}

static void list(struct copying *c, char kind, int64_t size, crypto_hash_sha256_state *content)
{
    uint8_t digest[crypto_hash_sha256_BYTES];
    char hex[2 * sizeof(digest) + 1] = "-", head[sizeof(hex) + 32];

    c->out->files++;
    if (content != NULL) {
        (void)crypto_hash_sha256_final(content, digest);
        (void)sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest));
    }
    (void)snprintf(head, sizeof(head), "%c %" PRId64 " %s ", kind, size, hex);
    (void)crypto_hash_sha256_update(&c->listing, (const uint8_t *)head, strlen(head));
    (void)crypto_hash_sha256_update(&c->listing, (const uint8_t *)(c->len == 0 ? "." : c->path), c->len == 0 ? 2 : c->len + 1);
}

/* --- one entry ------------------------------------------------------------ */

/* The very file that was looked at, whatever has its name now. */
static int open_file(struct copying *c, int entry, struct error *err)
{
    char same[32];

    (void)snprintf(same, sizeof(same), "/proc/self/fd/%d", entry);
    int fd = open(same, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        error_set(err, ERROR_NOT_FOUND, "%s cannot be opened: /proc expected", same); /* the file itself is held */
    } else if (fd < 0) {
        (void)not_opened(c, err);
    }
    return fd;
}

/* Never more than there is room for: a file that grows meanwhile ends it. */
static bool copy_content(struct copying *c, int from, int to, int64_t size, crypto_hash_sha256_state *content, struct error *err)
{
    static char piece[PIECE];
    int64_t copied = 0;

    for (;;) {
        ssize_t n = read(from, piece, sizeof(piece));
        if (n < 0) {
            return error_errno(err, "%s", shown_path(c));
        }
        copied += n;
        if (copied > size || (n == 0 && copied < size)) {
            return complain(c, err, "changed while it was copied");
        }
        if (n == 0) {
            return true;
        }
        (void)crypto_hash_sha256_update(content, (const uint8_t *)piece, (size_t)n);
        if (!file_write_all(to, span_of(piece, (size_t)n))) {
            return error_errno(err, "copy of %s", shown_path(c));
        }
    }
}

static bool copy_file(struct copying *c, int entry, const struct stat *info, int folder, const char *name, struct error *err)
{
    const struct timespec times[2] = {info->st_mtim, info->st_mtim};
    bool may_run = (info->st_mode & S_IXUSR) != 0;
    crypto_hash_sha256_state content;

    if (!spend(c, info->st_size, err)) {
        return false;
    }
    int from CLEANUP(cleanup_fd) = open_file(c, entry, err);
    if (from < 0) {
        return false;
    }
    int to CLEANUP(cleanup_fd) = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0) {
        return error_errno(err, "copy of %s", shown_path(c));
    }
    (void)crypto_hash_sha256_init(&content);
    if (!copy_content(c, from, to, info->st_size, &content, err)) {
        return false;
    }
    if (fchmod(to, may_run ? 0755 : 0644) != 0 || futimens(to, times) != 0) {
        return error_errno(err, "copy of %s", shown_path(c));
    }
    list(c, may_run ? 'x' : 'f', info->st_size, &content);
    c->out->bytes += info->st_size;
    return true;
}

/* Byte by byte: times have the grain of the kernel's clock, and who writes by a mapping changes them when it likes. */
static bool compare_file(struct copying *c, int entry, const struct stat *info, int folder, const char *name, struct error *err)
{
    static char pieces[2][PIECE];
    int from CLEANUP(cleanup_fd) = open_file(c, entry, err);

    (void)info;
    if (from < 0) {
        return false;
    }
    int copy CLEANUP(cleanup_fd) = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    for (ssize_t n = 1; copy >= 0 && n > 0;) {
        n = read(from, pieces[0], PIECE);
        if (n < 0 || read(copy, pieces[1], n == 0 ? 1 : (size_t)n) != n || memcmp(pieces[0], pieces[1], (size_t)n) != 0) {
            return complain(c, err, "changed while it was copied");
        }
    }
    return copy >= 0 || complain(c, err, "changed while it was copied");
}

static bool copy_link(struct copying *c, int entry, const struct stat *info, int folder, const char *name, struct error *err)
{
    crypto_hash_sha256_state content;
    char target[PATH_MAX];

    (void)info;
    ssize_t n = readlinkat(entry, "", target, sizeof(target));
    if (n < 0 || n == (ssize_t)sizeof(target)) {
        return not_opened(c, err);
    }
    target[n] = '\0';
    if (!spend(c, n, err)) {
        return false;
    }
    if (symlinkat(target, folder, name) != 0) {
        return error_errno(err, "copy of %s", shown_path(c));
    }
    (void)crypto_hash_sha256_init(&content);
    (void)crypto_hash_sha256_update(&content, (const uint8_t *)target, (size_t)n);
    list(c, 'l', n, &content);
    return true;
}

static bool make_folder(struct copying *c, int entry, const struct stat *info, int folder, const char *name, struct error *err)
{

    (void)entry;
    (void)info;
    if (!spend(c, 0, err)) {
        return false;
    }
    list(c, 'd', 0, NULL);
    return mkdirat(folder, name, 0700) == 0 || error_errno(err, "copy of %s", shown_path(c));
}

/* --- folders -------------------------------------------------------------- */

static void close_folder(DIR **folder)
{
    if (*folder != NULL) {
        (void)closedir(*folder);
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of a folder, each with its NUL, and how many. */
static bool read_names(struct copying *c, int entry, struct buf *names, size_t *n, struct error *err)
{
    int fd = jail_open_below(entry, ".", O_RDONLY | O_DIRECTORY, RESOLVE_BENEATH);
    DIR *entries CLEANUP(close_folder) = fd < 0 ? NULL : fdopendir(fd);

    if (entries == NULL) {
        bool is_good = not_opened(c, err);
        cleanup_fd(&fd);
        return is_good;
    }
    *n = 0;
    errno = 0;
    /* No other thread has this stream. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (const struct dirent *e = readdir(entries); e != NULL; e = readdir(entries)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        if ((int64_t)++*n > c->store->policy->snapshots.files) {
            return error_set(err, ERROR_LIMIT, "%s: more than snapshots.files, %" PRId64, shown_path(c),
                             c->store->policy->snapshots.files);
        }
        if (!buf_append(names, span_of(e->d_name, strlen(e->d_name) + 1), err)) {
            return false;
        }
    }
    return errno == 0 || not_opened(c, err);
}

/* A denied name: nothing of it, or for a honeytoken to be put on it an empty file. */
static bool leave_out(struct copying *c, int entry, int folder, const char *name, struct error *err)
{
    struct stat info;

    if (c->is_again || c->store->policy->on_denied != JAIL_DENIED_HONEYTOKEN || fstatat(entry, name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode)) {
        return true;
    }
    if (!spend(c, 0, err)) {
        return false;
    }
    int fd CLEANUP(cleanup_fd) = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    return fd >= 0 || error_errno(err, "copy of %s", shown_path(c));
}

/* Recursion ends at JAIL_NAMES_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool walk_name(struct copying *c, int parent, const char *name, int folder, struct error *err)
{
    size_t len = c->len, more = strlen(name) + (len > 0);

    if (len + more >= sizeof(c->path)) {
        return complain(c, err, "a path below it is too long");
    }
    (void)snprintf(c->path + len, sizeof(c->path) - len, "%s%s", len > 0 ? "/" : "", name);
    c->len = len + more;
    bool is_good;
    if (jail_policy_denies_name(c->store->policy, name)) {
        is_good = leave_out(c, parent, folder, name, err);
    } else {
        int entry CLEANUP(cleanup_fd) = jail_open_below(parent, name, O_PATH | O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_XDEV);
        is_good = entry < 0 ? not_opened(c, err) : walk(c, entry, folder, name, err);
    }
    c->len = len;
    c->path[len] = '\0';
    return is_good;
}

/* In the order of their bytes. Recursion ends at JAIL_NAMES_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool walk_names(struct copying *c, int entry, int folder, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    size_t n = 0;

    buf_init(&text, (size_t)c->store->policy->snapshots.files * NAME_ROOM);
    if (!read_names(c, entry, &text, &n, err)) {
        return false;
    }
    const char **names CLEANUP(cleanup_free) = calloc(n + 1, sizeof(*names));
    if (names == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "names: no memory");
    }
    const char *at = text.data;
    for (size_t i = 0; i < n; i++) {
        names[i] = at;
        at += strlen(at) + 1;
    }
    qsort(names, n, sizeof(*names), compare);
    for (size_t i = 0; i < n; i++) {
        if (!walk_name(c, entry, names[i], folder, err)) {
            return false;
        }
    }
    return true;
}

/* Recursion ends at JAIL_NAMES_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool walk_folder(struct copying *c, int entry, const struct stat *info, int folder, const char *name, struct error *err)
{
    const struct timespec times[2] = {info->st_mtim, info->st_mtim};
    int copy CLEANUP(cleanup_fd) = jail_open_below(folder, name, O_PATH | O_NOFOLLOW, RESOLVE_BENEATH);

    if (copy < 0) {
        return c->is_again ? complain(c, err, "changed while it was copied") : error_errno(err, "copy of %s", shown_path(c));
    }
    if (c->depth == JAIL_NAMES_DEPTH_MAX) {
        return error_set(err, ERROR_LIMIT, "%s: more than %d folders deep", shown_path(c), JAIL_NAMES_DEPTH_MAX);
    }
    c->depth++;
    if (!walk_names(c, entry, copy, err)) {
        return false;
    }
    c->depth--;
    return c->is_again || (fchmodat(folder, name, 0755, 0) == 0 && utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) == 0) ||
           error_errno(err, "copy of %s", shown_path(c));
}

/* Recursion ends at JAIL_NAMES_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool walk(struct copying *c, int entry, int folder, const char *name, struct error *err)
{
    static const struct {
        mode_t kind;
        /* By walk; NULL: what fstat says is all there is. */
        bool (*take[2])(struct copying *c, int entry, const struct stat *info, int folder, const char *name, struct error *err);
    } kinds[] = {{S_IFREG, {copy_file, compare_file}}, {S_IFLNK, {copy_link, NULL}}, {S_IFDIR, {make_folder, NULL}}};
    struct stat info;

    if (fstat(entry, &info) != 0) {
        return not_opened(c, err);
    }
    note_state(c, &info);
    bool is_known = false, is_good = true;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if ((info.st_mode & S_IFMT) == kinds[i].kind) {
            is_known = true;
            is_good = kinds[i].take[c->is_again] == NULL ||
                      kinds[i].take[c->is_again](c, entry, &info, folder, name, err);
        }
    }
    if (!is_known) {
        return complain(c, err, "a file, a folder or a link expected (deny_names leaves out)");
    }
    return is_good && (!S_ISDIR(info.st_mode) || walk_folder(c, entry, &info, folder, name, err));
}

/* --- the whole ------------------------------------------------------------ */

/* As none of the capabilities that open what its mode does not. */
static bool set_effective(const struct __user_cap_data_struct *data, struct error *err)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};

    return syscall(SYS_capset, &head, data) == 0 || error_errno(err, "capset");
}

static bool take(struct jail_snapshot_store *store, int source, const char *name, struct jail_snapshot *out, struct error *err)
{
    uint8_t states[2][crypto_hash_sha256_BYTES];
    struct copying c = {.store = store, .out = out};

    (void)crypto_hash_sha256_init(&c.listing);
    for (int i = 0; i < 2; i++) {
        c.is_again = i > 0;
        (void)crypto_hash_sha256_init(&c.state);
        if (!walk(&c, source, store->folder, name, err)) {
            return false;
        }
        (void)crypto_hash_sha256_final(&c.state, states[i]);
    }
    if (memcmp(states[0], states[1], sizeof(states[0])) != 0) {
        return complain(&c, err, "changed while it was copied");
    }
    (void)crypto_hash_sha256_final(&c.listing, out->digest);
    return true;
}

bool jail_snapshot_take(struct jail_snapshot_store *store, int source, const char *name, struct jail_snapshot *out,
                        struct error *err)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct own[2], none[2];
    struct jail_snapshot taken = {.input = out->input};

    if (syscall(SYS_capget, &head, own) != 0) {
        return error_errno(err, "capget");
    }
    memcpy(none, own, sizeof(none));
    none[0].effective = none[1].effective = 0;
    if (!set_effective(none, err)) {
        return false;
    }
    bool is_taken = take(store, source, name, &taken, err);
    struct error why;
    if (!set_effective(own, &why)) {
        *err = why;
        return false;
    }
    if (is_taken) {
        *out = taken;
    }
    return is_taken;
}
