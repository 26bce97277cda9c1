/* command_rules_score.c - filterctl rules score: how the rules do on labelled data.
 *
 * A row is {"text", "kind": "positive" | "negative"} and, where known, "secret" (the part of the
 * text that is meant), "provider", "rule", "origin", "source". A positive row is found when a
 * finding overlaps the secret, or stands anywhere when none is named. A negative row is false when
 * it has a finding. */
#include <jansson.h>

#include <stdlib.h>

#include "base/cleanup.h"
#include "ctl/batch.h"
#include "ctl/command.h"
#include "ctl/lines.h"

enum { GROUP_MAX = 80 };

static int run(const struct arguments *args);

const struct command command_rules_score = {
    .name = "rules score",
    .operands = "FILE.ndjson…",
    .summary = "Count found, missed and false on labelled texts",
    .details =
        "Rows: {\"text\", \"kind\": \"positive\"|\"negative\", \"secret\", \"provider\", \"rule\", "
        "\"origin\"}; the files may\n"
        "be gzipped. A positive row is found when a finding overlaps its secret, or stands "
        "anywhere when it\n"
        "names none; a negative row with a finding is false. Exit code 0 whatever the score.",
    .options = OPTIONS_RULES | OPTIONS_JUDGING | OPTION_BIT(OPTION_JOBS) |
               OPTION_BIT(OPTION_MIN_CONFIDENCE) | OPTION_BIT(OPTION_VIEW) |
               OPTION_BIT(OPTION_CATEGORY) | OPTION_BIT(OPTION_BY) | OPTION_BIT(OPTION_MISSES) |
               OPTION_BIT(OPTION_FALSE),
    .formats = "text|ndjson",
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};

/* What a thread says about a row. */
struct score_row {
    size_t line;
    bool is_positive, is_hit;
    char group[GROUP_MAX];
    char expected[GROUP_MAX]; /* the data's rule */
    char found[GROUP_MAX];    /* our rule of the first finding */
};

struct score_group {
    char name[GROUP_MAX];
    size_t positive, found, negative, falses;
};

struct score {
    const struct session *session;
    const struct arguments *args;
    struct score_group *groups;
    size_t n, cap;
    struct score_group total;
    size_t n_bad;
};

/* --- on threads ------------------------------------------------------------ */

static bool is_counted(const struct score *s, const struct finding *f)
{
    static const char *const views[] = {
        [VIEW_RAW] = "raw", [VIEW_FOLDED] = "folded", [VIEW_DECODED] = "decoded"};
    const struct arguments *a = s->args;

    return f->confidence >= a->min_confidence &&
           (a->view == NULL || strcmp(a->view, views[f->view]) == 0) &&
           (a->category == NULL || strcmp(a->category, category_name(f->rule->category)) == 0);
}

/* True when [from, to) meets an occurrence of the secret; an absent secret is met everywhere. */
static bool meets(struct span text, struct span secret, size_t from, size_t to)
{
    bool occurs = false;

    for (size_t at = 0; secret.len > 0 && at < text.len; at++) {
        const char *found = memmem(text.ptr + at, text.len - at, secret.ptr, secret.len);
        if (found == NULL) {
            break;
        }
        occurs = true;
        at = (size_t)(found - text.ptr);
        if (from < at + secret.len && at < to) {
            return true;
        }
    }
    return !occurs;
}

static void copy_name(char *to, const char *from, size_t len)
{
    size_t n = len < GROUP_MAX - 1 ? len : GROUP_MAX - 1;

    memcpy(to, from, n);
    to[n] = '\0';
}

static void copy_member(char *to, const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);

    copy_name(to, json_is_string(value) ? json_string_value(value) : "-",
              json_is_string(value) ? json_string_length(value) : 1);
}

static struct span member_span(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);

    return json_is_string(value) ? span_of(json_string_value(value), json_string_length(value))
                                 : (struct span){0};
}

static void judge_row(const struct score *s, struct worker *w, const json_t *row,
                      struct score_row *out)
{
    struct span text = member_span(row, "text"), secret = member_span(row, "secret");
    struct judging j;

    judging_text(s->session, w, text, &j);
    for (size_t i = 0; i < j.exchange.n_findings && !out->is_hit; i++) {
        const struct finding *f = &j.exchange.findings[i];
        if (is_counted(s, f) && (!out->is_positive || meets(text, secret, f->from, f->to))) {
            out->is_hit = true;
            copy_name(out->found, f->rule->id.ptr, f->rule->id.len);
        }
    }
    copy_member(out->group, row, s->args->by != NULL ? s->args->by : "provider");
    copy_member(out->expected, row, "rule");
}

static void run_batch(void *context, struct worker *w, struct batch *b)
{
    const struct score *s = context;
    struct span rest = buf_span(&b->input), line;
    struct error err;

    for (size_t number = b->first_line; lines_split(&rest, &line); number++) {
        if (line.len == 0) {
            continue;
        }
        json_t *row = json_loadb(line.ptr, line.len, 0, NULL);
        struct score_row out = {.line = number,
                                .is_positive = span_is(member_span(row, "kind"), "positive")};
        if (member_span(row, "text").ptr == NULL ||
            !(out.is_positive || span_is(member_span(row, "kind"), "negative"))) {
            batch_problem(b, PROBLEM_UNJUDGED, number,
                          "\"text\" and \"kind\": \"positive\" or \"negative\" expected");
        } else {
            judge_row(s, w, row, &out);
            if (!buf_append(&b->output, span_of((const char *)&out, sizeof(out)), &err)) {
                batch_problem(b, PROBLEM_UNJUDGED, number, err.text);
            }
        }
        json_decref(row);
    }
}

/* --- in order --------------------------------------------------------------- */

static struct score_group *find_group(struct score *s, const char *name, struct error *err)
{
    for (size_t i = 0; i < s->n; i++) {
        if (strcmp(s->groups[i].name, name) == 0) {
            return &s->groups[i];
        }
    }
    if (s->n == s->cap) {
        size_t cap = s->cap == 0 ? 64 : s->cap * 2;
        struct score_group *groups = reallocarray(s->groups, cap, sizeof(*groups));
        if (groups == NULL) {
            error_set(err, ERROR_NO_MEMORY, "groups: no memory");
            return NULL;
        }
        s->groups = groups;
        s->cap = cap;
    }
    struct score_group *group = &s->groups[s->n++];
    *group = (struct score_group){0};
    copy_name(group->name, name, strlen(name));
    return group;
}

static void count(struct score_group *g, const struct score_row *row)
{
    g->positive += row->is_positive ? 1 : 0;
    g->found += row->is_positive && row->is_hit ? 1 : 0;
    g->negative += row->is_positive ? 0 : 1;
    g->falses += !row->is_positive && row->is_hit ? 1 : 0;
}

static bool sink(void *context, struct batch *b, struct error *err)
{
    struct score *s = context;
    struct score_row row;

    for (size_t at = 0; at < b->output.len; at += sizeof(row)) {
        memcpy(&row, b->output.data + at, sizeof(row));
        struct score_group *group = find_group(s, row.group, err);
        if (group == NULL) {
            return false;
        }
        count(group, &row);
        count(&s->total, &row);
        if (row.is_positive && !row.is_hit && s->args->misses) {
            (void)printf("%s:%zu: missed: %s %s\n", b->file, row.line, row.group, row.expected);
        }
        if (!row.is_positive && row.is_hit && s->args->falses) {
            (void)printf("%s:%zu: false: %s by %s\n", b->file, row.line, row.expected, row.found);
        }
    }
    for (size_t at = 0; at < b->problems.len; at += sizeof(struct report_problem)) {
        struct report_problem p;
        memcpy(&p, b->problems.data + at, sizeof(p));
        (void)fprintf(stderr, "filterctl: %s:%zu: %s\n", b->file, p.line, p.reason);
        s->n_bad++;
    }
    return true;
}

static int compare_groups(const void *a, const void *b)
{
    const struct score_group *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static double percent(size_t part, size_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void print_group(const struct score_group *g, bool is_text)
{
    if (is_text) {
        (void)printf("%-36s %8zu %8zu %8zu %7.1f %% %8zu %8zu\n", g->name, g->positive, g->found,
                     g->positive - g->found, percent(g->found, g->positive), g->negative,
                     g->falses);
        return;
    }
    json_t *line = json_pack("{s:s,s:I,s:I,s:I,s:I,s:I}", "group", g->name, "positive",
                             (json_int_t)g->positive, "found", (json_int_t)g->found, "missed",
                             (json_int_t)(g->positive - g->found), "negative",
                             (json_int_t)g->negative, "false", (json_int_t)g->falses);
    (void)json_dumpf(line, stdout, JSON_COMPACT);
    (void)putchar('\n');
    json_decref(line);
}

static void print_score(struct score *s)
{
    bool is_text = s->args->format == NULL || strcmp(s->args->format, "text") == 0;

    if (s->n > 0) {
        qsort(s->groups, s->n, sizeof(*s->groups), compare_groups);
    }
    if (is_text) {
        (void)printf("%-36s %8s %8s %8s %9s %8s %8s\n",
                     s->args->by != NULL ? s->args->by : "provider", "positive", "found", "missed",
                     "recall", "negative", "false");
    }
    for (size_t i = 0; i < s->n; i++) {
        print_group(&s->groups[i], is_text);
    }
    copy_name(s->total.name, "total", 5);
    print_group(&s->total, is_text);
}

static bool score_files(struct score *s, struct error *err)
{
    const struct batch_task task = {
        .run = run_batch, .sink = sink, .context = s, .keys = &s->session->keys};
    struct batches *batches = batches_new(s->args->jobs, &task, err);
    bool is_ok = batches != NULL;

    for (int i = 0; is_ok && i < s->args->n_operands; i++) {
        is_ok = batches_add_lines(batches, s->args->operands[i], err);
    }
    is_ok = is_ok && batches_drain(batches, err);
    batches_free(batches);
    return is_ok;
}

static void score_deinit(struct score *s)
{
    free(s->groups);
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct score s CLEANUP(score_deinit) = {.session = &session, .args = args};
    struct error err;

    if (!session_open(&session, args, &err) || !score_files(&s, &err)) {
        return command_failed(&err);
    }
    print_score(&s);
    if (fflush(stdout) != 0) {
        error_errno(&err, "standard output");
        return command_failed(&err);
    }
    return s.n_bad > 0 ? EXIT_FAILED : EXIT_CLEAN;
}
