#include "ctl/lab/score.h"
#include "judge/classify.h"
#include "scan/classifier.h"

struct highest {
    unsigned head;
    double score;
};

static bool on_place(void *context, const struct classifier_place *place, struct error *err)
{
    struct highest *h = context;

    (void)err;
    if (place->head == h->head && place->score > h->score) {
        h->score = place->score;
    }
    return true;
}

bool score_by_head(const struct score_head *by, enum hold_unit hold, struct span text, double *score, struct error *err)
{
    const double all = 0, none = 2;
    struct highest highest = {.head = by->head};
    double wanted[CLASSIFIER_HEADS_MAX];

    for (unsigned i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        wanted[i] = i == by->head ? all : none;
    }
    if (by->classifier->needs_all != NULL && by->classifier->needs_all(by->classifier->self, by->head)) {
        hold = HOLD_ALL;
    }
    while (text.len > 0) {
        size_t len = classify_unit(hold, text, true);
        if (!by->classifier->judge(by->classifier->self, span_slice(text, 0, len), wanted, on_place, &highest, err)) {
            return false;
        }
        text = span_slice(text, len, text.len);
    }
    *score = highest.score;
    return true;
}
