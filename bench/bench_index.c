/* bench_index.c - the index of a long log: how fast it is made, how large it is, how long a page of it takes.
 *
 * usage: bench_index [LINES [FOLDER]]; FILTERD_INDEX_LINES is the same as LINES. The folder, made and removed, is below TMPDIR
 * otherwise. Pages are read after the index was made, so mostly from memory; processor time is that of the thread. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "bench/record_lines.h"
#include "index/index_find.h"
#include "index/index_follow.h"

enum { LINES_DEFAULT = 1000000, ROUNDS = 200 };

static struct error err;

static void make_log(const char *path, uint64_t n)
{
    FILE *log = fopen(path, "w");

    if (log == NULL) {
        exit(2);
    }
    for (uint64_t seq = 1; seq <= n; seq++) {
        (void)record_line_write(log, seq, (time_t)(1763700000 + seq / 4), false);
    }
    (void)fclose(log);
}

static void make_index(const struct index_place *place, uint64_t n)
{
    double begun = seconds_spent();
    int64_t since_ms = clock_monotonic_ms();
    struct stat info;
    bool more = true;

    struct index_follow *f = index_follow_rebuild(place, &err);
    must(f != NULL, &err);
    while (more) {
        must(index_follow_step(f, UINT64_MAX, 1000, &more, &err), &err);
    }
    must(index_follow_finish(f, &err), &err);
    index_follow_close(f);
    report("index.reindex.elapsed", "lines/s", (double)n * 1000 / (double)(clock_monotonic_ms() - since_ms), n);
    report("index.reindex.processor", "lines/s", (double)n / (seconds_spent() - begun), n);
    if (stat(place->index, &info) == 0) {
        report("index.size", "bytes/line", (double)info.st_size / (double)n, n);
    }
}

static bool count(void *context, uint64_t seq, struct span line, struct error *e)
{
    (void)seq;
    (void)line;
    (void)e;
    ++*(unsigned *)context;
    return true;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Pages of 50 from random places on, each by a reader of its own, as a request has it. */
static void read_pages(const struct index_place *place, const char *name, const char *text, uint64_t n)
{
    static double ms[ROUNDS], processor_ms[ROUNDS];
    struct query *query = query_compile(span_str(text), clock_utc_ns(), &err);
    unsigned lines = 0;
    char title[96];

    must(query != NULL, &err);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t next = 0;
        const struct index_page page = {.query = query, .before = 2 + randombytes_uniform((uint32_t)n), .limit = 50, .take = count,
                                        .context = &lines};
        uint64_t since_ns = clock_monotonic_ns();
        double since = seconds_spent();
        struct index_reader *r = index_reader_open(place->index, place->folder, &err);
        must(r != NULL && index_find(r, &page, &next, &err), &err);
        index_reader_close(r);
        processor_ms[i] = (seconds_spent() - since) * 1000;
        ms[i] = (double)(clock_monotonic_ns() - since_ns) / 1e6;
    }
    query_free(query);
    qsort(ms, ROUNDS, sizeof(ms[0]), compare);
    qsort(processor_ms, ROUNDS, sizeof(processor_ms[0]), compare);
    (void)snprintf(title, sizeof(title), "index.elapsed.%s.median", name);
    report(title, "ms", ms[ROUNDS / 2], lines);
    (void)snprintf(title, sizeof(title), "index.elapsed.%s.p99", name);
    report(title, "ms", ms[ROUNDS * 99 / 100], lines);
    (void)snprintf(title, sizeof(title), "index.page.%s.p99", name);
    report(title, "ms", processor_ms[ROUNDS * 99 / 100], lines);
}

static const struct {
    const char *name, *query;
} pages[] = {
    {"newest", ""},
    {"held", "action:block,redact"},
    {"block", "action:block"},
    {"agent-common", "agent:support-0"},
    {"agent-rare", "agent:support-77"},
    {"agent-block", "agent:support-77 action:block"},
    {"rule", "rule:rule-7"},
    {"token", "token:k1:ffffffffffffffffffffffffffffffff"},
    {"session", "session:k1:00000000000000000000000000000303"},
    {"req", "req:00000400-a580-7761-a879-000000000000"},
    {"since", "since:2025-11-21T12:00:00Z action:block"},
    {"nothing-category", "category:none"},
    {"nothing-app", "app:none"},
};

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("FILTERD_INDEX_LINES");
    const char *below = argc > 2 ? argv[2] : getenv("TMPDIR");
    uint64_t n = wanted == NULL ? LINES_DEFAULT : strtoull(wanted, NULL, 10);
    static char folder[512], log[600], record[600], index[600];

    (void)snprintf(folder, sizeof(folder), "%s/filterd-bench-index-XXXXXX", below == NULL ? "/tmp" : below);
    if (n == 0 || n > UINT32_MAX - 2 || sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 2;
    }
    (void)snprintf(log, sizeof(log), "%s/decisions.jsonl", folder);
    (void)snprintf(record, sizeof(record), "%s/record", folder);
    (void)snprintf(index, sizeof(index), "%s/record/index.db", folder);
    const struct index_place place = {.log = log, .folder = folder, .index = index};
    if (mkdir(record, 0700) != 0) {
        return 2;
    }
    make_log(log, n);
    make_index(&place, n);
    for (size_t i = 0; i < COUNT(pages); i++) {
        read_pages(&place, pages[i].name, pages[i].query, n);
    }
    (void)remove_folder(folder);
    return 0;
}
