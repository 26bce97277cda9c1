#include "page/items.h"

#include "base/clock.h"
#include "index/index_line.h"
#include "query/timestamp.h"
#include "record/note_text.h"
#include "service/reviews.h"

const enum text items_columns[] = {TEXT_ITEM, TEXT_PRIORITY, TEXT_VERDICT, TEXT_CONFIDENCE, TEXT_FROM, TEXT_GROUP,
                                   TEXT_WHEN, TEXT_DUE,      TEXT_HOLDER,  TEXT_NONE};

struct span items_tenant(const struct page *p)
{
    return p->caller.tenant[0] == '\0' ? span_of(NULL, 0) : span_str(p->caller.tenant);
}

struct review_reader *items_open(struct page *p, struct error *err)
{
    struct review_reader *r = reviews_open(p->request->service, err);

    if (r == NULL && err->kind == ERROR_NOT_FOUND) {
        (void)page_fault(p, 503, p->has_index ? TEXT_FAULT_503 : TEXT_FAULT_NO_INDEX);
    }
    return r;
}

bool items_is_blind(const struct review_item *i)
{
    return review_why_is_blind(i->why) && item_is_open(&i->item);
}

/* --- a row ----------------------------------------------------------------------- */

void items_put_name(struct page *p, const struct review_item *i)
{
    struct html *h = &p->html;

    if (items_is_blind(i)) {
        html_word(h, TEXT_BLIND_SAMPLE);
    } else if (i->words[REVIEW_RULE][0] == '\0') {
        html_word(h, TEXT_NO_RULE);
    } else {
        part_name(h, span_str(i->words[REVIEW_RULE]));
    }
}

static void put_lead(struct page *p, const struct review_item *i)
{
    struct html *h = &p->html;

    part_lead_begin(h);
    HTML(h, "<a class=\"rule\" href=\"/review/items/");
    html_id(h, i->item.seq);
    HTML(h, "\">");
    items_put_name(p, i);
    HTML(h, "</a><small>");
    html_id(h, i->item.seq);
    if (!items_is_blind(i) && i->severity > 0) {
        HTML(h, " · ");
        part_severity(h, i->severity);
    }
    HTML(h, "</small>");
    part_lead_end(h);
}

void items_put_from(struct page *p, const struct review_item *i)
{
    struct html *h = &p->html;

    part_cell_begin(h, TEXT_FROM);
    HTML(h, "<span>");
    part_name(h, span_str(i->words[REVIEW_AGENT]));
    HTML(h, "</span><small>");
    part_name(h, span_str(i->words[REVIEW_TENANT]));
    HTML(h, " / ");
    part_name(h, span_str(i->words[REVIEW_APP]));
    HTML(h, "</small>");
    part_cell_end(h);
}

void items_put_verdict(struct page *p, const struct review_item *i)
{
    struct html *h = &p->html;

    part_cell_begin(h, TEXT_VERDICT);
    if (items_is_blind(i)) {
        HTML(h, "<span class=\"action none\">");
        html_word(h, TEXT_HIDDEN);
        HTML(h, "</span>");
    } else {
        part_verdict(h, i->action);
    }
    part_cell_end(h);
    part_number_begin(h, TEXT_CONFIDENCE);
    if (!items_is_blind(i)) {
        html_number(h, i->confidence / 100);
        HTML(h, " %");
    }
    part_cell_end(h);
}

static void put_group(struct page *p, const struct review_item *i)
{
    struct html *h = &p->html;
    char id[REVIEW_GROUP_TEXT + 1];

    part_cell_begin(h, TEXT_GROUP);
    if (i->group_row != 0) {
        review_group_text(i->group, id);
        HTML(h, "<a href=\"/review/groups/");
        html_url(h, span_str(id));
        HTML(h, "\">");
        html_word(h, TEXT_GROUP);
        HTML(h, "<span class=\"unseen\"> ");
        html_id(h, i->item.seq);
        HTML(h, "</span></a>");
    }
    part_cell_end(h);
}

/* Open items: due time and assignee; closed items: disposition. */
void items_put_state(struct page *p, const struct review_item *i, int64_t now_ms)
{
    struct html *h = &p->html;

    part_cell_begin(h, TEXT_WHEN);
    html_time(h, i->ts_ms * 1000000);
    part_cell_end(h);
    part_cell_begin(h, TEXT_DUE);
    if (item_is_open(&i->item)) {
        part_due(h, i->due_ms, now_ms);
    } else {
        part_disposition(h, i->item.disposition);
    }
    part_cell_end(h);
    part_cell_begin(h, TEXT_HOLDER);
    if (item_is_held(&i->item, now_ms)) {
        part_name(h, span_str(i->item.assignee));
        if (i->item.lease_until_ms > now_ms) {
            HTML(h, "<small>");
            part_duration(h, i->item.lease_until_ms - now_ms);
            HTML(h, "</small>");
        }
    } else if (!item_is_open(&i->item)) {
        part_name(h, span_str(i->item.last_by));
    }
    part_cell_end(h);
}

void items_row(struct page *p, const struct review_item *i, int64_t now_ms, bool has_choice)
{
    struct html *h = &p->html;

    part_row_begin(h);
    if (has_choice) {
        part_choice(h, i->item.seq);
    }
    put_lead(p, i);
    part_number_begin(h, TEXT_PRIORITY);
    html_number(h, i->priority.total);
    part_cell_end(h);
    items_put_verdict(p, i);
    items_put_from(p, i);
    put_group(p, i);
    items_put_state(p, i, now_ms);
    part_row_end(h);
}

/* --- a change ---------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

bool items_chosen(struct page *p, uint64_t numbers[REVIEW_ITEMS_MAX], size_t *n)
{
    size_t found = 0, kept = 0;

    for (size_t i = 0; i < p->form.n; i++) {
        const struct form_field *f = &p->form.fields[i];
        if (!span_is(f->name, "item")) {
            continue;
        }
        if (found == REVIEW_ITEMS_MAX || !note_read_number(f->value, &numbers[found])) {
            return page_fault(p, 422, TEXT_FAULT_422);
        }
        found++;
    }
    qsort(numbers, found, sizeof(numbers[0]), compare_numbers);
    for (size_t i = 0; i < found; i++) {
        if (kept == 0 || numbers[i] != numbers[kept - 1]) {
            numbers[kept++] = numbers[i];
        }
    }
    *n = kept;
    return kept > 0 || page_fault(p, 422, TEXT_FAULT_NONE_CHOSEN);
}

/* A number of hits, the start of a date, or a change of the policy. */
static bool read_snooze(const struct page *p, struct review_snooze *out)
{
    struct span until = page_field(p, "until");
    int64_t until_ns = 0;

    if (until.len > 0) {
        if (!timestamp_parse(until, clock_utc_ns(), &until_ns)) {
            return false;
        }
        out->until_ms = until_ns / 1000000;
    }
    if (page_field(p, "more").len > 0 && !page_field_number(p, "more", &out->more)) {
        return false;
    }
    out->until_policy = out->until_ms == 0 && out->more == 0;
    return true;
}

bool items_read_step(struct page *p, struct review_request *q)
{
    struct span name = page_field(p, "do");

    q->disposition = (enum item_disposition)item_disposition_of(name);
    q->verb = q->disposition != ITEM_UNDISPOSED ? ITEM_DISPOSE : (enum item_verb)item_verb_of(name);
    q->note = page_field(p, "note");
    if (q->verb == ITEM_ASSIGN || q->verb == ITEM_ESCALATE) {
        q->assignee = page_field(p, "assignee");
    }
    if (page_field(p, "version").len > 0 && !page_field_number(p, "version", &q->version)) {
        return false;
    }
    return q->verb != ITEM_NO_VERB && (q->verb != ITEM_SNOOZE || read_snooze(p, &q->snooze));
}

bool items_change(struct page *p, const struct items_change *c)
{
    static const struct page_status faults[] = {{403, TEXT_FAULT_403}, {404, TEXT_FAULT_404}, {422, TEXT_FAULT_422}, {0, TEXT_FAULT_503}};
    struct review_request q = {.items = c->items, .n_items = c->n_items, .has_group = c->has_group};
    struct review_answer answer;

    memcpy(q.group, c->group, sizeof(q.group));
    if (!items_read_step(p, &q)) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    reviews_change(p->request->service, &p->caller, &q, &answer);
    if (answer.status == 200) {
        return page_redirect_line(p, c->back, c->part, TEXT_NONE, answer.line);
    }
    if (answer.status == 409 || answer.status == 412) {
        return page_redirect(p, c->here, c->here_part, TEXT_NOTICE_FASTER);
    }
    return page_fault_of(p, answer.status, faults);
}
