#include <stdlib.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "ctl/complain.h"
#include "ctl/mask.h"
#include "ctl/lab/score.h"

enum { NAME_MAX_BYTES = 64 * 1024 };

static const double quiet_unit = 1e7; /* the rates of quiet text are for ten megabytes */

/* --- JSON --------------------------------------------------------------------- */

/* Takes `item` over: a line of its own, or an element of the root's list. */
static bool emit(struct score_printer *p, const char *type, json_t *item, struct error *err)
{
    bool is_ok = item != NULL;

    if (is_ok && p->format == SCORE_NDJSON) {
        is_ok = json_object_set_new(item, "type", json_string(type)) == 0 &&
                json_dumpf(item, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF;
        json_decref(item);
    } else if (is_ok) {
        json_t *list = json_object_get(p->root, type);
        if (list == NULL && json_object_set_new(p->root, type, json_array()) == 0) {
            list = json_object_get(p->root, type);
        }
        is_ok = json_array_append_new(list, item) == 0;
    }
    return is_ok || error_set(err, ERROR_SYSTEM, "standard output: cannot write");
}

static json_t *share(double value)
{
    return value < 0 ? json_null() : json_real(value);
}

static json_t *count_json(const struct score_count *c)
{
    return json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o}", "name", c->name, "positive",
                     (json_int_t)(c->found + c->missed), "found", (json_int_t)c->found, "missed",
                     (json_int_t)c->missed, "quiet", (json_int_t)c->quiet, "flagged",
                     (json_int_t)c->flagged, "false", (json_int_t)c->falses, "recall",
                     share(score_recall(c)), "precision", share(score_precision(c)), "f1",
                     share(score_f1(c)));
}

static json_t *quiet_json(const struct score_sum *s)
{
    json_t *findings = json_object();

    for (unsigned category = 0; category < CATEGORY_SYSTEM; category++) {
        const size_t *n = s->quiet_findings[category];
        (void)json_object_set_new(findings, category_name((enum category)category),
                                  json_pack("{s:I,s:I,s:I}", "report", (json_int_t)n[SCORE_REPORT],
                                            "redact", (json_int_t)n[SCORE_REDACT], "block",
                                            (json_int_t)n[SCORE_BLOCK]));
    }
    return json_pack("{s:I,s:I,s:o}", "rows", (json_int_t)s->quiet_rows, "bytes",
                     (json_int_t)s->quiet_bytes, "findings", findings);
}

/* As in text: the name of a file need not be UTF-8, as a JSON string is. */
static json_t *name_json(const char *file)
{
    struct buf name CLEANUP(buf_deinit);
    struct error err;

    buf_init(&name, NAME_MAX_BYTES);
    return mask_append_escaped(&name, span_str(file), &err) ? json_stringn(name.data, name.len) : NULL;
}

static bool print_event_json(struct score_printer *p, const char *file, const struct score_event *e,
                             struct error *err)
{
    if (e->outcome == SCORE_MISSED) {
        json_t *item = json_pack("{s:o,s:I,s:s,s:s,s:s}", "file", name_json(file), "line", (json_int_t)e->line,
                                 "source", e->source, "rule", e->rule, "provider", e->provider);
        return emit(p, "misses", item, err);
    }
    return emit(p, "falses",
                json_pack("{s:o,s:I,s:s,s:s,s:s,s:[I,I]}", "file", name_json(file), "line",
                          (json_int_t)e->line, "rule", e->rule, "category",
                          category_name(e->category), "level", score_level_name(e->level), "chars",
                          (json_int_t)e->from, (json_int_t)e->to),
                err);
}

/* What a card says of a head: areas under the ROC curves, and shares at the threshold. */
static json_t *scores_json(const struct score_printer *p, const struct score_sum *s)
{
    json_t *scores = json_pack("{s:o,s:o,s:o}", "auc_quiet", share(score_curves_area(&s->curves, SCORE_CLASS_QUIET)), "auc_ordinary",
                               share(score_curves_area(&s->curves, SCORE_CLASS_ORDINARY)), "threshold", share(p->threshold));

    for (int class = SCORE_CLASS_POSITIVE; class < SCORE_CLASSES; class++) {
        double reached = p->threshold < 0 ? -1 : score_curves_share(&s->curves, (enum score_class)class, p->threshold);
        (void)json_object_set_new(scores, score_class_names[class],
                                  json_pack("{s:I,s:o}", "rows", (json_int_t)s->curves.of[class].n, "at_threshold", share(reached)));
    }
    return scores;
}

static bool print_list_json(struct score_printer *p, const char *type,
                            const struct score_counts *list, struct error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!emit(p, type, count_json(&list->items[i]), err)) {
            return false;
        }
    }
    return true;
}

static bool print_json(struct score_printer *p, struct score_sum *s, struct error *err)
{
    if (!print_list_json(p, "groups", &s->groups, err) ||
        !print_list_json(p, "rules", &s->rules, err)) {
        return false;
    }
    if (p->format == SCORE_NDJSON) {
        return emit(p, "quiet", quiet_json(s), err) && emit(p, "scores", scores_json(p, s), err) &&
               emit(p, "total", count_json(&s->total), err);
    }
    bool is_ok =
        json_object_set_new(p->root, "level", json_string(score_level_name(p->level))) == 0 &&
        json_object_set_new(p->root, "quiet", quiet_json(s)) == 0 &&
        json_object_set_new(p->root, "scores", scores_json(p, s)) == 0 &&
        json_object_set_new(p->root, "total", count_json(&s->total)) == 0 &&
        json_object_set_new(p->root, "bad_rows", json_integer((json_int_t)s->n_bad)) == 0 &&
        json_dumpf(p->root, stdout, JSON_INDENT(1)) == 0 && putchar('\n') != EOF;
    return is_ok || error_set(err, ERROR_SYSTEM, "standard output: cannot write");
}

/* --- text ---------------------------------------------------------------------- */

static void print_event_text(const char *file, const struct score_event *e)
{
    char place[64] = "";

    if (e->outcome != SCORE_MISSED || e->is_span) {
        (void)snprintf(place, sizeof(place), ", characters %zu to %zu", e->from, e->to);
    }
    if (e->outcome == SCORE_MISSED) {
        print_line("%s:%zu: missed: %s, rule %s, provider %s%s", file, e->line, e->source, e->rule, e->provider, place);
    } else {
        print_line("%s:%zu: false: %s, %s%s", file, e->line, e->rule, score_level_name(e->level), place);
    }
}

static const char *percent(double value, char out[16])
{
    (void)snprintf(out, 16, value < 0 ? "-" : "%.1f %%", 100 * value);
    return out;
}

static void print_count(const struct score_count *c)
{
    char recall[16], precision[16], f1[16];

    (void)printf("%-40s %8zu %7zu %7zu %8s %7zu %7zu %7zu %9s %8s\n", c->name, c->found + c->missed,
                 c->found, c->missed, percent(score_recall(c), recall), c->quiet, c->flagged,
                 c->falses, percent(score_precision(c), precision), percent(score_f1(c), f1));
}

static void print_rule(const struct score_count *c)
{
    char precision[16];
    double all = (double)(c->found + c->falses);

    (void)printf("%-40s %7zu %7zu %9s\n", c->name, c->found, c->falses,
                 percent(all > 0 ? (double)c->found / all : -1, precision));
}

static void print_quiet(const struct score_sum *s)
{
    double unit = s->quiet_bytes > 0 ? quiet_unit / (double)s->quiet_bytes : 0;

    if (s->quiet_rows == 0) {
        return;
    }
    (void)printf("\nbenign text: %zu row%s, %.1f MB; findings, and in 10 MB:\n", s->quiet_rows, plural_s(s->quiet_rows),
                 (double)s->quiet_bytes / 1e6);
    (void)printf("%-40s %16s %16s %16s\n", "category", "block", "redact", "report");
    for (unsigned category = 0; category < CATEGORY_SYSTEM; category++) {
        (void)printf("%-40s", category_name((enum category)category));
        for (int level = SCORE_BLOCK; level >= SCORE_REPORT; level--) {
            size_t n = s->quiet_findings[category][level];
            (void)printf(" %7zu %8.2f", n, (double)n * unit);
        }
        (void)putchar('\n');
    }
}

static void print_scores(const struct score_printer *p, const struct score_sum *s)
{
    static const enum score_class against[] = {SCORE_CLASS_QUIET, SCORE_CLASS_ORDINARY};

    for (size_t i = 0; i < COUNT(against); i++) {
        double area = score_curves_area(&s->curves, against[i]);
        if (area >= 0) {
            (void)printf("AUC against %s rows: %.3f\n", score_class_names[against[i]], area);
        }
    }
    for (int class = SCORE_CLASS_POSITIVE; class < SCORE_CLASSES && p->threshold >= 0; class++) {
        const struct score_list *list = &s->curves.of[class];
        double reached = score_curves_share(&s->curves, (enum score_class)class, p->threshold);
        if (list->n > 0) {
            (void)printf("%s rows that score %.6g or more: %.2f %% of %zu\n", score_class_names[class], p->threshold, 100 * reached,
                         list->n);
        }
    }
}

static void print_text(const struct score_printer *p, const struct score_sum *s)
{
    static const char *const columns = "%-40s %8s %7s %7s %8s %7s %7s %7s %9s %8s\n";

    (void)printf(columns, p->by, "positive", "found", "missed", "recall", "quiet", "flagged",
                 "false", "precision", "F1");
    for (size_t i = 0; i < s->groups.n; i++) {
        print_count(&s->groups.items[i]);
    }
    (void)printf("\n%-40s %7s %7s %9s\n", "rule of the finding", "found", "false", "precision");
    for (size_t i = 0; i < s->rules.n; i++) {
        print_rule(&s->rules.items[i]);
    }
    print_quiet(s);
    (void)printf("\n");
    (void)printf(columns, "", "positive", "found", "missed", "recall", "quiet", "flagged", "false",
                 "precision", "F1");
    print_count(&s->total);
    (void)printf("findings count from %s on\n", score_level_name(p->level));
    print_scores(p, s);
}

/* --- either ---------------------------------------------------------------------- */

bool score_print_event(struct score_printer *p, const char *file, const struct score_event *event,
                       struct error *err)
{
    if (p->format != SCORE_TEXT) {
        if (p->root == NULL) {
            p->root = json_object();
        }
        return print_event_json(p, file, event, err);
    }
    print_event_text(file, event);
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct score_count *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static void sort(struct score_counts *list)
{
    if (list->n > 0) {
        qsort(list->items, list->n, sizeof(*list->items), compare);
    }
}

bool score_print(struct score_printer *p, struct score_sum *s, struct error *err)
{
    sort(&s->groups);
    sort(&s->rules);
    (void)snprintf(s->total.name, sizeof(s->total.name), "total");
    if (p->format == SCORE_TEXT) {
        print_text(p, s);
        return true;
    }
    if (p->root == NULL) {
        p->root = json_object();
    }
    return print_json(p, s, err);
}

void score_printer_deinit(struct score_printer *p)
{
    json_decref(p->root);
}
