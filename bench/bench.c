#include "bench/bench.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <jansson.h>

#include "pipeline/load.h"

double seconds_spent(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void report(const char *name, const char *unit, double value, uint64_t n)
{
    printf("{\"name\":\"%s\",\"unit\":\"%s\",\"value\":%.4g,\"n\":%llu}\n", name, unit, value, (unsigned long long)n);
    (void)fflush(stdout);
}

void must(bool is_done, const struct error *err)
{
    if (!is_done) {
        (void)fprintf(stderr, "%s: %s\n", program_invocation_short_name, err->text);
        exit(2);
    }
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

bool remove_folder(const char *path)
{
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0;
}

static const char *data_folder(void)
{
    const char *folder = getenv("FILTERD_DATA");

    return folder != NULL ? folder : "../shared/data";
}

/* The texts of one NDJSON file, one after another. */
static void append_file(const char *path, struct messages *m, size_t max)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;

    while (file != NULL && m->bytes < max && getline(&line, &cap, file) > 0) {
        json_t *row = json_loads(line, 0, NULL);
        const char *text = json_string_value(json_object_get(row, "text"));
        size_t len = text != NULL ? strlen(text) : 0;
        len = len > max - m->bytes ? max - m->bytes : len;
        if (len > 0) {
            memcpy(m->memory + m->bytes, text, len);
            m->bytes += len;
        }
        json_decref(row);
    }
    free(line);
    if (file != NULL) {
        (void)fclose(file);
    }
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static bool cut(struct messages *m, size_t size)
{
    m->items = calloc(m->bytes / size + 2, sizeof(*m->items));
    if (m->items == NULL) {
        return false;
    }
    for (size_t at = 0; at < m->bytes;) {
        size_t end = at + size < m->bytes ? at + size : m->bytes;
        while (end < m->bytes && end > at + 1 && is_continuation(m->memory[end])) {
            end--;
        }
        m->items[m->n++] = span_of(m->memory + at, end - at);
        at = end;
    }
    return m->n > 0;
}

bool messages_load(size_t message_size, size_t bytes_max, struct messages *out)
{
    static const char *const files[] = {"benign/llm-fastchat.ndjson", "benign/gpteacher_answers.ndjson",
                                        "benign/hh_preferred_answers.ndjson", "benign/llm-arena-hard.ndjson"};
    char path[512];

    *out = (struct messages){.memory = malloc(bytes_max)};
    if (out->memory == NULL) {
        return false;
    }
    for (size_t i = 0; i < COUNT(files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", data_folder(), files[i]);
        append_file(path, out, bytes_max);
    }
    if (out->bytes == 0) {
        (void)fprintf(stderr, "%s/benign: no texts; set FILTERD_DATA\n", data_folder());
    }
    return out->bytes > 0 && cut(out, message_size);
}

void messages_free(struct messages *m)
{
    free(m->items);
    free(m->memory);
}

bool judge_open(struct judge *j, bool without_prefilter)
{
    const struct rule_set_options options = {.without_prefilter = without_prefilter, .only_used = true};
    const struct worker_limits limits = worker_limits_default();
    struct error err;

    *j = (struct judge){0};
    j->snapshot = snapshot_open(NULL, NULL, &options, &err);
    j->worker = j->snapshot != NULL ? worker_new(&limits, NULL, &err) : NULL;
    if (j->worker == NULL) {
        (void)fprintf(stderr, "%s\n", err.text);
    }
    return j->worker != NULL;
}

void judge_close(struct judge *j)
{
    worker_free(j->worker);
    snapshot_unref(j->snapshot);
}

enum action judge_run(struct judge *j, struct span text)
{
    (void)worker_begin(j->worker);
    j->channel = (struct channel){.text = text};
    j->x = (struct exchange){.snapshot = j->snapshot,
                             .policy = snapshot_policy(j->snapshot, (struct span){0}, (struct span){0}),
                             .channels = &j->channel,
                             .n_channels = 1};
    pipeline_judge(j->worker, &j->x);
    return j->x.action;
}
