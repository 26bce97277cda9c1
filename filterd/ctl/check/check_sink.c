/* check_sink.c - results in the order of the inputs: what is new is printed and counted. */
#include <stdlib.h>

#include "ctl/check/check.h"
#include "ctl/command.h"
#include "ctl/complain.h"

bool check_print(struct check *c, const struct buf *out, struct error *err)
{
    progress_clear(&c->progress);
    return command_print(buf_span(out), err);
}

/* Problems go to stderr at once, and into the tail of the report with the file's name kept. */
static bool take_problems(struct check *c, const struct batch *b, struct error *err)
{
    size_t n = b->problems.len / sizeof(struct report_problem);

    for (size_t i = 0; i < n; i++) {
        struct report_problem p;
        memcpy(&p, b->problems.data + i * sizeof(p), sizeof(p));
        p.file = strdup(b->file);
        if (p.file == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "problems: no memory");
        }
        if (!buf_append(&c->problems, span_of((const char *)&p, sizeof(p)), err)) {
            free(p.file);
            return false;
        }
        if (p.kind == PROBLEM_SKIPPED && !c->args->is_verbose) {
            continue; /* counted at the end */
        }
        progress_clear(&c->progress);
        char line[32] = "";
        if (p.line > 0) {
            (void)snprintf(line, sizeof(line), ":%zu", p.line);
        }
        complain_of("%s%s: %s: %s", b->file, line, p.kind == PROBLEM_SKIPPED ? "skipped" : "could not be judged",
                    p.reason);
    }
    return true;
}

static void add_totals(struct report_totals *sum, const struct report_totals *part)
{
    sum->texts += part->texts;
    sum->skipped += part->skipped;
    sum->unjudged += part->unjudged;
    sum->bytes += part->bytes;
    for (size_t i = 0; i < COUNT(sum->verdicts); i++) {
        sum->verdicts[i] += part->verdicts[i];
    }
}

/* A version of a file has findings that versions before it had, too. */
static bool was_seen(const struct check *c, const struct batch *b, const struct check_finding *f)
{
    return b->blob.is_read && seen_has(&c->seen, f->key);
}

static bool take_finding(struct check *c, const struct batch *b, const struct check_finding *f, struct buf *out, struct error *err)
{
    if (f->is_found && f->is_ignored) {
        c->totals.ignored++;
    } else if (f->is_found) {
        c->totals.findings++;
        c->totals.actions[f->action]++;
        if (!check_known_note(c, b, f, err)) {
            return false;
        }
    }
    if (f->from == f->to) {
        return true;
    }
    if (f->rule != CHECK_NO_RULE) {
        c->rules_found[f->rule] = true;
    }
    if (c->has_written && !buf_append_str(out, c->format->separator, err)) {
        return false;
    }
    c->has_written = true;
    return buf_append(out, span_of(b->output.data + f->from, f->to - f->from), err);
}

static bool take_findings(struct check *c, const struct batch *b, struct buf *out, struct error *err)
{
    const struct check_finding *findings = (const struct check_finding *)(const void *)b->findings.data;
    size_t n = b->findings.len / sizeof(*findings);
    uint32_t before;

    for (size_t i = 0; i < n && !b->blob.is_known; i++) {
        if (!was_seen(c, b, &findings[i]) && !take_finding(c, b, &findings[i], out, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < n && b->blob.is_read; i++) {
        if (!findings[i].is_commented && !seen_add(&c->seen, findings[i].key, &before, err)) {
            return false;
        }
    }
    return true;
}

/* Answers of --pipe are whole lines. */
bool check_sink(void *context, struct batch *b, struct error *err)
{
    struct check *c = context;
    struct buf out;

    if (!b->blob.is_known) {
        add_totals(&c->totals, &b->totals);
        if (!take_problems(c, b, err)) {
            return false;
        }
    }
    buf_init(&out, b->output.max);
    bool is_ok = c->args->is_pipe ? buf_append(&out, buf_span(&b->output), err) : take_findings(c, b, &out, err);
    is_ok = is_ok && (out.len == 0 || check_print(c, &out, err));
    buf_deinit(&out);
    progress_add(&c->progress, b->totals.bytes);
    return is_ok;
}

/* --- versions, which may come in another order than that of the report -------------- */

static bool keep(struct check_kept *kept, struct batch *b, struct error *err)
{
    if (kept->n == kept->max) {
        size_t max = kept->max == 0 ? 256 : kept->max * 2;
        struct batch *items = reallocarray(kept->items, max, sizeof(*items));
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "findings: no memory");
        }
        kept->items = items;
        kept->max = max;
    }
    batch_take(&kept->items[kept->n++], b);
    return true;
}

bool check_sink_version(void *context, struct batch *b, struct error *err)
{
    struct check *c = context;

    return b->findings.len == 0 && b->problems.len == 0 ? check_sink(c, b, err) : keep(&c->kept, b, err);
}

static int by_number(const void *a, const void *b)
{
    const struct batch *x = a, *y = b;

    return (x->blob.number > y->blob.number) - (x->blob.number < y->blob.number);
}

bool check_sink_kept(struct check *c, struct error *err)
{
    bool is_ok = true;

    if (c->kept.n > 0) {
        qsort(c->kept.items, c->kept.n, sizeof(*c->kept.items), by_number);
    }
    for (size_t i = 0; is_ok && i < c->kept.n; i++) {
        is_ok = check_sink(c, &c->kept.items[i], err);
    }
    return is_ok;
}

void check_kept_deinit(struct check_kept *kept)
{
    for (size_t i = 0; i < kept->n; i++) {
        batch_deinit(&kept->items[i]);
    }
    free(kept->items);
    *kept = (struct check_kept){0};
}
