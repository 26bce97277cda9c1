/* Any bytes, behind a model of any settings that opens, are scored and explained within bounds: the first bytes of the
 * input make the model's heads and rows, the rest is the text. */
#include <math.h>
#include <stdlib.h>

#include "classifiers/features.h"
#include "classifiers/linear.h"
#include "classifiers/linear_judge.h"
#include "classifiers/model_write.h"
#include "view/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BITS = 8 };

struct parts {
    struct linear_settings settings;
    struct linear_head heads[LINEAR_HEADS];
    struct linear_row rows[1 << BITS];
};

struct watch {
    const struct linear *linear;
    struct span text;
    size_t covered;
    unsigned judged; /* a bit for each head that had a place */
};

/* A window of this is left out. */
static bool says_nothing(struct span text)
{
    static uint32_t rows[FEATURES_MAX];

    for (size_t at = 0; at < text.len;) {
        size_t len = segment_first(SEGMENT_SENTENCE, span_slice(text, at, text.len), true);
        if (features_of(span_slice(text, at, at + len), BITS, rows) > 0) {
            return false;
        }
        at += len;
    }
    return true;
}

static bool watch_window(void *context, const struct linear_window *window)
{
    struct watch *w = context;

    if (window->to > w->text.len || window->from >= window->to ||
        (window->from > w->covered && !says_nothing(span_slice(w->text, w->covered, window->from)))) {
        abort();
    }
    w->covered = window->to;
    for (unsigned i = 0; i < LINEAR_HEADS; i++) {
        double score = linear_score(w->linear, i, (double)window->z[i]);
        if (!(score >= 0 && score <= 1)) {
            abort();
        }
    }
    return true;
}

static void explain(const struct linear *l, struct span text)
{
    struct linear_reason reasons[5];
    size_t n = linear_explain(l, 0, text, reasons, COUNT(reasons));

    for (size_t i = 0; i < n; i++) {
        if (reasons[i].from > reasons[i].to || reasons[i].to > text.len) {
            abort();
        }
    }
}

static bool watch_place(void *context, const struct classifier_place *place, struct error *err)
{
    struct watch *w = context;

    (void)err;
    if (place->head >= LINEAR_HEADS || place->from >= place->to || place->to > w->text.len || !(place->score >= 0 && place->score <= 1) ||
        (linear_judges_unit(w->linear, place->head) && (w->judged & 1U << place->head) != 0)) {
        abort();
    }
    w->judged |= 1U << place->head;
    return true;
}

static void judge(struct watch *w)
{
    const struct classifier c = linear_judge(w->linear);
    const double wanted[CLASSIFIER_HEADS_MAX] = {0};
    struct error err;

    if (!c.judge(c.self, w->text, wanted, watch_place, w, &err)) {
        abort();
    }
}

static void run(struct span bytes, struct span text)
{
    struct error err = {0};
    struct model *m = model_open_bytes(bytes, "fuzz", "linear", &err);
    struct linear *l = m != NULL ? linear_open(m, &err) : NULL;

    if (l == NULL) {
        return;
    }
    struct watch watch = {.linear = l, .text = text};
    if (!linear_scan(l, text, watch_window, &watch)) {
        abort();
    }
    judge(&watch);
    explain(l, text);
    linear_close(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct parts p;
    static const struct model_part parts[] = {
        {"settings", &p.settings, sizeof(p.settings)}, {"heads", p.heads, sizeof(p.heads)}, {"rows", p.rows, sizeof(p.rows)}};
    const size_t head = sizeof(p.heads) + sizeof(p.rows);
    struct error err;
    struct buf out;

    memset(&p, 0, sizeof(p));
    p.settings = (struct linear_settings){.features = FEATURES_VERSION, .bits = BITS, .half = 30};
    memcpy(p.heads, data, size < sizeof(p.heads) ? size : sizeof(p.heads));
    if (size > sizeof(p.heads)) {
        memcpy(p.rows, data + sizeof(p.heads), size < head ? size - sizeof(p.heads) : sizeof(p.rows));
    }
    if (size > 0 && data[0] == '=') { /* a model that opens, whatever follows */
        for (size_t i = 0; i < LINEAR_HEADS; i++) {
            p.heads[i] = (struct linear_head){.step = 1, .slope = 1, .discount_by = (uint32_t)(i + 1), .discount = 1, .other_script = 12,
                                               .judges_unit = i % 2};
        }
    }
    buf_init(&out, MODEL_SIZE_MAX);
    if (model_write("linear", "fuzz", parts, COUNT(parts), &out, &err)) {
        void *copy = aligned_alloc(MODEL_ALIGN, (out.len + MODEL_ALIGN) / MODEL_ALIGN * MODEL_ALIGN);
        if (copy != NULL) {
            memcpy(copy, out.data, out.len);
            run(span_of(copy, out.len), span_of((const char *)data, size));
        }
        free(copy);
    }
    buf_deinit(&out);
    return 0;
}
