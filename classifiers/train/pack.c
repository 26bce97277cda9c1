#include "classifiers/train/pack.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "classifiers/model_write.h"

/* So few of the weights may be cut to what eight bits hold. */
static const double cut_share = 0.0005;

bool pack_init(struct pack *p, unsigned bits, size_t half, struct error *err)
{
    *p = (struct pack){.settings = {.features = FEATURES_VERSION, .bits = bits, .half = (uint32_t)half}};
    for (size_t i = 0; i < LINEAR_HEADS; i++) {
        p->heads[i] = (struct linear_head){.slope = 1, .offset = -30, .discount_by = LINEAR_HEADS};
    }
    p->rows = calloc((size_t)1 << bits, sizeof(*p->rows));
    return p->rows != NULL || error_set(err, ERROR_NO_MEMORY, "pack: no memory");
}

static int compare(const void *x, const void *y)
{
    float a = *(const float *)x, b = *(const float *)y;

    return (a > b) - (a < b);
}

/* The weight that becomes 127. */
static bool largest(const float *rows, size_t n, float *found, struct error *err)
{
    CLEANUP(cleanup_free) float *sorted = malloc(n * sizeof(*sorted));
    size_t used = 0;

    if (sorted == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "pack: no memory");
    }
    for (size_t i = 0; i < n; i++) {
        if (rows[i] < 0 || rows[i] > 0) {
            sorted[used++] = fabsf(rows[i]);
        }
    }
    qsort(sorted, used, sizeof(*sorted), compare);
    *found = used == 0 ? 1 : sorted[used - 1 - (size_t)(cut_share * (double)(used - 1))];
    return true;
}

bool pack_head(struct pack *p, enum head head, const struct weights *weights, const struct curve *curve,
               struct error *err)
{
    size_t n = (size_t)1 << p->settings.bits;
    struct linear_head *h = &p->heads[head];
    float top = 0;

    if (!largest(weights->rows, n, &top, err)) {
        return false;
    }
    h->step = top / 127;
    for (size_t i = 0; i < n; i++) {
        float units = roundf(weights->rows[i] / h->step);
        p->rows[i].weights[head] = (int8_t)(units > 127 ? 127 : units < -127 ? -127 : units);
    }
    memcpy(h->name, goals[head].name, strlen(goals[head].name));
    h->bias = (float)weights->bias;
    h->slope = (float)curve->slope;
    h->offset = (float)curve->offset;
    h->discount_by = goals[head].discount_by < HEAD_COUNT ? (uint32_t)goals[head].discount_by : LINEAR_HEADS;
    h->discount = (float)goals[head].discount;
    h->other_script = (float)goals[head].other_script;
    h->acts = curve->acts ? 1 : 0;
    h->judges_unit = goals[head].judges_unit ? 1 : 0;
    return true;
}

bool pack_write(const struct pack *p, const char *path, struct error *err)
{
    const struct model_part parts[] = {
        {"settings", &p->settings, sizeof(p->settings)},
        {"heads", p->heads, sizeof(p->heads)},
        {"rows", p->rows, sizeof(*p->rows) << p->settings.bits},
    };
    CLEANUP(buf_deinit) struct buf out;

    buf_init(&out, MODEL_SIZE_MAX);
    return model_write("linear", "heads", parts, COUNT(parts), &out, err) &&
           file_write_atomic(path, buf_span(&out), 0644, err);
}

void pack_deinit(struct pack *p)
{
    free(p->rows);
}
