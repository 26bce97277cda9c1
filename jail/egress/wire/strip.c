#include "jail/egress/wire/strip.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "enforce/redact.h"

static bool is_acted_on(const struct finding *f)
{
    return f->action != ACTION_ALLOW && !f->is_shadow && !f->is_excepted;
}

struct range {
    size_t from, to;
    const struct rule *rule;
};

/* What goes with the finding: of one that blocks, its lines. */
static struct range range_of(struct span text, const struct finding *f)
{
    struct range r = {f->from, f->to, f->rule};

    if (f->action == ACTION_BLOCK) {
        while (r.from > 0 && text.ptr[r.from - 1] != '\n') {
            r.from--;
        }
        while (r.to < text.len && text.ptr[r.to] != '\n') {
            r.to++;
        }
    }
    return r;
}

static int compare(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    return a->from != b->from ? (a->from < b->from ? -1 : 1) : a->to != b->to ? (a->to > b->to ? -1 : 1) : 0;
}

/* Of a channel, by where they begin. NULL with err. */
static struct range *list_ranges(struct arena *a, const struct exchange *x, uint32_t channel, size_t *n, struct error *err)
{
    struct range *ranges = arena_array(a, x->n_findings + 1, sizeof(*ranges), err);

    *n = 0;
    for (size_t i = 0; ranges != NULL && i < x->n_findings; i++) {
        if (x->findings[i].channel == channel && is_acted_on(&x->findings[i])) {
            ranges[(*n)++] = range_of(x->channels[channel].text, &x->findings[i]);
        }
    }
    if (*n > 1) {
        qsort(ranges, *n, sizeof(*ranges), compare);
    }
    return ranges;
}

/* What overlaps goes under the label of what begins first. */
static bool strip_channel(struct arena *a, const struct exchange *x, uint32_t channel, struct buf *out, struct error *err)
{
    struct span text = x->channels[channel].text;
    size_t n, done = 0;
    const struct range *ranges = list_ranges(a, x, channel, &n, err);

    if (ranges == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && ranges[i].from < done) {
            done = ranges[i].to > done ? ranges[i].to : done;
            continue;
        }
        if (!buf_append(out, span_slice(text, done, ranges[i].from), err) ||
            !redact_append_label(out, ranges[i].rule, err)) {
            return false;
        }
        done = ranges[i].to;
    }
    return buf_append(out, span_slice(text, done, text.len), err);
}

static bool has_finding(const struct exchange *x, uint32_t channel)
{
    for (size_t i = 0; i < x->n_findings; i++) {
        if (x->findings[i].channel == channel && is_acted_on(&x->findings[i])) {
            return true;
        }
    }
    return false;
}

static bool set_output(struct arena *a, const struct exchange *x, uint32_t channel, struct channel *c, size_t max,
                       struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, max);
    c->output = c->text;
    if (!has_finding(x, channel)) {
        return true;
    }
    if (c->is_member_name) {
        return error_set(err, ERROR_INVALID, "a finding in the name of a member");
    }
    if (!strip_channel(a, x, channel, &text, err)) {
        return false;
    }
    char *copy = arena_array(a, text.len + 1, 1, err);
    if (copy == NULL) {
        return false;
    }
    if (text.len > 0) {
        memcpy(copy, text.data, text.len);
    }
    c->output = span_of(copy, text.len);
    return true;
}

bool egress_strip(struct arena *a, const struct exchange *x, struct document *body, bool is_json, struct buf *out,
                  struct error *err)
{
    size_t first = x->n_channels - body->n;

    for (size_t i = 0; i < first; i++) {
        if (has_finding(x, (uint32_t)i)) {
            return error_set(err, ERROR_INVALID, "a finding outside the body");
        }
    }
    for (size_t i = 0; i < body->n; i++) {
        if (!set_output(a, x, (uint32_t)(first + i), &body->channels[i], out->max, err)) {
            return false;
        }
    }
    if (is_json) {
        return document_write(body, out, err);
    }
    return body->n == 0 || buf_append(out, body->channels[0].output, err);
}
