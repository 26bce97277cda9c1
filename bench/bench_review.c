/* bench_review.c - the review of a long log: how fast review.db is made, how long each list of it takes.
 *
 * usage: bench_review [LINES [FOLDER]]; FILTERD_INDEX_LINES is the same as LINES. 1 % of the lines are items, 0.1 % blind samples; two
 * thirds of both are closed, and there are 1,000 exceptions and reveals. With FOLDER the log, its index and review.db stay there,
 * for bench/review.sh; otherwise they are below TMPDIR and removed. Each list is read 200 times by a reader of its own, as a
 * request has it; processor time is that of the thread. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "bench/record_lines.h"
#include "index/index_find.h"
#include "index/index_follow.h"
#include "review/exceptions.h"
#include "review/quality_find.h"
#include "review/reveals.h"

enum { LINES_DEFAULT = 1000000, ROUNDS = 200, WAITING = 300, CLOSED = 200, PER_SECOND = 4, ROWS = 50, REQUESTS = 1000 };

static struct error err;

/* --- the log ---------------------------------------------------------------------------- */

struct log {
    FILE *file;
    uint64_t n, seq;
    int64_t now_s;
    uint64_t waiting[WAITING]; /* items without a disposition */
    size_t n_waiting;
};

static time_t moment(const struct log *l)
{
    return (time_t)(l->now_s - (int64_t)((l->n - l->seq) / PER_SECOND));
}

static void begin_line(struct log *l, const char *type)
{
    time_t at = moment(l);
    char ts[40];
    struct tm t;

    (void)strftime(ts, sizeof(ts), "%Y-%m-%dT%H:%M:%S", gmtime_r(&at, &t));
    (void)fprintf(l->file, "{\"seq\":%llu,\"node\":\"bench-1\",\"boot_id\":\"7f0c9d1e-7ab2-4f31-a0a8-d7f612f9f4cb\",\"v\":2,\"type\":\"%s\",\"ts\":\"%s.000000000Z\"",
                  (unsigned long long)++l->seq, type, ts);
}

/* The first of those that wait. */
static void close_items(struct log *l)
{
    static const char *const dispositions[] = {"true_positive", "true_positive", "false_positive", "benign", "policy_gap"};

    begin_line(l, "review");
    (void)fprintf(l->file, ",\"step\":\"dispose\",\"disposition\":\"%s\",\"by\":\"anna\",\"role\":\"reviewer\",\"items\":[",
                  dispositions[randombytes_uniform(COUNT(dispositions))]);
    for (size_t i = 0; i < CLOSED; i++) {
        (void)fprintf(l->file, "%s%llu", i == 0 ? "" : ",", (unsigned long long)l->waiting[i]);
    }
    (void)fprintf(l->file, "]}\n");
    l->n_waiting = 0;
}

static void request(struct log *l, unsigned i)
{
    begin_line(l, "exception");
    (void)fprintf(l->file, ",\"id\":\"e-%u\",\"step\":\"proposed\",\"tenant\":\"acme\",\"rule\":\"rule-%u\",\"scope\":\"app\",\"app\":\"web\","
                           "\"until\":\"2026-12-24T00:00:00Z\",\"why\":\"ours\",\"by\":\"anna\",\"role\":\"reviewer\"}\n",
                  i, i % 200);
    begin_line(l, "reveal");
    (void)fprintf(l->file, ",\"request\":\"r-%u\",\"step\":\"asked\",\"item\":%llu,\"tenant\":\"acme\",\"blob\":\"b\",\"purpose\":\"legal\",\"case\":\"c-%u\","
                           "\"by\":\"anna\",\"role\":\"reviewer\"}\n",
                  i, (unsigned long long)l->seq - 2, i);
}

static void make_log(const char *path, uint64_t n)
{
    struct log l = {.file = fopen(path, "w"), .n = n, .now_s = clock_utc_ns() / 1000000000};

    if (l.file == NULL) {
        exit(2);
    }
    while (l.seq < n) {
        l.seq++;
        if (record_line_write(l.file, l.seq, moment(&l), true) && l.n_waiting < WAITING) {
            l.waiting[l.n_waiting++] = l.seq;
        }
        if (l.n_waiting == WAITING) {
            close_items(&l);
        }
        if (l.seq % (n / REQUESTS + 1) == 0) {
            request(&l, (unsigned)(l.seq / (n / REQUESTS + 1)));
        }
    }
    (void)fclose(l.file);
}

static void make_index(const struct index_place *place, const char *name, uint64_t n)
{
    double begun = seconds_spent();
    struct stat info;
    bool more = true;

    struct index_follow *f = index_follow_rebuild(place, &err);
    must(f != NULL, &err);
    while (more) {
        must(index_follow_step(f, UINT64_MAX, 1000, &more, &err), &err);
    }
    must(index_follow_finish(f, &err), &err);
    index_follow_close(f);
    if (place->maker == &review_maker) {
        report(name, "lines/s", (double)n / (seconds_spent() - begun), n);
        report("review.size", "bytes/line", stat(place->index, &info) == 0 ? (double)info.st_size / (double)n : 0, n);
    }
}

/* --- lists ------------------------------------------------------------------------------- */

static bool take_item(void *context, const struct review_item *item, struct error *e)
{
    (void)item, (void)e;
    ++*(uint64_t *)context;
    return true;
}

static bool take_group(void *context, const struct review_group *group, struct error *e)
{
    (void)group, (void)e;
    ++*(uint64_t *)context;
    return true;
}

static bool take_exception(void *context, const struct exception_row *row, struct error *e)
{
    (void)row, (void)e;
    ++*(uint64_t *)context;
    return true;
}

static bool take_reveal(void *context, const struct reveal_row *row, struct error *e)
{
    (void)row, (void)e;
    ++*(uint64_t *)context;
    return true;
}

static bool take_agreement(void *context, const struct review_agreement *a, struct error *e)
{
    (void)a, (void)e;
    ++*(uint64_t *)context;
    return true;
}

static int64_t now_ms(void)
{
    return clock_utc_ns() / 1000000;
}

static bool read_items(struct review_reader *r, const struct review_items_query *wanted, uint64_t *n)
{
    struct review_items_query q = *wanted;
    struct review_items_key next;
    bool has_next;

    q.now_ms = now_ms();
    q.limit = ROWS;
    return review_items(r, &q, take_item, n, &has_next, &next, &err);
}

static bool read_queue(struct review_reader *r, uint64_t *n)
{
    return read_items(r, &(struct review_items_query){.states = REVIEW_ITEMS_OPEN}, n);
}

/* From a random place on. */
static bool read_queue_later(struct review_reader *r, uint64_t *n)
{
    const struct review_items_key after = {-200 - (int64_t)randombytes_uniform(200), randombytes_uniform(UINT32_MAX)};

    return read_items(r, &(struct review_items_query){.states = REVIEW_ITEMS_OPEN, .has_after = true, .after = after}, n);
}

static bool read_closed(struct review_reader *r, uint64_t *n)
{
    return read_items(r, &(struct review_items_query){.states = REVIEW_ITEMS_CLOSED, .tenant = span_str("acme"), .rule = span_str("iban")}, n);
}

static bool read_overdue(struct review_reader *r, uint64_t *n)
{
    return read_items(r, &(struct review_items_query){.states = REVIEW_ITEMS_OPEN, .is_overdue = true}, n);
}

static bool read_samples(struct review_reader *r, uint64_t *n)
{
    return read_items(r, &(struct review_items_query){.states = REVIEW_ITEMS_OPEN, .why = REVIEW_SAMPLE}, n);
}

static bool read_counts(struct review_reader *r, uint64_t *n)
{
    struct review_counts counts;

    *n = 1;
    return review_counts(r, span_of(NULL, 0), now_ms(), &counts, &err);
}

static bool read_groups(struct review_reader *r, uint64_t *n)
{
    const struct review_groups_query q = {.limit = ROWS, .is_open = true};
    uint64_t next;

    return review_groups(r, &q, take_group, n, &next, &err);
}

static bool read_quality(struct review_reader *r, uint64_t *n)
{
    static struct quality q;
    bool is_read = quality_find(r, span_str("iban"), span_of(NULL, 0), now_ms() - 30 * (int64_t)REVIEW_DAY_MS, &q, &err);

    *n = q.all.n[ITEM_TRUE_POSITIVE] + q.all.n[ITEM_FALSE_POSITIVE];
    return is_read;
}

static bool read_exceptions(struct review_reader *r, uint64_t *n)
{
    const struct exceptions_query q = {.limit = ROWS, .now_ms = now_ms()};
    uint64_t next;

    return exceptions_find(r, &q, take_exception, n, &next, &err);
}

static bool read_reveals(struct review_reader *r, uint64_t *n)
{
    const struct reveals_query q = {.limit = ROWS};
    uint64_t next;

    return reveals_find(r, &q, take_reveal, n, &next, &err);
}

static bool read_agreements(struct review_reader *r, uint64_t *n)
{
    return review_agreements(r, span_of(NULL, 0), take_agreement, n, &err);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void read_list(const char *path, const char *name, bool (*read)(struct review_reader *r, uint64_t *n))
{
    static double ms[ROUNDS], processor_ms[ROUNDS];
    uint64_t rows = 0;
    char title[96];

    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t since_ns = clock_monotonic_ns();
        double since = seconds_spent();
        struct review_reader *r = review_reader_open(path, &err);
        rows = 0;
        must(r != NULL && read(r, &rows), &err);
        review_reader_close(r);
        processor_ms[i] = (seconds_spent() - since) * 1000;
        ms[i] = (double)(clock_monotonic_ns() - since_ns) / 1e6;
    }
    qsort(ms, ROUNDS, sizeof(ms[0]), compare);
    qsort(processor_ms, ROUNDS, sizeof(processor_ms[0]), compare);
    (void)snprintf(title, sizeof(title), "review.elapsed.%s.median", name);
    report(title, "ms", ms[ROUNDS / 2], rows);
    (void)snprintf(title, sizeof(title), "review.elapsed.%s.p99", name);
    report(title, "ms", ms[ROUNDS * 99 / 100], rows);
    (void)snprintf(title, sizeof(title), "review.list.%s.p99", name);
    report(title, "ms", processor_ms[ROUNDS * 99 / 100], rows);
}

static const struct {
    const char *name;
    bool (*read)(struct review_reader *r, uint64_t *n);
} lists[] = {
    {"queue", read_queue},       {"queue-later", read_queue_later}, {"closed", read_closed},         {"overdue", read_overdue},
    {"samples", read_samples},   {"counts", read_counts},           {"groups", read_groups},         {"quality", read_quality},
    {"exceptions", read_exceptions}, {"reveals", read_reveals},     {"agreements", read_agreements},
};

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : getenv("FILTERD_INDEX_LINES"), *below = getenv("TMPDIR");
    uint64_t n = wanted == NULL ? LINES_DEFAULT : strtoull(wanted, NULL, 10);
    static char folder[512], log[600], record[600], index[600], review[600];

    (void)snprintf(folder, sizeof(folder), "%s", argc > 2 ? argv[2] : below == NULL ? "/tmp" : below);
    if (argc <= 2) {
        (void)snprintf(folder, sizeof(folder), "%s/filterd-bench-review-XXXXXX", below == NULL ? "/tmp" : below);
    }
    if (n == 0 || n > UINT32_MAX - 2 || sodium_init() < 0 || (argc <= 2 && mkdtemp(folder) == NULL)) {
        return 2;
    }
    (void)snprintf(log, sizeof(log), "%s/decisions.jsonl", folder);
    (void)snprintf(record, sizeof(record), "%s/record", folder);
    (void)snprintf(index, sizeof(index), "%s/index.db", record);
    (void)snprintf(review, sizeof(review), "%s/review.db", record);
    if (mkdir(record, 0700) != 0) {
        return 2;
    }
    make_log(log, n);
    if (argc > 2) {
        make_index(&(struct index_place){.log = log, .folder = folder, .index = index}, NULL, n);
    }
    make_index(&(struct index_place){.log = log, .folder = folder, .index = review, .maker = &review_maker}, "review.reindex.processor", n);
    for (size_t i = 0; i < COUNT(lists); i++) {
        read_list(review, lists[i].name, lists[i].read);
    }
    return argc > 2 || remove_folder(folder) ? 0 : 2;
}
