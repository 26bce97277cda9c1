/* check_report.c - what the threads make of a judged text: findings, formatted, with what tells them apart. */
#include "ctl/check/check.h"
#include "ctl/location.h"

/* The same finding in the same file has the same key, whatever version of the file it is in. */
static struct seen_key key_of(const struct check *c, const struct report_item *item)
{
    const struct span parts[] = {span_str(item->file), item->finding->rule->id,
                                 judging_match(item->judging, item->finding)};

    return seen_key_of(&c->seen, parts, COUNT(parts));
}

static uint32_t rule_index(const struct check *c, const struct finding *f)
{
    const struct rule_set *set = c->session->snapshot->rules;
    bool is_own = f->rule < set->rules || f->rule >= set->rules + set->n_rules;

    return is_own ? CHECK_NO_RULE : rule_set_index(set, f->rule);
}

static void set_location(struct report_item *item, struct location *location, size_t from, size_t to)
{
    location_seek(location, from);
    struct location end = *location;
    location_seek(&end, to);
    item->line = location->line;
    item->column = location->column;
    item->end_line = end.line;
    item->end_column = end.column;
    item->length = to - from;
}

/* Two findings that look the same have the same digest, and numbers of their own behind it. */
static bool set_fingerprint(struct batch *b, struct report_item *item, size_t text_line, struct error *err)
{
    char digest[REPORT_PRINT_MAX];
    uint32_t before;

    if (!report_digest(item, text_line, digest, err)) {
        return false;
    }
    struct span part = span_str(digest);
    if (!seen_add(&b->prints, seen_key_of(&b->prints, &part, 1), &before, err)) {
        return false;
    }
    (void)snprintf(item->fingerprint, sizeof(item->fingerprint), "%s:%u", digest, before + 1);
    return true;
}

static bool append_finding(const struct check *c, struct batch *b, const struct report_item *item, struct error *err)
{
    struct check_finding found = {.from = b->output.len, .key = key_of(c, item), .rule = rule_index(c, item->finding),
                                  .line = item->line, .action = item->finding->action,
                                  .is_found = check_is_found(c->args, item->finding), .is_ignored = item->ignored != NULL,
                                  .is_commented = item->ignored != NULL && strcmp(item->ignored, "comment") == 0};
    bool is_listed = !c->args->is_quiet && (c->args->is_all || (found.is_found && !found.is_ignored));

    memcpy(found.fingerprint, item->fingerprint, sizeof(found.fingerprint));
    if (is_listed && !c->format->finding(&b->output, item, err)) {
        return false;
    }
    found.to = b->output.len;
    return buf_append(&b->findings, span_of((const char *)&found, sizeof(found)), err);
}

static bool report_finding(const struct check *c, struct batch *b, const struct judging *j, const struct finding *f,
                           const struct check_part *part, struct location *location, struct error *err)
{
    struct report_item item = {.file = b->file, .judging = j, .finding = f, .is_coloured = c->is_coloured,
                               .is_verbose = c->args->is_verbose || b->blob.content != NULL, .commit = b->blob.commit};
    size_t from, to;

    if (!c->args->is_all && !check_is_found(c->args, f)) {
        return true;
    }
    judging_range(j, f, &from, &to);
    if (to < part->from || from > part->to) {
        return true;
    }
    set_location(&item, location, from, to);
    item.offset = from + j->offset;
    if (!set_fingerprint(b, &item, part->text_line, err)) {
        return false;
    }
    item.ignored = c->obeys_comments && ignores_in_text(j->source, from, to, f->rule->id) ? "comment" : check_known(c, &item);
    return append_finding(c, b, &item, err);
}

void check_report(const struct check *c, struct batch *b, const struct judging *j, const struct check_part *part)
{
    const struct exchange *x = &j->exchange;
    struct location location;
    struct error err;

    b->totals.texts++;
    if (!judging_is_complete(j)) {
        const char *reason = x->unjudged_reason != NULL ? x->unjudged_reason : "could not be judged";
        batch_problem(b, PROBLEM_UNJUDGED, part->text_line != 0 ? part->first_line : 0, reason);
    } else {
        b->totals.verdicts[x->action]++;
    }
    location_init(&location, j->source, part->first_line);
    for (size_t i = 0; i < x->n_findings; i++) {
        if (!report_finding(c, b, j, &x->findings[i], part, &location, &err)) {
            batch_problem(b, PROBLEM_UNJUDGED, part->first_line, err.text);
            return;
        }
    }
}
