/* bench_library.c - filterd_judge_arrow against the pipeline itself, over the same benign texts of 2 KiB in one thread, in turns. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "library/filterd.h"

enum { TEXT = 2048, ROUNDS = 5, BYTES = 8 * 1024 * 1024 };

/* The texts as an Arrow array; lives as long as the benchmark. */
struct texts_array {
    struct ArrowSchema schema;
    int32_t *offsets;
    char *data;
    const void *buffers[3];
};

static void release_array(struct ArrowArray *a)
{
    a->release = NULL;
}

static void release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
}

static bool make_array(const struct messages *m, struct texts_array *out)
{
    out->offsets = calloc(m->n + 1, sizeof(*out->offsets));
    out->data = malloc(m->bytes);
    if (out->offsets == NULL || out->data == NULL) {
        return false;
    }
    for (size_t i = 0; i < m->n; i++) {
        memcpy(out->data + out->offsets[i], m->items[i].ptr, m->items[i].len);
        out->offsets[i + 1] = out->offsets[i] + (int32_t)m->items[i].len;
    }
    out->buffers[1] = out->offsets;
    out->buffers[2] = out->data;
    out->schema = (struct ArrowSchema){.format = "u", .name = "", .release = release_schema};
    return true;
}

static double time_arrow(filterd_engine *engine, struct texts_array *texts, size_t n)
{
    struct ArrowArray in = {.length = (int64_t)n, .n_buffers = 3, .buffers = texts->buffers, .release = release_array}, out;
    struct ArrowSchema out_schema;
    char error[FILTERD_ERROR_MAX];
    double start = seconds_spent();

    if (filterd_judge_arrow(engine, &in, &texts->schema, 1, 0, &out, &out_schema, error, sizeof(error)) != 0) {
        (void)fprintf(stderr, "%s\n", error);
        exit(1);
    }
    double spent = seconds_spent() - start;
    out.release(&out);
    out_schema.release(&out_schema);
    return spent;
}

static double time_pipeline(struct judge *j, const struct messages *m)
{
    double start = seconds_spent();

    for (size_t i = 0; i < m->n; i++) {
        (void)judge_run(j, m->items[i]);
    }
    return seconds_spent() - start;
}

int main(void)
{
    char error[FILTERD_ERROR_MAX];
    struct texts_array texts;
    struct messages m;
    struct judge j;
    double arrow = 1e9, pipeline = 1e9;
    filterd_engine *engine = filterd_open(NULL, error, sizeof(error));

    if (engine == NULL || !messages_load(TEXT, BYTES, &m) || !make_array(&m, &texts) || !judge_open(&j, false)) {
        return 1;
    }
    (void)time_arrow(engine, &texts, m.n);
    (void)time_pipeline(&j, &m);
    for (int i = 0; i < ROUNDS; i++) {
        double a = time_arrow(engine, &texts, m.n), p = time_pipeline(&j, &m);
        arrow = a < arrow ? a : arrow;
        pipeline = p < pipeline ? p : pipeline;
    }
    report("library.arrow", "MB/s", (double)m.bytes / 1e6 / arrow, m.n);
    report("library.arrow_to_pipeline", "ratio", pipeline / arrow, m.n);
    filterd_close(engine);
    judge_close(&j);
    messages_free(&m);
    free(texts.offsets);
    free(texts.data);
    return 0;
}
