#include <stdlib.h>

#include "ctl/lab/score.h"

enum { COUNTS_FIRST = 64 };

static struct score_count *find(struct score_counts *list, const char *name, struct error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return &list->items[i];
        }
    }
    if (list->n == list->cap) {
        size_t cap = list->cap == 0 ? COUNTS_FIRST : list->cap * 2;
        struct score_count *items = reallocarray(list->items, cap, sizeof(*items));
        if (items == NULL) {
            error_set(err, ERROR_NO_MEMORY, "counts: no memory");
            return NULL;
        }
        list->items = items;
        list->cap = cap;
    }
    struct score_count *count = &list->items[list->n++];
    *count = (struct score_count){0};
    (void)snprintf(count->name, sizeof(count->name), "%s", name);
    return count;
}

static void count(struct score_count *c, const struct score_event *e)
{
    switch (e->outcome) {
    case SCORE_FOUND:
        c->found++;
        return;
    case SCORE_MISSED:
        c->missed++;
        return;
    case SCORE_CLEAN:
        c->quiet++;
        return;
    case SCORE_FLAGGED:
        c->quiet++;
        c->flagged++;
        return;
    case SCORE_FALSE:
        c->falses += e->is_counted ? 1 : 0;
        c->span_falses += e->is_counted && e->is_span ? 1 : 0;
    }
}

static void count_quiet(struct score_sum *s, const struct score_event *e)
{
    if (!e->is_benign) {
        return;
    }
    if (e->outcome == SCORE_CLEAN || e->outcome == SCORE_FLAGGED) {
        s->quiet_rows++;
        s->quiet_bytes += e->bytes;
    }
    if (e->outcome == SCORE_FALSE) {
        s->quiet_findings[e->category][e->level]++;
    }
}

bool score_add(struct score_sum *s, const struct score_event *event, struct error *err)
{
    bool is_of_rule =
        event->outcome == SCORE_FOUND || (event->outcome == SCORE_FALSE && event->is_counted);
    struct score_count *group = find(&s->groups, event->group, err);
    struct score_count *rule =
        group != NULL && is_of_rule ? find(&s->rules, event->rule, err) : NULL;

    if (group == NULL || (is_of_rule && rule == NULL)) {
        return false;
    }
    count(group, event);
    count(&s->total, event);
    s->total.has_spans |= event->is_span;
    if (rule != NULL) {
        count(rule, event);
    }
    count_quiet(s, event);
    return score_curves_add(&s->curves, event->class, event->score, err);
}

void score_sum_deinit(struct score_sum *s)
{
    free(s->groups.items);
    free(s->rules.items);
    score_curves_deinit(&s->curves);
}

double score_recall(const struct score_count *c)
{
    size_t places = c->found + c->missed;

    return places == 0 ? -1 : (double)c->found / (double)places;
}

/* Of rows, a quiet one that is flagged counts once, as a positive one is found once; of spans, a
 * finding beside them does. */
double score_precision(const struct score_count *c)
{
    size_t wrong = c->flagged + c->span_falses;
    bool is_known = c->found + c->missed > 0 && (c->quiet > 0 || c->has_spans);

    return is_known && c->found + wrong > 0 ? (double)c->found / (double)(c->found + wrong) : -1;
}

double score_f1(const struct score_count *c)
{
    double recall = score_recall(c), precision = score_precision(c);

    return recall < 0 || precision < 0 || recall + precision <= 0
               ? -1
               : 2 * recall * precision / (recall + precision);
}
