/* attack_process.c - other processes, and more of everything than is allowed. */
#include "attack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 4000, TOO_MANY = 200000, BLOCK = 1 << 16 };

/* argument: a descriptor that the launcher's caller had open. */
static enum verdict inherited(const char *argument)
{
    char byte;
    int fd = argument == NULL ? 9 : atoi(argument);
    enum verdict v = judge(read(fd, &byte, 1) >= 0, "read the caller's descriptor");

    for (int i = 3; i < 1024; i++) {
        if (fcntl(i, F_GETFD) >= 0) {
            (void)printf("  descriptor %d is open\n", i);
            v = ESCAPED;
        }
    }
    return v;
}

static enum verdict launcher_file(const char *argument)
{
    (void)argument;
    return both(both(judge(open("/proc/1/exe", O_WRONLY) >= 0, "write /proc/1/exe"),
                     judge(open("/proc/1/exe", O_RDONLY) >= 0, "read /proc/1/exe")),
                judge(open("/proc/self/exe", O_WRONLY) >= 0, "write /proc/self/exe"));
}

static enum verdict init(const char *argument)
{
    char bytes[16];
    struct iovec own = {bytes, sizeof(bytes)}, theirs = {(void *)0x400000, sizeof(bytes)};
    enum verdict v = judge(ptrace(PTRACE_ATTACH, 1, 0, 0) == 0, "ptrace pid 1");

    (void)argument;
    v = both(v, judge(syscall(SYS_process_vm_readv, 1, &own, 1, &theirs, 1, 0) >= 0, "process_vm_readv pid 1"));
    v = both(v, judge(open("/proc/1/mem", O_RDONLY) >= 0, "/proc/1/mem"));
    v = both(v, judge(open("/proc/1/environ", O_RDONLY) >= 0, "/proc/1/environ"));
    v = both(v, judge(open("/proc/1/root/etc/shadow", O_RDONLY) >= 0, "/proc/1/root"));
    return both(v, judge(opendir("/proc/1/fd") != NULL, "/proc/1/fd"));
}

static enum verdict stolen_descriptor(const char *argument)
{
    int pidfd = (int)syscall(SYS_pidfd_open, 1, 0);

    (void)argument;
    return both(judge(syscall(SYS_pidfd_getfd, pidfd, 0, 0) >= 0, "pidfd_getfd of pid 1"),
                both(judge(syscall(SYS_kcmp, getpid(), 1, 2, 0, 0) >= 0, "kcmp with pid 1"),
                     judge(syscall(SYS_process_madvise, pidfd, NULL, 0, MADV_COLD, 0) >= 0, "process_madvise of pid 1")));
}

/* argument: a process of the machine. */
static enum verdict signals(const char *argument)
{
    int pid = argument == NULL ? 1 : atoi(argument);
    enum verdict v = judge(pid != 1 && kill(pid, SIGTERM) == 0, "signal to a process of the machine");

    v = both(v, judge(pid != 1 && syscall(SYS_tgkill, pid, pid, SIGTERM) == 0, "tgkill of a process of the machine"));
    v = both(v, judge(pid != 1 && syscall(SYS_pidfd_open, pid, 0) >= 0, "pidfd of a process of the machine"));
    (void)kill(-1, SIGKILL); /* reaches all of this jail but us and its init; the caller looks at the rest */
    v = both(v, judge(kill(getppid(), SIGKILL) == 0 && getppid() != 1, "SIGKILL to the parent"));
    (void)kill(1, SIGKILL);
    (void)usleep(50000);
    return both(v, judge(kill(getpid(), 0) != 0, "end the jail's init")); /* we are still here */
}

static void orphan(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        if (fork() == 0) {
            _exit(0);
        }
        _exit(0);
    }
    if (pid > 0) {
        (void)waitpid(pid, NULL, 0);
    }
}

static int count_zombies(void)
{
    DIR *proc = opendir("/proc");
    int n = 0;

    for (const struct dirent *e = proc == NULL ? NULL : readdir(proc); e != NULL; e = readdir(proc)) {
        char path[300], text[512] = "";
        (void)snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
        int fd = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? open(path, O_RDONLY) : -1;
        if (fd >= 0) {
            (void)!read(fd, text, sizeof(text) - 1);
            const char *state = strrchr(text, ')');
            n += state != NULL && strncmp(state, ") Z", 3) == 0;
            (void)close(fd);
        }
    }
    return n;
}

static enum verdict zombies(const char *argument)
{
    int n = 1;

    (void)argument;
    for (int i = 0; i < 500; i++) {
        orphan();
    }
    for (int i = 0; i < 100 && (n = count_zombies()) > 0; i++) {
        (void)usleep(20000); /* the reaper gets its turn */
    }
    errno = 0;
    return judge(n != 0, "zombies are left");
}

static enum verdict processes(const char *argument)
{
    int limit = argument == NULL ? 128 : atoi(argument), n = 0;
    pid_t pids[MANY];

    while (n < MANY && (pids[n] = fork()) > 0) {
        n++;
    }
    if (n < MANY && pids[n] == 0) {
        for (;;) {
            (void)pause();
        }
    }
    int reason = errno;
    for (int i = 0; i < n; i++) {
        (void)kill(pids[i], SIGKILL);
    }
    errno = reason;
    (void)printf("  %d processes\n", n);
    return judge(n >= limit, "more processes than allowed");
}

static void *wait_in_thread(void *argument)
{
    (void)pause();
    return argument;
}

static enum verdict threads(const char *argument)
{
    int limit = argument == NULL ? 128 : atoi(argument), n = 0;
    pthread_t thread;

    while (n < MANY && (errno = pthread_create(&thread, NULL, wait_in_thread, NULL)) == 0) {
        n++;
    }
    (void)printf("  %d threads\n", n);
    return judge(n >= limit, "more threads than allowed");
}

static enum verdict descriptors(const char *argument)
{
    int n = 0;

    (void)argument;
    while (n < TOO_MANY && open("/dev/null", O_RDONLY) >= 0) {
        n++;
    }
    return judge(n > 1024, "more descriptors than allowed");
}

/* argument: a folder. */
static enum verdict files(const char *argument)
{
    char path[128];
    int n = 0;

    for (; n < TOO_MANY; n++) {
        (void)snprintf(path, sizeof(path), "%s/f%d", argument == NULL ? "/work" : argument, n);
        int fd = open(path, O_CREAT | O_WRONLY, 0600);
        if (fd < 0) {
            break;
        }
        (void)close(fd);
    }
    return judge(n == TOO_MANY, "files without end");
}

static enum verdict big_file(const char *argument)
{
    int fd = open("/work/sparse", O_CREAT | O_WRONLY, 0600);

    (void)argument;
    (void)signal(SIGXFSZ, SIG_IGN);
    return judge(ftruncate(fd, (off_t)1 << 40) == 0, "a file of 1 TiB");
}

/* argument: a folder. */
static enum verdict fill(const char *argument)
{
    static char block[BLOCK];
    char path[128];
    long long n = 0;

    (void)snprintf(path, sizeof(path), "%s/fill", argument == NULL ? "/work" : argument);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    (void)signal(SIGXFSZ, SIG_IGN);
    while (n < 4LL << 30 && write(fd, block, sizeof(block)) == (ssize_t)sizeof(block)) {
        n += (long long)sizeof(block);
    }
    (void)printf("  %lld bytes\n", n);
    return judge(fd < 0 || n >= 4LL << 30, "bytes without end");
}

static enum verdict locked_memory(const char *argument)
{
    void *memory = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)argument;
    return judge(memory != MAP_FAILED && mlock(memory, 16 << 20) == 0, "16 MiB of locked memory");
}

/* Ends the process when the jail holds: run as the command, its exit code says so. */
static enum verdict hog(const char *argument)
{
    size_t size = (size_t)(argument == NULL ? 512 : atoi(argument)) << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        return judge(false, "memory");
    }
    memset(memory, 1, size);
    return judge(true, "memory without end");
}

/* Forks out of every session for a minute at most; never returns in init. */
static enum verdict bomb(const char *argument)
{
    (void)argument;
    (void)printf("begun\n");
    (void)fflush(stdout);
    (void)signal(SIGCHLD, SIG_IGN);
    (void)alarm(60);
    for (time_t end = time(NULL) + 60; time(NULL) < end;) {
        pid_t pid = fork();
        if (pid == 0) {
            (void)setsid();
            if (fork() > 0) {
                _exit(0);
            }
        }
    }
    return NOT_TRIED;
}

static void name_queue(const char *argument, char name[64])
{
    (void)snprintf(name, 64, "filterd-jail-test-%s", argument == NULL ? "0" : argument);
}

/* argument: a shared memory segment of the machine, for whose number there is a message queue, too. */
static enum verdict shared_memory(const char *argument)
{
    int id = argument == NULL ? 0 : atoi(argument);
    struct shmid_ds info;
    char name[64];

    name_queue(argument, name);
    return both(judge(shmat(id, NULL, SHM_RDONLY) != (void *)-1, "attach the machine's shared memory"),
                both(judge(shmctl(id, IPC_STAT, &info) == 0, "look at the machine's shared memory"),
                     judge(syscall(SYS_mq_open, name, O_RDONLY, 0, NULL) >= 0, "the machine's message queue")));
}

/* Outside, for A32: a message queue that anybody may read; and its end. */
static enum verdict make_queue(const char *argument)
{
    char name[64];

    name_queue(argument, name);
    (void)umask(0);
    return syscall(SYS_mq_open, name, O_CREAT | O_RDWR, 0666, NULL) < 0 ? NOT_TRIED : HELD;
}

static enum verdict end_queue(const char *argument)
{
    char name[64];

    name_queue(argument, name);
    return syscall(SYS_mq_unlink, name) != 0 ? NOT_TRIED : HELD;
}

const struct attack attacks_process[] = {
    {"A2", inherited},      {"A3", launcher_file},     {"A4", init}, {"A5", stolen_descriptor},
    {"A6", signals},        {"A28", zombies},          {"A29-processes", processes},
    {"A29-threads", threads},
    {"A29-descriptors", descriptors}, {"A29-files", files}, {"A29-sparse", big_file}, {"A29-fill", fill},
    {"A29-mlock", locked_memory}, {"A29-memory", hog}, {"A30", bomb},         {"A32", shared_memory},
    {"make-queue", make_queue}, {"end-queue", end_queue}, {NULL, NULL},
};
