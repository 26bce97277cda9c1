/* screen_queue.c - the queue of items, most urgent first; bulk steps; undo. */
#include "base/clock.h"
#include "page/items.h"
#include "page/line_parts.h"
#include "page/screens.h"
#include "record/note_text.h"
#include "service/reviews.h"

enum { QUEUE_PAGE = 25 };

static const char path[] = "/queue";

/* --- which items ------------------------------------------------------------------- */

static const struct tab {
    const char *name, *query;
    enum text text, empty, empty_help;
    enum review_states states;
    bool is_mine, is_overdue;
} tabs[] = {
    {"open", "?show=open", TEXT_OPEN, TEXT_EMPTY_OPEN, TEXT_EMPTY_OPEN_HELP, REVIEW_ITEMS_OPEN, false, false},
    {"mine", "?show=mine", TEXT_MINE, TEXT_EMPTY_MINE, TEXT_EMPTY_MINE_HELP, REVIEW_ITEMS_CLAIMED, true, false},
    {"overdue", "?show=overdue", TEXT_OVERDUE_ITEMS, TEXT_EMPTY_OVERDUE, TEXT_EMPTY_OVERDUE_HELP, REVIEW_ITEMS_OPEN, false, true},
    {"closed", "?show=closed", TEXT_CLOSED, TEXT_EMPTY_CLOSED, TEXT_EMPTY_CLOSED_HELP, REVIEW_ITEMS_CLOSED, false, false},
};

struct queue {
    struct page *page;
    const struct tab *tab;
    struct span rule;
    struct review_items_query query;
    bool has_some, has_next;
    struct review_items_key next;
};

/* "341.20852163": priority and number. */
static bool read_after(struct span text, struct review_items_key *key)
{
    const char *dot = text.len == 0 ? NULL : memchr(text.ptr, '.', text.len);
    uint64_t priority;

    if (dot == NULL || !note_read_number(span_of(text.ptr, (size_t)(dot - text.ptr)), &priority) || priority > INT32_MAX ||
        !note_read_number(span_of(dot + 1, (size_t)(text.ptr + text.len - dot) - 1), &key->seq)) {
        return false;
    }
    key->rank = -(int64_t)priority;
    return true;
}

static bool read_queue(struct page *p, struct queue *q)
{
    struct span show = page_parameter(p, "show"), after = page_parameter(p, "after"), rule = page_parameter(p, "rule");

    *q = (struct queue){.page = p, .tab = &tabs[0], .rule = rule};
    for (size_t i = 0; i < COUNT(tabs); i++) {
        q->tab = span_is(show, tabs[i].name) ? &tabs[i] : q->tab;
    }
    q->query = (struct review_items_query){.states = q->tab->states, .tenant = items_tenant(p), .is_overdue = q->tab->is_overdue,
                                           .now_ms = clock_utc_ns() / 1000000, .limit = QUEUE_PAGE};
    if (q->tab->is_mine) {
        q->query.assignee = span_str(p->caller.name);
    }
    if (rule.len > 0) {
        q->query.rule = rule;
    }
    q->query.has_after = after.len > 0;
    return after.len == 0 || read_after(after, &q->query.after) || page_fault(p, 422, TEXT_FAULT_422);
}

/* --- what is shown ------------------------------------------------------------------ */

static void put_tabs(struct queue *q, const struct review_counts *counts)
{
    struct part_tab shown[COUNT(tabs)];

    for (size_t i = 0; i < COUNT(tabs); i++) {
        shown[i] = (struct part_tab){.path = path, .query = tabs[i].query, .text = tabs[i].text, .is_current = q->tab == &tabs[i]};
    }
    shown[0].has_count = shown[2].has_count = true;
    shown[0].count = counts->n[ITEM_NEW] + counts->n[ITEM_CLAIMED];
    shown[2].count = counts->n_overdue;
    part_tabs(&q->page->html, TEXT_WHICH_ITEMS, shown, COUNT(shown));
}

static bool put_item(void *context, const struct review_item *item, struct error *err)
{
    struct queue *q = context;
    struct page *p = q->page;

    (void)err;
    if (!q->has_some) {
        part_table_begin(&p->html, TEXT_QUEUE, items_columns, q->tab->states != REVIEW_ITEMS_CLOSED);
        q->has_some = true;
    }
    items_row(p, item, q->query.now_ms, q->tab->states != REVIEW_ITEMS_CLOSED);
    return true;
}

static void put_next(struct queue *q)
{
    struct html *h = &q->page->html;

    if (!q->has_next) {
        return;
    }
    HTML(h, "<p class=\"pages\"><a class=\"button\" rel=\"next\" href=\"/review/queue?show=");
    html_url(h, span_str(q->tab->name));
    if (q->rule.len > 0) {
        HTML(h, "&amp;rule=");
        html_url(h, q->rule);
    }
    HTML(h, "&amp;after=");
    html_id(h, (uint64_t)-q->next.rank);
    HTML(h, ".");
    html_id(h, q->next.seq);
    HTML(h, "\">");
    html_word(h, TEXT_LESS_URGENT);
    HTML(h, "</a></p>");
}

static void put_end(struct queue *q)
{
    struct html *h = &q->page->html;

    if (!q->has_some) {
        part_empty(h, q->tab->empty, q->tab->empty_help);
        return;
    }
    part_table_end(h);
    put_next(q);
    if (q->tab->states != REVIEW_ITEMS_CLOSED && caller_has(&q->page->caller, ROLE_REVIEWER)) {
        HTML(h, "<div class=\"decide\" role=\"group\" aria-label=\"");
        html_word(h, TEXT_ANSWER_CHOSEN);
        HTML(h, "\">");
        part_answers(h, true);
        HTML(h, "</div>");
    }
}

static bool put_queue(struct queue *q, struct review_reader *r, struct error *err)
{
    struct page *p = q->page;
    struct review_counts counts;

    if (!review_counts(r, items_tenant(p), q->query.now_ms, &counts, err)) {
        return false;
    }
    put_tabs(q, &counts);
    part_recorded(p);
    HTML(&p->html, "<div class=\"panel flush\">");
    form_begin(p, path, span_of("", 0));
    if (!review_items(r, &q->query, put_item, q, &q->has_next, &q->next, err)) {
        return false;
    }
    put_end(q);
    form_end(p);
    HTML(&p->html, "</div>\n");
    part_keys(&p->html);
    return page_record_access(p, "list", 0, span_of(NULL, 0), err);
}

bool queue_show(struct page *p, struct error *err)
{
    struct queue q;

    if (!read_queue(p, &q)) {
        return false;
    }
    struct review_reader *r = items_open(p, err);
    bool is_shown = r != NULL && put_queue(&q, r, err);
    review_reader_close(r);
    return is_shown;
}

bool queue_count(struct page *p, uint64_t *n)
{
    struct review_counts counts;
    struct error ignored;
    struct review_reader *r = reviews_open(p->request->service, &ignored);
    bool is_known = r != NULL && review_counts(r, items_tenant(p), clock_utc_ns() / 1000000, &counts, &ignored);

    if (is_known) {
        *n = counts.n[ITEM_NEW] + counts.n[ITEM_CLAIMED];
    }
    review_reader_close(r);
    return is_known;
}

/* --- changes -------------------------------------------------------------------------- */

bool queue_post(struct page *p, struct error *err)
{
    uint64_t numbers[REVIEW_ITEMS_MAX];
    struct items_change c = {.items = numbers, .back = path, .here = path};

    (void)err;
    return items_chosen(p, numbers, &c.n_items) && items_change(p, &c);
}

static bool read_step(struct page *p, uint64_t line, struct review_line *out, struct error *err)
{
    struct index_reader *r = lines_reader(p, err);
    struct span text;

    if (r == NULL) {
        return false;
    }
    bool is_read = line_parts_text(p, r, line, &text, err) && review_line_parse(text, &p->memory, out, err);
    index_reader_close(r);
    return is_read;
}

/* Undoes one step on all items that it changed. */
bool undo_post(struct page *p, struct error *err)
{
    struct review_answer answer;
    struct review_line step;
    uint64_t line;

    if (!note_read_number(p->part, &line) || line == 0) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    if (!read_step(p, line, &step, err)) {
        return false;
    }
    struct review_request q = {.verb = ITEM_UNDO, .items = step.items, .n_items = step.n_items, .has_group = step.has_group,
                               .undo_of = line};
    memcpy(q.group, step.group, sizeof(q.group));
    reviews_change(p->request->service, &p->caller, &q, &answer);
    if (answer.status == 409 || answer.status == 412) {
        return page_redirect(p, path, span_of("", 0), TEXT_NOTICE_FASTER);
    }
    return answer.status == 200 ? page_redirect(p, path, span_of("", 0), TEXT_NOTICE_UNDONE)
                                : page_fault(p, answer.status, answer.status == 403 ? TEXT_FAULT_403 : TEXT_FAULT_503);
}
