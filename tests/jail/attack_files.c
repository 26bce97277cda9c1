/* attack_files.c - files and devices that were not given. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool runs_well(const char *program, char *const *arguments)
{
    int status = 0;

    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        (void)execv(program, arguments);
        _exit(1);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Exits well when the kernel made more of it than its caller was. */
static enum verdict raised(const char *argument)
{
    char line[256];
    unsigned long long capabilities = 0;
    FILE *status = fopen("/proc/self/status", "r");

    (void)argument;
    while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
        (void)sscanf(line, "CapEff: %llx", &capabilities);
    }
    return geteuid() != getuid() || getegid() != getgid() || capabilities != 0 ? HELD : ESCAPED;
}

/* Every mount refuses set-user-id programs, and one that is run stays who it was. argument: more such programs, between
 * commas: this one, as `raised` looks at it. */
static enum verdict set_user_id(const char *argument)
{
    char line[1024], programs[512], *rest = NULL;
    enum verdict v = HELD;
    FILE *mounts = fopen("/proc/self/mountinfo", "r");

    if (mounts == NULL) {
        return NOT_TRIED;
    }
    while (fgets(line, sizeof(line), mounts) != NULL) {
        if (strstr(line, "nosuid") == NULL) {
            (void)printf("  without nosuid: %s", line);
            v = ESCAPED;
        }
    }
    (void)fclose(mounts);
    errno = EPERM;
    char su[] = "su", root[] = "root", option[] = "-c", command[] = "exit 0", id[] = "raised";
    v = both(v, judge(runs_well("/usr/bin/su", (char *[]){su, root, option, command, NULL}), "su"));
    (void)snprintf(programs, sizeof(programs), "%s", argument == NULL ? "" : argument);
    for (char *p = strtok_r(programs, ",", &rest); p != NULL; p = strtok_r(NULL, ",", &rest)) {
        v = both(v, judge(runs_well(p, (char *[]){p, id, NULL}), p)); /* not made where the tests are no root */
    }
    return v;
}

static int run_by_loader(void)
{
    static char bytes[1 << 20];
    int from = open("/usr/bin/true", O_RDONLY), to = open("/tmp/true", O_CREAT | O_WRONLY, 0700);
    ssize_t n = read(from, bytes, sizeof(bytes));

    (void)!write(to, bytes, (size_t)(n < 0 ? 0 : n));
    (void)close(to);
    (void)execl("/lib64/ld-linux-x86-64.so.2", "ld.so", "/tmp/true", (char *)NULL);
    return 1;
}

static int run_directly(void)
{
    (void)execl("/tmp/true", "true", (char *)NULL);
    return 1;
}

static int run_by_root(void)
{
    (void)execl("/proc/self/root/tmp/true", "true", (char *)NULL);
    return 1;
}

static int run_renamed(void)
{
    (void)rename("/tmp/true", "/dev/shm/tool");
    (void)symlink("/tmp/true", "/tmp/link");
    (void)execl("/tmp/link", "true", (char *)NULL);
    (void)execl("/dev/shm/tool", "true", (char *)NULL);
    return 1;
}

static int run_by_descriptor(void)
{
    char *const none[] = {NULL};

    (void)syscall(SYS_execveat, open("/tmp/true", O_RDONLY), "", none, none, AT_EMPTY_PATH);
    return 1;
}

/* A folder that nothing may be run in, and five ways to run it. */
static enum verdict loader(const char *argument)
{
    (void)argument;
    errno = EACCES;
    return both(both(judge(child_succeeds(run_by_loader), "run a file of /tmp by the loader"),
                     judge(child_succeeds(run_directly), "run a file of /tmp")),
                both(judge(child_succeeds(run_by_root), "run it by /proc/self/root"),
                     both(judge(child_succeeds(run_by_descriptor), "run it by a descriptor"),
                          judge(child_succeeds(run_renamed), "run it by other names"))));
}

static enum verdict devices(const char *argument)
{
    static const char *const paths[] = {"/dev/mem", "/dev/kmem", "/dev/port", "/dev/kvm", "/dev/fuse", "/dev/loop0",
                                        "/dev/vda", "/dev/sda", "/dev/net/tun", "/dev/snapshot", "/dev/vsock"};
    enum verdict v = HELD;

    (void)argument;
    for (size_t i = 0; i < COUNT(paths); i++) {
        v = both(v, judge(open(paths[i], O_RDONLY) >= 0, paths[i]));
    }
    v = both(v, judge(mknod("/work/mem", S_IFCHR | 0600, makedev(1, 1)) == 0, "mknod of /dev/mem"));
    v = both(v, judge(mknod("/work/disk", S_IFBLK | 0600, makedev(254, 0)) == 0, "mknod of a disk"));
    return both(v, judge(mknod("/work/null", S_IFCHR | 0600, 0) == 0, "a whiteout"));
}

/* argument: a file of the machine. */
static enum verdict other_names(const char *argument)
{
    static const char *const prefixes[] = {"", "/proc/self/root", "/proc/self/cwd/../../..", "/proc/1/root", "/..",
                                           "/../../../..", "/proc/self/task/../../1/cwd", "//", "/proc/self/fd/../root",
                                           "/work/../..", "/dev/fd/../root", "/proc/thread-self/root"};
    char path[4096];
    enum verdict v = HELD;

    for (size_t i = 0; argument != NULL && i < COUNT(prefixes); i++) {
        struct stat info;
        (void)snprintf(path, sizeof(path), "%s%s", prefixes[i], argument);
        v = both(v, judge(open(path, O_RDONLY) >= 0 || stat(path, &info) == 0, path));
    }
    return argument == NULL ? NOT_TRIED : v;
}

static enum verdict homes(const char *argument)
{
    static const char *const paths[] = {"/root", "/home", "/etc/shadow", "/var", "/run", "/sys", "/boot", "/mnt", "/opt",
                                        "/srv", "/root/.ssh/id_rsa", "/var/run/docker.sock", "/etc/ssh"};
    enum verdict v = HELD;

    (void)argument;
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct stat info;
        v = both(v, judge(stat(paths[i], &info) == 0, paths[i]));
    }
    return v;
}

/* argument: a read-only folder with a file named `file`. */
static enum verdict links(const char *argument)
{
    char from[512];

    (void)snprintf(from, sizeof(from), "%s/file", argument == NULL ? "/src" : argument);
    if (access(from, R_OK) != 0) {
        return NOT_TRIED;
    }
    return both(judge(link(from, "/work/hard") == 0, "hard link out of an input"),
                both(judge(open(from, O_WRONLY) >= 0, "write an input"),
                     judge(rename(from, "/work/file") == 0, "move out of an input")));
}

/* argument: a read-only folder. */
static enum verdict configuration(const char *argument)
{
    static const char *const names[] = {".git/hooks/pre-commit", ".mcp.json", ".vscode/settings.json", "AGENTS.md",
                                        "CLAUDE.md", ".bashrc", ".git/config"};
    char path[512], other[512];
    enum verdict v = HELD;

    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", argument == NULL ? "/src" : argument, names[i]);
        v = both(v, judge(open(path, O_CREAT | O_WRONLY, 0600) >= 0, path));
    }
    (void)snprintf(path, sizeof(path), "%s/.git", argument == NULL ? "/src" : argument);
    (void)snprintf(other, sizeof(other), "%s/git", argument == NULL ? "/src" : argument);
    return both(v, judge(rename(path, other) == 0 || rename(argument == NULL ? "/src" : argument, "/gone") == 0,
                         "rename the parent"));
}

/* argument: a file whose name is denied. */
static enum verdict denied_name(const char *argument)
{
    return argument == NULL ? NOT_TRIED
                            : both(judge(open(argument, O_RDONLY) >= 0, argument),
                                   both(judge(chmod(argument, 0600) == 0, "chmod"),
                                        judge(unlink(argument) == 0 || rmdir(argument) == 0, "unlink")));
}

const struct attack attacks_files[] = {
    {"A18", set_user_id}, {"raised", raised}, {"A20", loader}, {"A31", devices},    {"B3", links},   {"B4", configuration},
    {"B5", denied_name},  {"B6", other_names}, {"B7", homes}, {NULL, NULL},
};
