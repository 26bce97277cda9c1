/* jail_timer.c - how long commands take from before the fork to the end of the wait, in rounds, each in an
 * order of its own. Prints per command: name, minimum, lower quartile, median, 95th percentile, in milliseconds.
 *
 * usage: jail_timer ROUNDS FILE NAME COMMAND… [:: NAME COMMAND…]…     FILE is descriptor 9 of each command */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MAX = 8, ROUNDS_MAX = 2000, WARM_UP = 5, PAUSE_NS = 8000000 };

struct timed {
    const char *name;
    char **command;
    double ms[ROUNDS_MAX];
};

static double now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static _Noreturn void become(char *const *command, const char *file)
{
    int null = open("/dev/null", O_RDWR), given = open(file, O_RDONLY);

    (void)dup2(null, 0);
    (void)dup2(null, 1);
    (void)dup2(given, 9);
    (void)execv(command[0], command);
    _exit(99);
}

/* The pause lets the kernel finish what it does after a wait, for all commands alike. */
static double run(char *const *command, const char *file)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    int status = 0;

    (void)nanosleep(&pause, NULL);
    double start = now_ms();
    pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): the child only execs */
    if (pid == 0) {
        become(command, file);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        (void)fprintf(stderr, "jail_timer: %s: status %x\n", command[0], (unsigned)status);
        exit(2);
    }
    return now_ms() - start;
}

/* What the kernel still does after one command is in the way of the next: nobody is to come after the same one always. */
static void shuffle(size_t *order, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t other = (size_t)rand() % i; /* NOLINT(concurrency-mt-unsafe,cert-msc30-c,cert-msc50-cpp) */
        size_t last = order[i - 1];
        order[i - 1] = order[other];
        order[other] = last;
    }
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    static struct timed timed[COMMANDS_MAX];
    size_t n = 0, order[COMMANDS_MAX];
    int rounds = argc < 5 ? 0 : (int)strtol(argv[1], NULL, 10);

    if (rounds < 1 || rounds > ROUNDS_MAX) {
        (void)fprintf(stderr, "usage: jail_timer ROUNDS FILE NAME COMMAND… [:: NAME COMMAND…]…\n");
        return 2;
    }
    for (int i = 3; i + 1 < argc && n < COMMANDS_MAX; n++) {
        timed[n].name = argv[i];
        timed[n].command = argv + i + 1;
        while (i < argc && strcmp(argv[i], "::") != 0) {
            i++;
        }
        argv[i++] = NULL;
    }
    for (size_t i = 0; i < n; i++) {
        order[i] = i;
    }
    for (int round = -WARM_UP; round < rounds; round++) {
        shuffle(order, n);
        for (size_t i = 0; i < n; i++) {
            timed[order[i]].ms[round < 0 ? 0 : round] = run(timed[order[i]].command, argv[2]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        double *ms = timed[i].ms;
        qsort(ms, (size_t)rounds, sizeof(*ms), compare);
        (void)printf("%s %.3f %.3f %.3f %.3f\n", timed[i].name, ms[0], ms[rounds / 4], ms[rounds / 2], ms[rounds * 95 / 100]);
    }
    return 0;
}
