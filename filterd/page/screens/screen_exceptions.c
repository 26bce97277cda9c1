/* screen_exceptions.c - exceptions: proposed from an item with a preview, approved by a second person, withdrawn. */
#include "base/clock.h"
#include "page/items.h"
#include "page/rows.h"
#include "page/screens.h"
#include "service/review/exceptions.h"

enum { EXCEPTIONS_PAGE = 15, ENTRY_MAX = 4096 };

static const char path[] = "/exceptions", one[] = "/exceptions/{id}";
static const enum text columns[] = {TEXT_EXCEPTION, TEXT_STATE, TEXT_SCOPE, TEXT_PREVIEW, TEXT_UNTIL_DATE, TEXT_WHO, TEXT_CHANGE, TEXT_NONE};

static const struct {
    enum exception_width width;
    enum text text;
} widths[] = {{EXCEPTION_VALUE, TEXT_WIDTH_VALUE}, {EXCEPTION_APP, TEXT_WIDTH_APP}, {EXCEPTION_PATTERN, TEXT_WIDTH_PATTERN}};

/* --- a row ----------------------------------------------------------------------------- */

static void put_preview(struct html *h, const struct exception_preview *preview)
{
    html_count(h, TEXT_WOULD_PASS, preview->findings);
    HTML(h, "<small>");
    html_count(h, TEXT_CONFIRMED, preview->confirmed);
    if (preview->is_cut) {
        HTML(h, " ");
        html_word(h, TEXT_OR_MORE);
    }
    HTML(h, "</small>");
}

static void put_step(struct page *p, const struct form_place *form, const struct part_button *buttons, size_t n)
{
    form_begin(p, form->path, form->part);
    HTML(&p->html, "<div class=\"row\">");
    for (size_t i = 0; i < n; i++) {
        part_button(&p->html, &buttons[i]);
    }
    HTML(&p->html, "</div>");
    form_end(p);
}

/* Buttons for the steps that the caller may take; the service checks again. */
void exceptions_put_steps(struct page *p, const struct exception_row *row, int64_t now_ms, const struct form_place *form)
{
    static const struct part_button decide[] = {{"do", "approved", TEXT_APPROVE, NULL, "first"}, {"do", "refused", TEXT_REFUSE, NULL, NULL}};
    static const struct part_button withdraw = {"do", "withdrawn", TEXT_WITHDRAW, NULL, NULL};
    const struct exception *x = &row->exception;
    bool is_own = person_is_same(span_str(x->by), span_str(p->caller.name));

    part_cell_begin(&p->html, TEXT_CHANGE);
    if (x->state == EXCEPTION_PROPOSED && !is_own && caller_has(&p->caller, ROLE_APPROVER)) {
        put_step(p, form, decide, COUNT(decide));
    } else if (x->state == EXCEPTION_PROPOSED && is_own) {
        HTML(&p->html, "<small>");
        html_word(&p->html, TEXT_SECOND_PERSON);
        HTML(&p->html, "</small>");
    }
    bool is_open = x->state == EXCEPTION_PROPOSED || exception_applies(x, now_ms);
    if (is_open && caller_has(&p->caller, ROLE_REVIEWER | ROLE_APPROVER)) {
        put_step(p, form, &withdraw, 1);
    }
    part_cell_end(&p->html);
}

static void put_state(struct html *h, const struct exception *x, int64_t now_ms)
{
    static const enum text states[EXCEPTION_STATES] = {TEXT_NONE, TEXT_PROPOSED, TEXT_ACTIVE, TEXT_REFUSED, TEXT_WITHDRAWN};
    bool is_over = x->state == EXCEPTION_ACTIVE && !exception_applies(x, now_ms);

    part_cell_begin(h, TEXT_STATE);
    html_word(h, is_over ? TEXT_EXPIRED : x->state < EXCEPTION_STATES ? states[x->state] : TEXT_NONE);
    part_cell_end(h);
}

static void put_scope(struct html *h, const struct exception_scope *s)
{
    part_cell_begin(h, TEXT_SCOPE);
    for (size_t i = 0; i < COUNT(widths); i++) {
        if (widths[i].width == s->width) {
            html_word(h, widths[i].text);
        }
    }
    HTML(h, "<small>");
    part_name(h, span_str(s->text));
    HTML(h, "</small>");
    part_cell_end(h);
    part_cell_begin(h, TEXT_PREVIEW);
    put_preview(h, &s->preview);
    part_cell_end(h);
    part_cell_begin(h, TEXT_UNTIL_DATE);
    html_time(h, s->until_ms * 1000000);
    part_cell_end(h);
}

/* The entry for the policy file, for policies without live exceptions. */
static void put_policy_line(struct html *h, const struct exception_row *row)
{
    struct error ignored;
    struct buf line;

    buf_init(&line, ENTRY_MAX);
    if (exceptions_policy_line(row, &line, &ignored)) {
        HTML(h, "<details><summary>");
        html_word(h, TEXT_POLICY_ENTRY);
        HTML(h, "</summary><code class=\"code\">");
        html_text(h, buf_span(&line));
        HTML(h, "</code></details>");
    }
    buf_deinit(&line);
}

void exceptions_put_cells(struct html *h, const struct exception_row *row, int64_t now_ms)
{
    const struct exception *x = &row->exception;

    put_state(h, x, now_ms);
    put_scope(h, &x->scope);
    part_cell_begin(h, TEXT_WHO);
    part_name(h, span_str(x->by));
    HTML(h, "<small>");
    part_name(h, span_str(x->withdrawn_by[0] != '\0' ? x->withdrawn_by : x->decided_by));
    HTML(h, "</small>");
    part_cell_end(h);
}

static void put_row(struct page *p, const struct exception_row *row, int64_t now_ms)
{
    const struct exception *x = &row->exception;
    struct html *h = &p->html;

    part_row_begin(h);
    part_lead_begin(h);
    HTML(h, "<a class=\"rule\" href=\"/review/records/");
    html_id(h, x->scope.item == 0 ? row->seq : x->scope.item);
    HTML(h, "\">");
    part_name(h, span_str(x->scope.rule));
    HTML(h, "</a><small>");
    part_name(h, span_str(x->scope.tenant));
    HTML(h, " · ");
    part_name(h, span_str(row->why));
    HTML(h, "</small>");
    if (exception_applies(x, now_ms)) {
        put_policy_line(h, row);
    }
    part_lead_end(h);
    exceptions_put_cells(h, row, now_ms);
    exceptions_put_steps(p, row, now_ms, &(struct form_place){one, span_str(row->id)});
    part_row_end(h);
}

/* --- the list --------------------------------------------------------------------------- */

static bool take_row(void *context, const struct exception_row *row, struct error *err)
{
    struct part_list *list = context;

    (void)err;
    part_list_row(list, TEXT_EXCEPTIONS, columns);
    put_row(list->page, row, list->now_ms);
    return true;
}

static bool put_list(struct page *p, struct review_reader *r, struct error *err)
{
    struct part_list list = {.page = p, .now_ms = clock_utc_ns() / 1000000};
    struct exceptions_query q = {.tenant = items_tenant(p), .now_ms = list.now_ms, .limit = EXCEPTIONS_PAGE};
    uint64_t next = 0;

    (void)page_parameter_number(p, "before", &q.before);
    HTML(&p->html, "<div class=\"panel flush\">");
    if (!exceptions_find(r, &q, take_row, &list, &next, err)) {
        return false;
    }
    part_list_end(&list, TEXT_EMPTY_EXCEPTIONS, TEXT_EMPTY_EXCEPTIONS_HELP, "/review/exceptions", next);
    HTML(&p->html, "</div>\n");
    return true;
}

/* --- a proposal --------------------------------------------------------------------------- */

static void put_hidden_number(struct html *h, const char *name, uint64_t n)
{
    HTML(h, "<input type=\"hidden\" name=\"");
    html_attribute(h, span_str(name));
    HTML(h, "\" value=\"");
    html_id(h, n);
    HTML(h, "\">");
}

static void put_choices(struct page *p, enum exception_width chosen)
{
    struct html *h = &p->html;

    HTML(h, "<fieldset><legend>");
    html_word(h, TEXT_SCOPE);
    HTML(h, "</legend>");
    for (size_t i = 0; i < COUNT(widths); i++) {
        HTML(h, "<label class=\"choice\"><input type=\"radio\" name=\"width\" value=\"");
        html_attribute(h, span_str(exception_width_name(widths[i].width)));
        if (widths[i].width == chosen) {
            HTML(h, "\" checked=\"");
        }
        HTML(h, "\"> ");
        html_word(h, widths[i].text);
        HTML(h, "</label>");
    }
    HTML(h, "</fieldset>");
}

/* The first form: the scope. */
static void put_question(struct page *p, uint64_t item, const struct exception_proposal *wanted)
{
    struct html *h = &p->html;

    HTML(h, "<section class=\"panel\"><h2>");
    html_count(h, TEXT_PROPOSE_FROM, item);
    HTML(h, "</h2><form class=\"fields\" action=\"/review/exceptions\">");
    put_hidden_number(h, "item", item);
    put_choices(p, wanted->width == EXCEPTION_NO_WIDTH ? EXCEPTION_VALUE : wanted->width);
    HTML(h, "<label>");
    html_word(h, TEXT_PATTERN);
    HTML(h, "<input type=\"text\" name=\"pattern\" maxlength=\"128\" autocomplete=\"off\" value=\"");
    html_attribute(h, wanted->matches);
    HTML(h, "\"></label><label>");
    html_word(h, TEXT_UNTIL_90);
    HTML(h, "<input type=\"date\" name=\"until\" required value=\"");
    html_attribute(h, wanted->until);
    HTML(h, "\"></label><div class=\"row\"><button type=\"submit\">");
    html_word(h, TEXT_PREVIEW);
    HTML(h, "</button></div></form></section>\n");
}

/* The second form: with the preview. */
static void put_proposal(struct page *p, const struct exception_proposal *wanted, const struct exception_scope *scope)
{
    static const struct part_button propose = {"do", "propose", TEXT_PROPOSE_EXCEPTION, NULL, "first"};
    struct html *h = &p->html;

    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_PREVIEW_30);
    HTML(h, "</h2><p><b>");
    part_name(h, span_str(scope->rule));
    HTML(h, "</b> ");
    part_name(h, span_str(scope->text));
    HTML(h, "</p><p>");
    put_preview(h, &scope->preview);
    HTML(h, "</p>");
    if (exception_needs_admin(scope)) {
        HTML(h, "<p class=\"notice warn\">");
        html_word(h, TEXT_NEEDS_ADMIN);
        HTML(h, "</p>");
    }
    form_begin(p, path, span_of("", 0));
    put_hidden_number(h, "item", wanted->item);
    form_hidden(p, "width", span_str(exception_width_name(wanted->width)));
    form_hidden(p, "pattern", wanted->matches);
    form_hidden(p, "until", wanted->until);
    HTML(h, "<div class=\"fields\"><label>");
    html_word(h, TEXT_WHY);
    HTML(h, "<input type=\"text\" name=\"why\" required maxlength=\"128\" autocomplete=\"off\"></label><div class=\"row\">");
    part_button(h, &propose);
    HTML(h, "</div></div>");
    form_end(p);
    HTML(h, "</section>\n");
}

static void put_wanted(struct page *p)
{
    struct exception_proposal wanted = {.width = (enum exception_width)exception_width_of(page_parameter(p, "width")),
                                        .matches = page_parameter(p, "pattern"), .until = page_parameter(p, "until")};
    struct exception_answer answer;

    if (!page_parameter_number(p, "item", &wanted.item) || !caller_has(&p->caller, ROLE_REVIEWER)) {
        return;
    }
    put_question(p, wanted.item, &wanted);
    if (wanted.width == EXCEPTION_NO_WIDTH) {
        return;
    }
    exceptions_preview(p->request->service, &p->caller, &wanted, &answer);
    if (answer.status == 200) {
        put_proposal(p, &wanted, &answer.row.exception.scope);
    } else {
        HTML(&p->html, "<p class=\"notice fault\" role=\"alert\">");
        html_text(&p->html, span_str(answer.detail));
        HTML(&p->html, "</p>\n");
    }
}

bool exceptions_show(struct page *p, struct error *err)
{
    struct review_reader *r;

    put_wanted(p);
    r = items_open(p, err);
    bool is_shown = r != NULL && put_list(p, r, err);
    review_reader_close(r);
    return is_shown && page_record_access(p, "list", 0, span_of(NULL, 0), err);
}

static bool count_row(void *context, const struct exception_row *row, struct error *err)
{
    (void)row;
    (void)err;
    ++*(uint64_t *)context;
    return true;
}

/* Exceptions that wait for approval; counts at most one page. */
bool exceptions_count(struct page *p, uint64_t *n)
{
    const struct exceptions_query q = {.tenant = items_tenant(p), .state = EXCEPTION_PROPOSED, .limit = EXCEPTIONS_PAGE};
    uint64_t found = 0, next;
    struct error ignored;
    struct review_reader *r = reviews_open(p->request->service, &ignored);
    bool is_known = r != NULL && exceptions_find(r, &q, count_row, &found, &next, &ignored) && found > 0;

    review_reader_close(r);
    *n = found;
    return is_known;
}

/* --- changes --------------------------------------------------------------------------------- */

static bool end(struct page *p, const struct exception_answer *answer, enum text notice)
{
    static const struct page_status faults[] = {
        {403, TEXT_FAULT_EYES}, {404, TEXT_FAULT_404}, {409, TEXT_FAULT_409}, {422, TEXT_FAULT_EXCEPTION}, {0, TEXT_FAULT_503}};

    return answer->status == 200 ? page_redirect(p, path, span_of("", 0), notice) : page_fault_of(p, answer->status, faults);
}

bool exceptions_post(struct page *p, struct error *err)
{
    struct exception_proposal wanted = {.width = (enum exception_width)exception_width_of(page_field(p, "width")),
                                        .matches = page_field(p, "pattern"), .until = page_field(p, "until"),
                                        .why = page_field(p, "why")};
    struct exception_answer answer;

    (void)err;
    if (!page_field_number(p, "item", &wanted.item)) {
        return page_fault(p, 422, TEXT_FAULT_EXCEPTION);
    }
    exceptions_propose(p->request->service, &p->caller, &wanted, &answer);
    return end(p, &answer, TEXT_NOTICE_PROPOSED);
}

bool exception_post(struct page *p, struct error *err)
{
    enum exception_verb verb = (enum exception_verb)exception_verb_of(page_field(p, "do"));
    struct exception_answer answer;

    (void)err;
    if (verb == EXCEPTION_NO_VERB || verb == EXCEPTION_PROPOSE) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    exceptions_change(p->request->service, &p->caller, verb, p->part, &answer);
    return end(p, &answer, TEXT_NOTICE_DECIDED);
}
