/* screen_reveals.c - requests for sealed originals: requested, approved by a second person, opened within the hour. The page serves
 * the age file and the key of its inner layer. Only the reviewer's key decrypts it, on the reviewer's machine: with age, or with
 * unlock.js in the browser if age.js was built in. */
#include "base/clock.h"
#include "page/items.h"
#include "page/rows.h"
#include "page/screens.h"
#include "page/static.h"
#include "signin/head_lines.h"
#include "service/review/reveals.h"

enum { REVEALS_PAGE = 25 };

static const char path[] = "/reveals", one[] = "/reveals/{id}", file[] = "/reveals/{id}/file", key[] = "/reveals/{id}/key";
static const enum text columns[] = {TEXT_REVEAL, TEXT_STATE, TEXT_PURPOSE, TEXT_WHO, TEXT_UNTIL_TIME, TEXT_CHANGE, TEXT_NONE};

static const struct {
    enum reveal_purpose purpose;
    enum text text;
} purposes[] = {{REVEAL_INCIDENT, TEXT_PURPOSE_INCIDENT},
                {REVEAL_SUBJECT_REQUEST, TEXT_PURPOSE_SUBJECT},
                {REVEAL_QUALITY, TEXT_PURPOSE_QUALITY},
                {REVEAL_LEGAL, TEXT_PURPOSE_LEGAL}};

/* --- a row ------------------------------------------------------------------------------ */

static void put_buttons(struct page *p, const struct form_place *form, const struct part_button *buttons, size_t n)
{
    form_begin(p, form->path, form->part);
    HTML(&p->html, "<div class=\"row\">");
    for (size_t i = 0; i < n; i++) {
        part_button(&p->html, &buttons[i]);
    }
    HTML(&p->html, "</div>");
    form_end(p);
}

/* It was opened before. */
static void put_why_again(struct html *h, const struct reveal_row *row)
{
    if (row->reveal.opened > 0) {
        HTML(h, "<label>");
        html_word(h, TEXT_WHY_AGAIN);
        HTML(h, "<input type=\"text\" name=\"why\" required maxlength=\"128\" autocomplete=\"off\"></label>");
    }
}

static bool has_unlock(const struct page *p)
{
    return static_name("age.js").len > 0 && access_is_private(p->request);
}

/* For unlock.js, which shows it. The input has no name: the file that it holds is in no form's data. */
static void put_unlock(struct page *p, const struct reveal_row *row)
{
    struct html *h = &p->html;

    form_begin(p, key, span_str(row->id));
    HTML(h, "<div class=\"fields\" data-whole=\"\" data-unlock=\"\" hidden>");
    put_why_again(h, row);
    HTML(h, "<label>");
    html_word(h, TEXT_IDENTITY_FILE);
    HTML(h, "<input type=\"file\" required></label><button type=\"submit\" class=\"first\">");
    html_word(h, TEXT_OPEN_HERE);
    HTML(h, "</button></div>");
    form_end(p);
}

/* A download, which review.js does not intercept. */
static void put_open(struct page *p, const struct reveal_row *row)
{
    struct html *h = &p->html;

    form_begin(p, file, span_str(row->id));
    HTML(h, "<div class=\"fields\" data-whole=\"\">");
    put_why_again(h, row);
    part_button(h, &(struct part_button){"do", "open", TEXT_DOWNLOAD, NULL, has_unlock(p) ? NULL : "first"});
    HTML(h, "</div>");
    form_end(p);
}

/* Buttons for the steps that the caller may take; the service checks again. False: there are none, and it is no other person's to decide. */
bool reveals_put_decision(struct page *p, const struct reveal_row *row, const struct form_place *form)
{
    static const struct part_button decide[] = {{"do", "approved", TEXT_APPROVE, NULL, "first"}, {"do", "refused", TEXT_REFUSE, NULL, NULL}};
    const struct reveal *x = &row->reveal;
    bool is_own = person_is_same(span_str(x->by), span_str(p->caller.name));

    if (x->state == REVEAL_ASKED && !is_own && caller_has(&p->caller, ROLE_APPROVER)) {
        put_buttons(p, form, decide, COUNT(decide));
    } else if (x->state == REVEAL_ASKED && is_own) {
        HTML(&p->html, "<small>");
        html_word(&p->html, TEXT_SECOND_PERSON);
        HTML(&p->html, "</small>");
    }
    return x->state == REVEAL_ASKED;
}

static void put_steps(struct page *p, const struct reveal_row *row, int64_t now_ms)
{
    static const struct part_button close = {"do", "closed", TEXT_CLOSE, NULL, NULL};
    const struct form_place form = {one, span_str(row->id)};
    bool is_own = person_is_same(span_str(row->reveal.by), span_str(p->caller.name));

    part_cell_begin(&p->html, TEXT_CHANGE);
    if (!reveals_put_decision(p, row, &form) && reveal_is_granted(&row->reveal, now_ms) && is_own) {
        if (has_unlock(p)) {
            put_unlock(p, row);
        }
        put_open(p, row);
        put_buttons(p, &form, &close, 1);
    }
    part_cell_end(&p->html);
}

static void put_state(struct html *h, const struct reveal *x, int64_t now_ms)
{
    static const enum text states[REVEAL_STATES] = {TEXT_NONE,   TEXT_ASKED,   TEXT_GRANTED,
                                                    TEXT_OPENED, TEXT_REFUSED, TEXT_REVEAL_CLOSED};
    bool is_over = (x->state == REVEAL_GRANTED || x->state == REVEAL_OPENED) && !reveal_is_granted(x, now_ms);

    part_cell_begin(h, TEXT_STATE);
    html_word(h, is_over ? TEXT_EXPIRED : x->state < REVEAL_STATES ? states[x->state] : TEXT_NONE);
    part_cell_end(h);
    part_cell_begin(h, TEXT_PURPOSE);
    for (size_t i = 0; i < COUNT(purposes); i++) {
        if (purposes[i].purpose == x->scope.purpose) {
            html_word(h, purposes[i].text);
        }
    }
    HTML(h, "<small>");
    part_name(h, span_str(x->scope.matter));
    HTML(h, "</small>");
    part_cell_end(h);
}

void reveals_put_cells(struct html *h, const struct reveal_row *row, int64_t now_ms)
{
    const struct reveal *x = &row->reveal;

    put_state(h, x, now_ms);
    part_cell_begin(h, TEXT_WHO);
    part_name(h, span_str(x->by));
    HTML(h, "<small>");
    part_name(h, span_str(x->decided_by));
    HTML(h, "</small>");
    part_cell_end(h);
    part_cell_begin(h, TEXT_UNTIL_TIME);
    html_time(h, x->until_ms * 1000000);
    part_cell_end(h);
}

static void put_row(struct page *p, const struct reveal_row *row, int64_t now_ms)
{
    const struct reveal *x = &row->reveal;
    struct html *h = &p->html;

    part_row_begin(h);
    part_lead_begin(h);
    HTML(h, "<a class=\"rule\" href=\"/review/records/");
    html_id(h, x->scope.item);
    HTML(h, "\">");
    html_count(h, TEXT_LINE_N, x->scope.item);
    HTML(h, "</a><small>");
    part_name(h, span_str(x->scope.tenant));
    HTML(h, " · ");
    part_name(h, span_str(row->why));
    HTML(h, "</small>");
    part_lead_end(h);
    reveals_put_cells(h, row, now_ms);
    put_steps(p, row, now_ms);
    part_row_end(h);
}

/* --- the list ---------------------------------------------------------------------------- */

static bool take_row(void *context, const struct reveal_row *row, struct error *err)
{
    struct part_list *list = context;

    (void)err;
    part_list_row(list, TEXT_REVEALS, columns);
    put_row(list->page, row, list->now_ms);
    return true;
}

static bool put_list(struct page *p, struct review_reader *r, struct error *err)
{
    struct part_list list = {.page = p, .now_ms = clock_utc_ns() / 1000000};
    struct reveals_query q = {.tenant = items_tenant(p), .limit = REVEALS_PAGE};
    uint64_t next = 0;

    (void)page_parameter_number(p, "before", &q.before);
    HTML(&p->html, "<div class=\"panel flush\">");
    if (!reveals_find(r, &q, take_row, &list, &next, err)) {
        return false;
    }
    part_list_end(&list, TEXT_EMPTY_REVEALS, TEXT_EMPTY_REVEALS_HELP, "/review/reveals", next);
    HTML(&p->html, "</div>\n");
    return true;
}

/* --- a question --------------------------------------------------------------------------- */

static void put_purposes(struct html *h)
{
    HTML(h, "<fieldset><legend>");
    html_word(h, TEXT_PURPOSE);
    HTML(h, "</legend>");
    for (size_t i = 0; i < COUNT(purposes); i++) {
        HTML(h, "<label class=\"choice\"><input type=\"radio\" name=\"purpose\" required value=\"");
        html_attribute(h, span_str(reveal_purpose_name(purposes[i].purpose)));
        HTML(h, "\"> ");
        html_word(h, purposes[i].text);
        HTML(h, "</label>");
    }
    HTML(h, "</fieldset>");
}

static void put_question(struct page *p)
{
    static const struct part_button ask = {"do", "asked", TEXT_ASK_REVEAL, NULL, "first"};
    struct html *h = &p->html;
    uint64_t item;

    if (!page_parameter_number(p, "item", &item) || !caller_has(&p->caller, ROLE_REVIEWER)) {
        return;
    }
    HTML(h, "<section class=\"panel\"><h2>");
    html_count(h, TEXT_ASK_FOR, item);
    HTML(h, "</h2><p class=\"muted\">");
    html_word(h, TEXT_ASK_HELP);
    HTML(h, "</p>");
    form_begin(p, path, span_of("", 0));
    HTML(h, "<div class=\"fields\"><input type=\"hidden\" name=\"item\" value=\"");
    html_id(h, item);
    HTML(h, "\">");
    put_purposes(h);
    HTML(h, "<label>");
    html_word(h, TEXT_CASE);
    HTML(h, "<input type=\"text\" name=\"case\" required maxlength=\"128\" autocomplete=\"off\"></label><label>");
    html_word(h, TEXT_WHY);
    HTML(h, "<input type=\"text\" name=\"why\" maxlength=\"128\" autocomplete=\"off\"></label><div class=\"row\">");
    part_button(h, &ask);
    HTML(h, "</div></div>");
    form_end(p);
    HTML(h, "</section>\n");
}

/* What unlock.js may have to say, and where it shows the text; all hidden until then. */
static void put_original(struct html *h)
{
    static const struct {
        const char *name;
        enum text text;
    } says[] = {{"identity", TEXT_SAY_IDENTITY}, {"wrong", TEXT_SAY_WRONG}, {"second", TEXT_SAY_SECOND}, {"format", TEXT_SAY_FORMAT},
                {"confirm", TEXT_FAULT_CONFIRM}, {"grant", TEXT_SAY_GRANT},       {"gone", TEXT_SAY_GONE},   {"why", TEXT_SAY_WHY},       {"server", TEXT_SAY_SERVER}};

    for (size_t i = 0; i < COUNT(says); i++) {
        HTML(h, "<p class=\"notice fault\" role=\"alert\" data-say=\"");
        html_attribute(h, span_str(says[i].name));
        HTML(h, "\" hidden>");
        html_word(h, says[i].text);
        HTML(h, "</p>");
    }
    HTML(h, "<section class=\"panel\" data-original=\"\" tabindex=\"-1\" hidden><h2>");
    html_word(h, TEXT_ORIGINAL);
    HTML(h, "</h2><p class=\"muted\">");
    html_word(h, TEXT_ORIGINAL_HELP);
    HTML(h, "</p><div data-parts=\"\"></div><div class=\"row\"><button type=\"button\" data-clear=\"\">");
    html_word(h, TEXT_CLEAR_ORIGINAL);
    HTML(h, "</button></div></section>\n");
}

static void put_how(struct html *h)
{
    HTML(h, "<details class=\"panel\"><summary>");
    html_word(h, TEXT_HOW_TO_OPEN);
    HTML(h, "</summary><p>");
    html_word(h, TEXT_HOW_TO_OPEN_HELP);
    HTML(h, "</p><code class=\"code\">age -d -i anna.key original.age | filterctl seal open --shred shred.db</code></details>\n");
}

bool reveals_show(struct page *p, struct error *err)
{
    put_question(p);
    struct review_reader *r = items_open(p, err);
    bool is_shown = r != NULL && put_list(p, r, err);
    review_reader_close(r);
    if (has_unlock(p)) {
        put_original(&p->html);
    }
    put_how(&p->html);
    return is_shown && page_record_access(p, "list", 0, span_of(NULL, 0), err);
}

static bool count_row(void *context, const struct reveal_row *row, struct error *err)
{
    (void)row;
    (void)err;
    ++*(uint64_t *)context;
    return true;
}

/* Requests that wait for approval; counts at most one page. */
bool reveals_count(struct page *p, uint64_t *n)
{
    const struct reveals_query q = {.tenant = items_tenant(p), .state = REVEAL_ASKED, .limit = REVEALS_PAGE};
    uint64_t found = 0, next;
    struct error ignored;
    struct review_reader *r = reviews_open(p->request->service, &ignored);
    bool is_known = r != NULL && reveals_find(r, &q, count_row, &found, &next, &ignored) && found > 0;

    review_reader_close(r);
    *n = found;
    return is_known;
}

/* --- changes -------------------------------------------------------------------------------- */

static bool fail(struct page *p, unsigned status)
{
    static const struct page_status faults[] = {{403, TEXT_FAULT_EYES}, {404, TEXT_FAULT_404},    {409, TEXT_FAULT_409},
                                                {410, TEXT_SAY_GONE},   {422, TEXT_FAULT_REVEAL}, {0, TEXT_FAULT_503}};

    return page_fault_of(p, status, faults);
}

bool reveals_post(struct page *p, struct error *err)
{
    struct reveal_question q = {.purpose = (enum reveal_purpose)reveal_purpose_of(page_field(p, "purpose")),
                                .matter = page_field(p, "case"), .why = page_field(p, "why")};
    struct reveal_answer answer;

    (void)err;
    if (q.purpose == REVEAL_NO_PURPOSE || !page_field_number(p, "item", &q.item)) {
        return page_fault(p, 422, TEXT_FAULT_REVEAL);
    }
    reveals_ask(p->request->service, &p->caller, &q, &answer);
    return answer.status == 200 ? page_redirect(p, path, span_of("", 0), TEXT_NOTICE_ASKED) : fail(p, answer.status);
}

bool reveal_post(struct page *p, struct error *err)
{
    enum reveal_verb verb = (enum reveal_verb)reveal_verb_of(page_field(p, "do"));
    struct reveal_answer answer;

    (void)err;
    if (verb != REVEAL_APPROVE && verb != REVEAL_REFUSE && verb != REVEAL_CLOSE) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    reveals_change(p->request->service, &p->caller, verb, p->part, &answer);
    return answer.status == 200 ? page_redirect(p, path, span_of("", 0), TEXT_NOTICE_DECIDED) : fail(p, answer.status);
}

bool reveal_file_post(struct page *p, struct error *err)
{
    struct request *r = p->request;
    struct reveal_answer answer;

    (void)err;
    if (!head_lines_add(r->head, "Content-Disposition", span_str("attachment; filename=\"original.age\""))) {
        return page_fault(p, 503, TEXT_FAULT_503);
    }
    reveals_open(r->service, &p->caller, p->part, page_field(p, "why"), &r->answer, &answer);
    if (answer.status != 200) {
        return fail(p, answer.status);
    }
    r->reply = (struct reply){.status = 200, .type = "application/age", .cache = "no-store"};
    return true;
}

/* For unlock.js: JSON, or a page that says what is wrong. */
bool reveal_key_post(struct page *p, struct error *err)
{
    struct request *r = p->request;
    struct reveal_answer answer;

    (void)err;
    if (!access_is_private(r)) {
        return page_fault(p, 403, TEXT_FAULT_403);
    }
    reveals_key(r->service, &p->caller, p->part, &r->answer, &answer);
    if (answer.status != 200) {
        return fail(p, answer.status);
    }
    r->reply = (struct reply){.status = 200, .type = "application/json", .cache = "no-store"};
    return true;
}
