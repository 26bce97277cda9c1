/* fuzz_arrow.c - arrays that lie to filterd_judge_arrow: refused, or each row gets a verdict.
 *
 * The interface says nothing of the length of a buffer, so buffers here are as long as the numbers of rows and the offsets ask
 * for, in exact allocations, and every other number is the input's. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/filterd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS_MAX = 64, BYTES_MAX = 4096, VIEW_SIZE = 16 };

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

struct input {
    const uint8_t *at;
    size_t left;
};

/* The next bytes of the input, then zeros. */
static void take(struct input *in, void *out, size_t n)
{
    size_t taken = n < in->left ? n : in->left;

    memset(out, 0, n);
    memcpy(out, in->at, taken);
    in->at += taken;
    in->left -= taken;
}

static uint8_t take_byte(struct input *in)
{
    uint8_t byte;

    take(in, &byte, 1);
    return byte;
}

static void *take_buffer(struct input *in, size_t n)
{
    void *buffer = malloc(n > 0 ? n : 1);

    require(buffer != NULL);
    take(in, buffer, n);
    return buffer;
}

static filterd_engine *open_engine(void)
{
    char folder[] = "/tmp/filterd-fuzz-XXXXXX", path[PATH_MAX], error[FILTERD_ERROR_MAX];
    static const char rules[] = "rules:\n  - {id: ticket, title: t, category: secret, severity: high, confidence: 0.9, pattern: 'TK[0-9]{1,9}', "
                                "match: [TK1], no_match: [a]}\n";
    static const char policy[] = "policies:\n  default:\n    rules: [pack]\n    actions: [{category: secret, action: redact}]\n    notice: n\n";
    struct filterd_options options = {.size = sizeof(options), .rules = folder, .policy_text = policy};

    require(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof(path), "%s/pack", folder);
    require(mkdir(path, 0700) == 0);
    (void)snprintf(path, sizeof(path), "%s/policy.yaml", folder);
    FILE *f = fopen(path, "w");
    require(f != NULL && fputs(policy, f) >= 0 && fclose(f) == 0);
    (void)snprintf(path, sizeof(path), "%s/pack/r.yaml", folder);
    f = fopen(path, "w");
    require(f != NULL && fputs(rules, f) >= 0 && fclose(f) == 0);
    filterd_engine *engine = filterd_open(&options, error, sizeof(error));
    if (engine == NULL) {
        (void)fprintf(stderr, "%s\n", error);
    }
    require(remove(path) == 0);
    (void)snprintf(path, sizeof(path), "%s/policy.yaml", folder);
    require(remove(path) == 0);
    (void)snprintf(path, sizeof(path), "%s/pack", folder);
    require(remove(path) == 0 && remove(folder) == 0 && engine != NULL);
    return engine;
}

struct hostile {
    struct ArrowArray array;
    struct ArrowSchema schema;
    const void *buffers[5];
    bool is_released;
};

static void release_array(struct ArrowArray *a)
{
    struct hostile *h = a->private_data;

    for (size_t i = 0; i < 5; i++) {
        free((void *)(uintptr_t)h->buffers[i]);
    }
    h->is_released = true;
    a->release = NULL;
}

static void release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
}

/* The data is as long as the largest offset says, if that is sane; a real array has no other end. */
static void *take_data(struct input *in, const void *offsets, size_t n, bool is_large)
{
    int64_t end = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t offset = is_large ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
        end = offset > end ? offset : end;
    }
    return end <= BYTES_MAX ? take_buffer(in, (size_t)end) : NULL;
}

static bool make_hostile(struct hostile *h, struct input *in)
{
    static const char *const formats[] = {"u", "U", "vu", "z"};
    const char *format = formats[take_byte(in) % 4];
    size_t length = take_byte(in) % ROWS_MAX, offset = take_byte(in) % ROWS_MAX, n = length + offset;
    uint8_t lies = take_byte(in);
    bool is_large = format[0] == 'U', is_view = format[0] == 'v';

    memset(h, 0, sizeof(*h));
    h->schema = (struct ArrowSchema){.format = format, .name = "", .release = release_schema};
    h->array = (struct ArrowArray){.length = (int64_t)length, .offset = (int64_t)offset, .n_buffers = is_view ? 5 : 3, .buffers = h->buffers,
                                   .release = release_array, .private_data = h};
    h->array.null_count = (int8_t)take_byte(in);
    h->buffers[0] = (lies & 1) != 0 ? NULL : take_buffer(in, n / 8 + 1);
    h->buffers[1] = (lies & 2) != 0 ? NULL : take_buffer(in, is_view ? n * VIEW_SIZE : (n + 1) * (is_large ? 8 : 4));
    if (is_view) {
        int64_t *lengths = take_buffer(in, 2 * sizeof(*lengths));
        h->buffers[4] = lengths;
        for (size_t i = 0; i < 2; i++) {
            lengths[i] = lengths[i] < 0 ? lengths[i] : lengths[i] % BYTES_MAX;
            h->buffers[2 + i] = (lies & 4 << i) != 0 ? NULL : take_buffer(in, lengths[i] > 0 ? (size_t)lengths[i] : 0);
        }
    } else if (h->buffers[1] != NULL && (lies & 4) == 0) {
        h->buffers[2] = take_data(in, h->buffers[1], n + 1, is_large);
    }
    if ((lies & 16) != 0) {
        h->array.n_buffers = (int8_t)take_byte(in) % 4; /* never more than there are */
    }
    if ((lies & 32) != 0) {
        h->array.length = -h->array.length - 1;
    }
    return (lies & 64) == 0;
}

static void check_result(const struct ArrowArray *out, const struct ArrowSchema *schema, int64_t length)
{
    require(out->length == length && out->n_children == schema->n_children);
    for (int64_t i = 0; i < out->n_children; i++) {
        require(out->children[i]->length == length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static filterd_engine *engine;
    struct input in = {data, size};
    struct hostile h;
    struct ArrowArray out;
    struct ArrowSchema out_schema;
    char error[FILTERD_ERROR_MAX];

    if (engine == NULL) {
        engine = open_engine();
    }
    bool with_text = make_hostile(&h, &in);
    int64_t length = h.array.length;
    int code = filterd_judge_arrow(engine, &h.array, &h.schema, 1, with_text ? 0 : FILTERD_NO_TEXT, &out, &out_schema, error, sizeof(error));
    require(h.is_released && h.array.release == NULL);
    if (code == 0) {
        check_result(&out, &out_schema, length);
        out.release(&out);
        out_schema.release(&out_schema);
    }
    return 0;
}
