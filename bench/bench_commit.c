/* bench_commit.c - how long a line of the log waits for the disk while tiles are committed beside it.
 *
 * usage: bench_commit [LINES_PER_SECOND [ROUNDS]]; below TMPDIR. A thread appends lines and syncs them as the log's writer
 * does; phases of five seconds without and with a proof's commits take turns, so that both see the same disk. */
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "record/tiles.h"

enum { LINE = 740, LINES_DEFAULT = 6000, ROUNDS_DEFAULT = 4, PHASE_MS = 5000, SAMPLES_MAX = 200000, PAUSE_US = 500 };

struct phase {
    double ms[SAMPLES_MAX];
    size_t n;
};

static struct phase phases[2];
static atomic_bool is_committing, is_over;
static unsigned lines_per_second = LINES_DEFAULT;
static struct error err;

/* A second's lines, and a checkpoint's commit, as decision_proof does it. */
static void *prove(void *folder)
{
    struct tile_writer *tiles = tile_writer_open(folder, 0, &err);
    struct tree_hash leaf;

    must(tiles != NULL, &err);
    while (!atomic_load(&is_over)) {
        int64_t next = clock_monotonic_ms() + 1000;
        for (unsigned i = 0; atomic_load(&is_committing) && i < lines_per_second; i++) {
            tree_hash_leaf(span_of((const char *)&i, sizeof(i)), &leaf);
            must(tile_writer_add(tiles, &leaf, &err), &err);
        }
        must(!atomic_load(&is_committing) || tile_writer_commit(tiles, &err), &err);
        while (!atomic_load(&is_over) && clock_monotonic_ms() < next) {
            (void)usleep(10000);
        }
    }
    tile_writer_close(tiles);
    return NULL;
}

static void append(int fd, struct phase *p)
{
    static char lines[LINE * 8];
    int64_t until = clock_monotonic_ms() + PHASE_MS;

    while (clock_monotonic_ms() < until && p->n < SAMPLES_MAX) {
        uint64_t begun = clock_monotonic_ns();
        must(write(fd, lines, sizeof(lines)) == (ssize_t)sizeof(lines) && fdatasync(fd) == 0, &err);
        p->ms[p->n++] = (double)(clock_monotonic_ns() - begun) / 1e6;
        (void)usleep(PAUSE_US);
    }
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double percentile(struct phase *p, double share)
{
    qsort(p->ms, p->n, sizeof(double), compare);
    return p->ms[(size_t)((double)(p->n - 1) * share)];
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : ROUNDS_DEFAULT;
    char folder[256], path[300];
    const char *parent = getenv("TMPDIR");
    pthread_t thread;

    lines_per_second = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : LINES_DEFAULT;
    (void)snprintf(folder, sizeof(folder), "%s/filterd-bench.XXXXXX", parent == NULL ? "/tmp" : parent);
    must(mkdtemp(folder) != NULL, &err);
    (void)snprintf(path, sizeof(path), "%s/log", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    must(fd >= 0 && pthread_create(&thread, NULL, prove, folder) == 0, &err);
    for (unsigned i = 0; i < 2 * rounds; i++) {
        atomic_store(&is_committing, i % 2 == 1);
        append(fd, &phases[i % 2]);
    }
    atomic_store(&is_over, true);
    (void)pthread_join(thread, NULL);
    double without = percentile(&phases[0], 0.99), with = percentile(&phases[1], 0.99);
    report("commit.log_p99_without", "ms", without, phases[0].n);
    report("commit.log_p99", "ms", with, phases[1].n);
    report("commit.log_p99_ratio", "ratio", with / without, phases[1].n);
    (void)close(fd);
    return nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0 ? 0 : 2;
}
