#include "jail/root/root.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux_calls.h"
#include "jail/root/honeytoken.h"
#include "jail/root/mounts.h"
#include "jail/root/names.h"
#include "jail/root/rights.h"
#include "jail/root/trust.h"

enum { SHARED_MEMORY_INODES = 1024 };

#define STORE ".snapshots"

struct building {
    struct jail_root *want;
    int root;      /* the new root's mount */
    int covers[2]; /* for names.h */
    struct jail_snapshot_store store; /* folder -1: none */
};

/* Right after a mount has its place: rules are for the inode on top. */
static bool allow(const struct building *b, const char *path, unsigned rights, struct error *err)
{
    if (b->want->ruleset < 0) {
        return true;
    }
    int fd CLEANUP(cleanup_fd) = openat(b->root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? error_errno(err, "/%s", path)
                  : landlock_allow(b->want->ruleset, b->want->version, fd, rights, err);
}

/* --- /usr and its friends ------------------------------------------------- */

/* A link of the machine that leads into /usr is made again; what else a link says is not followed. */
static bool copy_link(const struct building *b, const char *path, struct error *err)
{
    char host[64], target[PATH_MAX];

    (void)snprintf(host, sizeof(host), "/%s", path);
    ssize_t n = readlink(host, target, sizeof(target) - 1);
    target[n < 0 ? 0 : n] = '\0';
    const char *inside = target[0] == '/' ? target + 1 : target;
    if (strncmp(inside, "usr/", 4) != 0 || strstr(inside, "..") != NULL) {
        return true;
    }
    return symlinkat(target, b->root, path) == 0 || error_errno(err, "/%s", path);
}

static bool show(const struct building *b, const char *path, struct error *err)
{
    char host[64];
    struct stat info;

    (void)snprintf(host, sizeof(host), "/%s", path);
    if (lstat(host, &info) != 0) {
        return true; /* this machine has none */
    }
    if (S_ISLNK(info.st_mode)) {
        return copy_link(b, path, err);
    }
    int source CLEANUP(cleanup_fd) = jail_open_path(host, err);
    int mount CLEANUP(cleanup_fd) = source < 0 ? -1 : jail_mount_copy(source, JAIL_MOUNT_READ_ONLY, err);
    int place CLEANUP(cleanup_fd) = mount < 0 ? -1 : jail_make_place(b->root, path, !S_ISDIR(info.st_mode), err);
    return place >= 0 && jail_mount_put(mount, place, err) && allow(b, path, JAIL_RIGHT_LIST | JAIL_RIGHT_READ, err);
}

static bool show_system(const struct building *b, struct error *err)
{
    static const char *const paths[] = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"};
    static const char *const of_etc[] = {"etc/alternatives", "etc/ld.so.cache", "etc/localtime", "etc/services",
                                         "etc/ssl/certs", "etc/ssl/openssl.cnf"};

    for (size_t i = 0; i < COUNT(paths); i++) {
        if (!show(b, paths[i], err)) {
            return error_wrap(err, "/%s", paths[i]);
        }
    }
    for (size_t i = 0; i < COUNT(of_etc); i++) {
        if (!show(b, of_etc[i], err)) {
            return error_wrap(err, "/%s", of_etc[i]);
        }
    }
    return true;
}

static bool write_file(int root, const char *path, const char *text, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

    return (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text)) || error_errno(err, "/%s", path);
}

static bool write_etc(const struct building *b, struct error *err)
{
    char passwd[JAIL_PATH_MAX + 128], hosts[256];
    const struct jail_policy *p = b->want->policy;
    bool has_network = p->network.egress != NULL;

    (void)snprintf(passwd, sizeof(passwd), "agent:x:%d:%d::%s:/bin/sh\nnobody:x:65534:65534::/:/usr/sbin/nologin\n",
                   JAIL_USER, JAIL_USER, p->work_path);
    (void)snprintf(hosts, sizeof(hosts), "127.0.0.1 localhost %s\n::1 localhost\n", p->hostname);
    return (mkdirat(b->root, "etc", 0755) == 0 || error_errno(err, "/etc")) &&
           write_file(b->root, "etc/passwd", passwd, err) &&
           write_file(b->root, "etc/group", "agent:x:1000:\nnogroup:x:65534:\n", err) &&
           write_file(b->root, "etc/hosts", hosts, err) && write_file(b->root, "etc/hostname", p->hostname, err) &&
           write_file(b->root, "etc/resolv.conf", has_network ? "nameserver 127.0.0.1\n" : "", err) &&
           write_file(b->root, "etc/nsswitch.conf",
                      has_network ? "passwd: files\ngroup: files\nhosts: files dns\n"
                                  : "passwd: files\ngroup: files\nhosts: files\n",
                      err) &&
           /* Inputs belong to another user, and git reads such repositories only with safe.directory. */
           write_file(b->root, "etc/gitconfig", "[safe]\n\tdirectory = *\n", err);
}

/* --- folders in memory ---------------------------------------------------- */

static bool put(const struct building *b, int mount, const char *path, unsigned rights, struct error *err)
{
    int place CLEANUP(cleanup_fd) = mount < 0 ? -1 : jail_make_place(b->root, path, false, err);

    return place >= 0 && jail_mount_put(mount, place, err) && allow(b, path, rights, err);
}

static int new_memory(const struct jail_folder *folder, const char *mode, struct error *err)
{
    char bytes[32], inodes[32];
    const struct jail_mount_option options[] = {{"size", bytes}, {"nr_inodes", inodes}, {"mode", mode}};

    (void)snprintf(bytes, sizeof(bytes), "%" PRId64, folder->bytes);
    (void)snprintf(inodes, sizeof(inodes), "%" PRId64, folder->inodes);
    return jail_mount_new("tmpfs", options, COUNT(options), folder->may_exec ? 0 : JAIL_MOUNT_NO_EXEC, err);
}

static bool put_memory(const struct building *b, const char *path, const struct jail_folder *folder, struct error *err)
{
    int mount CLEANUP(cleanup_fd) = new_memory(folder, "0700", err);

    path += path[0] == '/' ? 1 : 0;
    return put(b, mount, path, JAIL_RIGHT_LIST | JAIL_RIGHT_READ | JAIL_RIGHT_WRITE, err) ||
           error_wrap(err, "/%s", path);
}

static bool put_outputs(const struct building *b, struct error *err)
{
    const struct jail_outputs *o = &b->want->policy->outputs;

    if (o->path == NULL) {
        return true;
    }
    const struct jail_folder folder = {.bytes = o->bytes, .inodes = o->files + 1};
    b->want->outputs = new_memory(&folder, "0700", err);
    return put(b, b->want->outputs, o->path + 1, JAIL_RIGHT_LIST | JAIL_RIGHT_READ | JAIL_RIGHT_WRITE, err) ||
           error_wrap(err, "%s", o->path);
}

/* --- /dev and /proc ------------------------------------------------------- */

static bool put_device(const struct building *b, const char *path, struct error *err)
{
    char host[64];

    (void)snprintf(host, sizeof(host), "/%s", path);
    int source CLEANUP(cleanup_fd) = jail_open_path(host, err);
    int mount CLEANUP(cleanup_fd) =
        source < 0 ? -1 : jail_mount_copy(source, JAIL_MOUNT_DEVICES | JAIL_MOUNT_NO_EXEC | JAIL_MOUNT_READ_ONLY, err);
    int place CLEANUP(cleanup_fd) = mount < 0 ? -1 : jail_make_place(b->root, path, true, err);
    return (place >= 0 && jail_mount_put(mount, place, err)) || error_wrap(err, "/%s", path);
}

static bool put_devices(const struct building *b, struct error *err)
{
    static const char *const devices[] = {"dev/null", "dev/zero",    "dev/full",
                                          "dev/random", "dev/urandom", "dev/tty"};
    static const struct jail_mount_option small[] = {{"size", "64k"}, {"nr_inodes", "64"}, {"mode", "0755"}};
    static const struct jail_mount_option terminals[] = {
        {"newinstance", NULL}, {"ptmxmode", "0666"}, {"mode", "0620"}, {"max", "64"} /* of 4096 that the machine has */};
    const struct jail_folder shared = {.bytes = b->want->policy->tmp.bytes, .inodes = SHARED_MEMORY_INODES};
    int dev CLEANUP(cleanup_fd) =
        jail_mount_new("tmpfs", small, COUNT(small), JAIL_MOUNT_NO_EXEC | JAIL_MOUNT_DEVICES, err);

    if (!put(b, dev, "dev", JAIL_RIGHT_DEVICE, err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(devices); i++) {
        if (!put_device(b, devices[i], err)) {
            return false;
        }
    }
    int pts CLEANUP(cleanup_fd) =
        jail_mount_new("devpts", terminals, COUNT(terminals), JAIL_MOUNT_NO_EXEC | JAIL_MOUNT_DEVICES, err);
    bool is_put = put(b, pts, "dev/pts", JAIL_RIGHT_DEVICE, err) && put_memory(b, "dev/shm", &shared, err);
    if (!is_put || symlinkat("pts/ptmx", b->root, "dev/ptmx") != 0 || symlinkat("/proc/self/fd", b->root, "dev/fd") != 0 ||
        symlinkat("/proc/self/fd/0", b->root, "dev/stdin") != 0 ||
        symlinkat("/proc/self/fd/1", b->root, "dev/stdout") != 0 ||
        symlinkat("/proc/self/fd/2", b->root, "dev/stderr") != 0) {
        return is_put ? error_errno(err, "/dev") : error_wrap(err, "/dev");
    }
    const struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
    return mount_setattr(dev, "", AT_EMPTY_PATH, (struct mount_attr *)(uintptr_t)&read_only, sizeof(read_only)) == 0 ||
           error_errno(err, "/dev");
}

/* Needs the machine's own /proc in sight, so it comes before the machine's root goes. */
static bool put_proc(const struct building *b, struct error *err)
{
    static const struct jail_mount_option options[] = {{"hidepid", "invisible"}, {"subset", "pid"}};
    struct error why;
    int proc CLEANUP(cleanup_fd) = jail_mount_new("proc", options, COUNT(options),
                                                  JAIL_MOUNT_READ_ONLY | JAIL_MOUNT_NO_EXEC, &why);

    if (proc < 0) {
        return jail_mechanism_missing(b->want->mechanisms, b->want->policy, JAIL_MECHANISM_PROC, &why, err);
    }
    return put(b, proc, "proc", JAIL_RIGHT_LIST | JAIL_RIGHT_READ, err);
}

/* --- inputs --------------------------------------------------------------- */

int jail_root_open_input(const struct jail_input *input, struct error *err)
{
    int source CLEANUP(cleanup_fd) = jail_open_path(input->from, err);
    int mount = source < 0 ? -1 : jail_mount_copy(source, JAIL_MOUNT_READ_ONLY, err);

    if (source < 0) {
        error_wrap(err, "input");
    } else if (mount < 0) {
        error_wrap(err, "input %s", input->from);
    }
    return mount;
}

/* --- honeytokens --------------------------------------------------------------- */

static bool has_honeytokens(const struct jail_policy *p)
{
    return p->n_honeytokens > 0 || (p->on_denied == JAIL_DENIED_HONEYTOKEN && p->n_inputs > 0 && p->n_denied_names > 0);
}

/* In the work folder they are covered by its own rule; elsewhere each needs one. */
static bool put_honeytokens(const struct building *b, struct error *err)
{
    const struct jail_policy *p = b->want->policy;

    if (!has_honeytokens(p)) {
        return true;
    }
    b->want->honeytokens = jail_honeytokens_new(err);
    for (size_t i = 0; b->want->honeytokens >= 0 && i < p->n_honeytokens; i++) {
        if (!jail_honeytoken_put(b->want->honeytokens, b->root, p, i, b->want->canary, err) ||
            !allow(b, p->honeytokens[i] + 1, JAIL_RIGHT_READ, err)) {
            return false;
        }
    }
    return b->want->honeytokens >= 0;
}

/* The masks of denied names: an empty folder and an empty file, both with mode 0, or a honeytoken. */
static bool make_covers(struct building *b, struct error *err)
{
    static const char *const names[] = {".file", ".folder"};

    b->covers[0] = jail_make_place(b->root, names[0], true, err);
    b->covers[1] = b->covers[0] < 0 ? -1 : jail_make_place(b->root, names[1], false, err);
    if (b->covers[1] < 0) {
        return false;
    }
    if (fchmodat(b->root, names[0], 0, 0) != 0 || fchmodat(b->root, names[1], 0, 0) != 0) {
        return error_errno(err, "names");
    }
    const struct jail_policy *p = b->want->policy;
    return p->on_denied != JAIL_DENIED_HONEYTOKEN || b->want->honeytokens < 0 ||
           jail_honeytoken_cover(b->want->honeytokens, b->covers[0], p, b->want->canary, err);
}

/* Memory for copies: it is in the new root while they are made, as only what is mounted can be shown elsewhere. */
static bool make_store(struct building *b, struct error *err)
{
    const struct jail_policy *p = b->want->policy;
    const struct jail_folder memory = {.bytes = p->snapshots.bytes, .inodes = p->snapshots.files + 1, .may_exec = true};

    if (!jail_policy_has_snapshots(p)) {
        return true;
    }
    b->store = (struct jail_snapshot_store){.policy = p, .folder = new_memory(&memory, "0700", err), .left = p->snapshots};
    int place CLEANUP(cleanup_fd) = b->store.folder < 0 ? -1 : jail_make_place(b->root, STORE, false, err);
    return (place >= 0 && jail_mount_put(b->store.folder, place, err)) || error_wrap(err, "snapshots");
}

/* What is left of it are the copies that are shown, read-only: nothing leads to them that could write. */
static bool drop_store(struct building *b, struct error *err)
{
    if (b->store.folder < 0) {
        return true;
    }
    if (fchdir(b->store.folder) != 0 || umount2(".", MNT_DETACH) != 0 || fchdir(b->root) != 0 ||
        unlinkat(b->root, STORE, AT_REMOVEDIR) != 0) {
        return error_errno(err, "snapshots");
    }
    cleanup_fd(&b->store.folder);
    b->store.folder = -1;
    return true;
}

/* A copy as a detached read-only mount; noexec of the host's mount is kept. */
static int copy_input(struct building *b, size_t i, int source, struct error *err)
{
    struct jail_root *r = b->want;
    struct jail_snapshot *taken = &r->snapshots[r->n_snapshots];
    struct statvfs host;
    char name[16];

    (void)snprintf(name, sizeof(name), "%zu", i);
    taken->input = i;
    if (!jail_snapshot_take(&b->store, source, name, taken, err)) {
        return -1;
    }
    r->n_snapshots++;
    int copy CLEANUP(cleanup_fd) = openat(b->store.folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (copy < 0 || fstatvfs(source, &host) != 0) {
        error_errno(err, "snapshot");
        return -1;
    }
    return jail_mount_copy(copy, JAIL_MOUNT_READ_ONLY | ((host.f_flag & ST_NOEXEC) != 0 ? JAIL_MOUNT_NO_EXEC : 0U), err);
}

/* Nothing appears in a copy later, and what is denied is not in it: the folder is allowed as a whole, but for honeytokens. */
static bool allow_input(const struct building *b, const struct jail_input *input, struct jail_names *names, struct error *err)
{
    const struct jail_policy *p = b->want->policy;

    if (p->n_denied_names == 0 || (input->is_snapshot && p->on_denied != JAIL_DENIED_HONEYTOKEN)) {
        return allow(b, input->to + 1, JAIL_RIGHT_LIST | JAIL_RIGHT_READ, err);
    }
    int top CLEANUP(cleanup_fd) = openat(b->root, input->to + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return top < 0 ? error_errno(err, "%s", input->to) : jail_names_deny(names, top, err);
}

static bool put_input(struct building *b, size_t i, struct jail_names *names, struct error *err)
{
    const struct jail_input *input = &b->want->policy->inputs[i];
    struct stat info;
    int mount CLEANUP(cleanup_fd) =
        b->want->inputs[i] >= 0 ? b->want->inputs[i] : jail_root_open_input(input, err);

    b->want->inputs[i] = -1;
    if (mount < 0) {
        return false;
    }
    if (fstat(mount, &info) != 0) {
        return error_errno(err, "%s", input->from);
    }
    /* A pipe, a socket or a device would be a channel to another process or the machine. */
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) {
        return error_set(err, ERROR_DENIED, "a file or a folder expected");
    }
    int copy CLEANUP(cleanup_fd) = input->is_snapshot ? copy_input(b, i, mount, err) : -1;
    if (input->is_snapshot && copy < 0) {
        return false;
    }
    int place CLEANUP(cleanup_fd) = jail_make_place(b->root, input->to, !S_ISDIR(info.st_mode), err);
    return place >= 0 && jail_mount_put(input->is_snapshot ? copy : mount, place, err) && allow_input(b, input, names, err);
}

static bool put_inputs(struct building *b, struct error *err)
{
    struct jail_names names = {.policy = b->want->policy,
                               .covers = {b->covers[0], b->covers[1]},
                               .ruleset = b->want->ruleset,
                               .version = b->want->version};

    if (!make_store(b, err)) {
        return false;
    }
    for (size_t i = 0; i < b->want->policy->n_inputs; i++) {
        if (!put_input(b, i, &names, err)) {
            return error_wrap(err, "input %s", b->want->policy->inputs[i].from);
        }
    }
    (void)unlinkat(b->root, ".file", 0);
    (void)unlinkat(b->root, ".folder", AT_REMOVEDIR);
    return drop_store(b, err);
}

/* --- the whole ------------------------------------------------------------ */

/* The new root lies on the old one, takes its place, and the old one goes with all that hangs on it. */
static bool change_root(const struct building *b, struct error *err)
{
    if (fchdir(b->root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) {
        return error_errno(err, "pivot_root");
    }
    if (umount2(".", MNT_DETACH) != 0) {
        return error_errno(err, "umount of the old root");
    }
    return chdir("/") == 0 || error_errno(err, "/");
}

static bool build(struct building *b, struct error *err)
{
    struct jail_root *r = b->want;

    return write_etc(b, err) && show_system(b, err) && jail_trust_put(b->root, r->authority, err) && put_proc(b, err) && put_devices(b, err) &&
           put_memory(b, "tmp", &r->policy->tmp, err) && put_memory(b, r->policy->work_path, &r->policy->work, err) &&
           put_outputs(b, err) && put_honeytokens(b, err) && make_covers(b, err) && put_inputs(b, err) &&
           allow(b, "etc", JAIL_RIGHT_LIST | JAIL_RIGHT_READ, err) && allow(b, ".", JAIL_RIGHT_LIST, err);
}

/* The root itself is read-only, what is mounted in it is as it was made. */
static bool close_root(const struct building *b, struct error *err)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};

    return mount_setattr(b->root, "", AT_EMPTY_PATH, &attr, sizeof(attr)) == 0 || error_errno(err, "/");
}


static bool make_root(struct building *b, struct error *err)
{
    static const struct jail_mount_option options[] = {{"size", "4m"}, {"nr_inodes", "4096"}, {"mode", "0755"}};

    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return error_errno(err, "mount namespace");
    }
    b->root = jail_mount_new("tmpfs", options, COUNT(options), JAIL_MOUNT_NO_EXEC, err);
    int top CLEANUP(cleanup_fd) = b->root < 0 ? -1 : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return top >= 0 && jail_mount_put(b->root, top, err);
}

bool jail_root_enter(struct jail_root *r, struct error *err)
{
    struct building b = {.want = r, .root = -1, .covers = {-1, -1}, .store = {.folder = -1}};

    r->ruleset = r->version == 0 ? -1 : landlock_new(r->version, LANDLOCK_ALSO_SOCKETS | LANDLOCK_ALSO_SIGNALS, err);
    r->outputs = r->honeytokens = -1;
    r->n_snapshots = 0;
    if (r->version != 0 && r->ruleset < 0) {
        return false;
    }
    bool is_entered = make_root(&b, err) && build(&b, err) && change_root(&b, err) && close_root(&b, err);
    cleanup_fd(&b.root);
    cleanup_fd(&b.covers[0]);
    cleanup_fd(&b.covers[1]);
    cleanup_fd(&b.store.folder);
    return is_entered;
}
