#include "classifiers/tagger_judge.h"

#include "classifiers/uninitialised.h"

/* One unit under judgement. */
struct judgement {
    size_t line_from; /* in the unit */
    double least;
    classifier_found_fn *found;
    void *context;
    struct error *err;
    bool has_failed;
};

static unsigned head_of(const void *self, struct span name)
{
    const struct tagger_judge *j = self;

    return span_is(name, j->head) ? 0 : CLASSIFIER_HEADS_MAX;
}

static void tell(void *ctx, const struct tagger_entity *entity)
{
    struct judgement *j = ctx;
    const struct classifier_place place = {.from = j->line_from + entity->from,
                                           .to = j->line_from + entity->to,
                                           .score = (double)entity->confidence};

    if (!j->has_failed && place.score >= j->least) {
        j->has_failed = !j->found(j->context, &place, j->err);
    }
}

static size_t line_end(struct span text, size_t from)
{
    const char *end = memchr(text.ptr + from, '\n', text.len - from);

    return end == NULL ? text.len : (size_t)(end - text.ptr);
}

static bool judge(const void *self, struct span unit, const double wanted[CLASSIFIER_HEADS_MAX],
                  classifier_found_fn *found, void *context, struct error *err)
{
    const struct tagger_judge *t = self;
    struct judgement j = {.least = wanted[0], .found = found, .context = context, .err = err};
    LEFT_AS_IT_IS struct tagger_scratch scratch;

    for (size_t at = 0; at < unit.len && !j.has_failed && j.least <= 1;) {
        size_t end = line_end(unit, at);
        j.line_from = at;
        tagger_find(&t->tagger, &scratch, span_slice(unit, at, end), tell, &j);
        at = end + 1;
    }
    return !j.has_failed;
}

/* Puts the reason where it belongs by its weight; the weakest falls out of a full list. */
static size_t insert_reason(struct classifier_reason *reasons, size_t n, size_t max,
                            const struct classifier_reason *reason)
{
    size_t i = n < max ? n : max;

    if (i == max && (max == 0 || reasons[max - 1].weight >= reason->weight)) {
        return n;
    }
    i = i == max ? max - 1 : i;
    while (i > 0 && reasons[i - 1].weight < reason->weight) {
        reasons[i] = reasons[i - 1];
        i--;
    }
    reasons[i] = *reason;
    return n < max ? n + 1 : n;
}

static size_t explain(const void *self, unsigned head, struct span text,
                      struct classifier_reason *reasons, size_t max)
{
    const struct tagger_judge *t = self;
    LEFT_AS_IT_IS struct tagger_scratch scratch;
    struct tagger_view view[TAGGER_RUN];
    size_t n_reasons = 0;
    size_t n = head == 0 ? tagger_look(&t->tagger, &scratch, text, view, TAGGER_RUN) : 0;

    for (size_t i = 0; i < n; i++) {
        const struct classifier_reason reason = {view[i].from, view[i].to, (double)view[i].score};
        n_reasons = insert_reason(reasons, n_reasons, max, &reason);
    }
    return n_reasons;
}

static struct span digest(const void *self)
{
    const struct tagger_judge *t = self;

    return model_digest(t->model);
}

bool tagger_judge_open(struct tagger_judge *j, const struct model *m, const char *head,
                       struct classifier *out, struct error *err)
{
    if (!tagger_open(&j->tagger, m, err)) {
        return false;
    }
    j->model = m;
    j->head = head;
    *out = (struct classifier){
        .self = j, .head = head_of, .judge = judge, .explain = explain, .digest = digest};
    return true;
}
