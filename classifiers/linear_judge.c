#include "classifiers/linear_judge.h"

enum { REASONS_MAX = 32 };

_Static_assert((int)LINEAR_HEADS <= (int)CLASSIFIER_HEADS_MAX, "every head can be asked for");

/* One unit under judgement; a place of each head may be growing. */
struct judgement {
    const struct linear *linear;
    double least[LINEAR_HEADS]; /* z that counts; infinite: none does */
    struct {
        size_t from, to;
        double z;
        bool is_open;
    } places[LINEAR_HEADS];
    unsigned of_unit; /* a bit for each head that judges the unit as a whole */
    struct linear_unit units[LINEAR_HEADS]; /* of these */
    classifier_found_fn *found;
    void *context;
    struct error *err;
};

static unsigned head_of(const void *self, struct span name)
{
    unsigned head = linear_head_of(self, name);

    return head < LINEAR_HEADS ? head : CLASSIFIER_HEADS_MAX;
}

static bool tell(struct judgement *j, unsigned head)
{
    const struct classifier_place place = {.head = head,
                                           .from = j->places[head].from,
                                           .to = j->places[head].to,
                                           .score = linear_score(j->linear, head, j->places[head].z)};

    j->places[head].is_open = false;
    return j->found(j->context, &place, j->err);
}

/* The place of a head that judges the unit as a whole goes on with each window, and its z is known at the end. */
static void add_to_unit(struct judgement *j, unsigned head, const struct linear_window *window)
{
    if (j->units[head].bytes == 0) {
        j->places[head].from = window->from;
    }
    j->places[head].to = window->to;
    linear_unit_add(&j->units[head], (double)window->z[head], window->to - window->from);
}

static bool end_unit(struct judgement *j, unsigned head)
{
    if (j->units[head].bytes > 0) {
        j->places[head].z = linear_unit_z(&j->units[head]);
        j->places[head].is_open = j->places[head].z >= j->least[head];
    }
    return !j->places[head].is_open || tell(j, head);
}

static bool on_window(void *context, const struct linear_window *window)
{
    struct judgement *j = context;

    for (unsigned i = 0; i < LINEAR_HEADS; i++) {
        double z = (double)window->z[i];
        if ((j->of_unit & 1U << i) != 0) {
            add_to_unit(j, i, window);
            continue;
        }
        if (!(z >= j->least[i])) {
            continue;
        }
        if (j->places[i].is_open && window->from > j->places[i].to && !tell(j, i)) {
            return false;
        }
        if (!j->places[i].is_open) {
            j->places[i].from = window->from;
            j->places[i].z = z;
            j->places[i].is_open = true;
        }
        j->places[i].from = window->from < j->places[i].from ? window->from : j->places[i].from;
        j->places[i].to = window->to;
        j->places[i].z = z > j->places[i].z ? z : j->places[i].z;
    }
    return true;
}

static bool judge(const void *self, struct span unit, const double wanted[CLASSIFIER_HEADS_MAX], classifier_found_fn *found,
                  void *context, struct error *err)
{
    struct judgement j = {.linear = self, .found = found, .context = context, .err = err};

    for (unsigned i = 0; i < LINEAR_HEADS; i++) {
        j.least[i] = linear_z(self, i, wanted[i]);
        j.of_unit |= linear_judges_unit(self, i) ? 1U << i : 0;
    }
    if (!linear_scan(self, unit, on_window, &j)) {
        return false;
    }
    for (unsigned i = 0; i < LINEAR_HEADS; i++) {
        if (!end_unit(&j, i)) {
            return false;
        }
    }
    return true;
}

static size_t explain(const void *self, unsigned head, struct span text, struct classifier_reason *reasons, size_t max)
{
    struct linear_reason found[REASONS_MAX];
    size_t n = linear_explain(self, head, text, found, max < REASONS_MAX ? max : REASONS_MAX);

    for (size_t i = 0; i < n; i++) {
        reasons[i] = (struct classifier_reason){found[i].from, found[i].to, (double)found[i].weight};
    }
    return n;
}

static struct span digest(const void *self)
{
    return linear_digest(self);
}

static bool only_reports(const void *self, unsigned head)
{
    return !linear_acts(self, head);
}

static bool needs_all(const void *self, unsigned head)
{
    return linear_judges_unit(self, head);
}

struct classifier linear_judge(const struct linear *l)
{
    return (struct classifier){.self = l, .head = head_of, .judge = judge, .explain = explain, .digest = digest,
                               .only_reports = only_reports, .needs_all = needs_all};
}
