#include "page/page.h"

#include <sodium.h>

#include "base/clock.h"
#include "base/log.h"
#include "signin/head_lines.h"
#include "http/identities.h"
#include "page/frame.h"
#include "page/screens.h"
#include "page/static.h"
#include "record/note_text.h"
#include "decision_log/access_record.h"
#include "service/access_session.h"
#include "service/page_identity.h"

enum { PAGE_MEMORY = 2 * 1024 * 1024, REDIRECT_MAX = 1024 };

/* Target of a redirect: a screen's path, the part for its braces, and query parameters; empty and 0 are omitted. */
struct location {
    const char *path;
    struct span part, notice, to;
    uint64_t line;
};

static const char html_type[] = "text/html; charset=utf-8";

/* --- what a screen asks for ----------------------------------------------------------- */

struct span page_parameter(const struct page *p, const char *name)
{
    const char *value = NULL;
    size_t len = 0;

    if (MHD_lookup_connection_value_n(p->request->connection, MHD_GET_ARGUMENT_KIND, name, strlen(name), &value, &len) != MHD_YES ||
        value == NULL) {
        return span_of("", 0);
    }
    return span_of(value, len);
}

struct span page_field(const struct page *p, const char *name)
{
    return form_value(&p->form, name);
}

bool page_parameter_number(const struct page *p, const char *name, uint64_t *n)
{
    return note_read_number(page_parameter(p, name), n);
}

bool page_field_number(const struct page *p, const char *name, uint64_t *n)
{
    return note_read_number(page_field(p, name), n);
}

bool page_fault(struct page *p, unsigned status, enum text text)
{
    p->fault = status;
    p->fault_text = text;
    return false;
}

bool page_fault_of(struct page *p, unsigned status, const struct page_status *texts)
{
    while (texts->status != 0 && texts->status != status) {
        texts++;
    }
    return page_fault(p, texts->status != 0 ? status : 503, texts->text);
}

/* "?name=" or "&name=", for a header, not for markup. */
static void put_name(struct html *h, bool *is_first, const char *name)
{
    if (*is_first) {
        HTML(h, "?");
    } else {
        HTML(h, "&");
    }
    *is_first = false;
    html_url(h, span_str(name));
    HTML(h, "=");
}

/* An address, encoded by the HTML writer, which has the only encoder. Paths of screens have no characters that it escapes. */
static void put_location(struct page *p, const struct location *l)
{
    struct html *h = &p->html;
    bool is_first = true;

    page_address(p, l->path, l->part);
    if (l->notice.len > 0) {
        put_name(h, &is_first, "notice");
        html_url(h, l->notice);
    }
    if (l->to.len > 0) {
        put_name(h, &is_first, "to");
        html_url(h, l->to);
    }
    if (l->line != 0) {
        put_name(h, &is_first, "line");
        html_id(h, l->line);
    }
}

static bool redirect(struct page *p, const struct location *l)
{
    struct html page = p->html;
    struct error err;
    struct buf text;

    buf_init(&text, REDIRECT_MAX);
    html_init(&p->html, &text, page.language, &err);
    put_location(p, l);
    bool is_written = !p->html.has_failed && head_lines_add(p->request->head, "Location", buf_span(&text));
    p->html = page;
    buf_deinit(&text);
    p->request->reply = (struct reply){.status = is_written ? 303 : 500, .type = html_type, .cache = "no-store"};
    return true;
}

bool page_redirect_line(struct page *p, const char *path, struct span part, enum text notice, uint64_t line)
{
    return redirect(p, &(struct location){.path = path, .part = part, .notice = span_str(text_notice_name(notice)), .line = line});
}

bool page_redirect(struct page *p, const char *path, struct span part, enum text notice)
{
    return page_redirect_line(p, path, part, notice, 0);
}

const char *page_destination(struct span to, struct span *part)
{
    const struct screen *screen = screen_find(to, part);
    bool is_shown = screen != NULL && screen->roles != 0 && screen->show != NULL && !screen->accepts_pending;

    return is_shown ? screen->path : "";
}

bool page_record_access(struct page *p, const char *what, uint64_t item, struct span query, struct error *err)
{
    const struct access_event e = {.by = p->caller.name, .role = caller_role(&p->caller, p->screen->roles), .what = what, .item = item,
                                   .query = query, .now_ns = clock_utc_ns()};

    return access_record_write(p->request->service->log, &e, err) || page_fault(p, 503, TEXT_FAULT_503);
}

bool page_judge(struct page *p, struct span *text)
{
    struct request *r = p->request;
    struct filter_fault fault;

    if (text->len == 0) {
        return true;
    }
    r->snapshot = r->snapshot == NULL ? service_snapshot(r->service) : r->snapshot;
    return identity_show_text(r->service->identities, r->snapshot, &p->memory, text, &fault) ||
           page_fault(p, 422, TEXT_FAULT_422);
}

/* --- who it is ------------------------------------------------------------------------- */

/* The key of form tokens: the session's, else one of this process, derived from the name. */
static bool find_key(struct page *p, struct error *err)
{
    char name[ACCESS_NAME + 16];
    struct session session;

    if ((p->caller.how == CALLER_SESSION || p->caller.how == CALLER_PENDING) && access_session(p->request, &session)) {
        memcpy(p->key, session.key, sizeof(p->key));
        return true;
    }
    (void)snprintf(name, sizeof(name), "%d %s", (int)p->caller.how, p->caller.name);
    return sessions_key(p->request->service->sessions, span_str(name), p->key, err);
}

/* The form has a valid token for this caller. Requests with a bearer token need none: browsers do not add bearer tokens. */
static bool check_form(struct page *p, struct error *err)
{
    char token[PAGE_TOKEN_HEX + 1];
    struct span shown;

    if (!form_parse(&p->memory, buf_span(&p->request->body), &p->form, err)) {
        return page_fault(p, 400, TEXT_FAULT_400);
    }
    if (p->screen->roles == 0 || p->caller.how == CALLER_TOKEN) {
        return true;
    }
    shown = page_field(p, "csrf");
    bool is_ours = form_token(p, p->screen->path, token) && shown.len == PAGE_TOKEN_HEX &&
                   sodium_memcmp(shown.ptr, token, PAGE_TOKEN_HEX) == 0;
    return is_ours || page_fault(p, 403, TEXT_FAULT_FORM);
}

/* Redirects to the sign-in page, or to the passkey that its session waits for, which return here. */
static bool ask_to_sign_in(struct page *p)
{
    struct caller pending;

    if (page_identity_is_trusted(p->request)) {
        return page_fault(p, 403, TEXT_FAULT_PROXY);
    }
    if (p->is_post) {
        return page_fault(p, 401, TEXT_FAULT_401);
    }
    return redirect(p, &(struct location){.path = access_pending_caller(p->request, &pending) ? "/confirm" : "/login", .to = p->path});
}

/* --- the page ---------------------------------------------------------------------------- */

/* The first screen that the caller may see. */
static bool show_first(struct page *p)
{
    for (size_t i = 0; i < n_screens; i++) {
        if (screens[i].show != NULL && screen_is_for(&screens[i], &p->caller)) {
            return page_redirect(p, screens[i].path, span_of("", 0), p->notice);
        }
    }
    return page_fault(p, 403, TEXT_FAULT_403);
}

static bool show(struct page *p, struct error *err)
{
    page_begin(p, p->screen->title);
    if (!p->screen->show(p, err)) {
        return false;
    }
    if (p->request->reply.status != 0) {
        return true; /* the screen answered itself */
    }
    page_end(p);
    p->request->reply = (struct reply){.status = 200, .type = html_type, .cache = "no-store"};
    return !p->html.has_failed;
}

static void find_caller(struct page *p)
{
    if (!access_caller_of(p->request, &p->caller) && p->screen != NULL && p->screen->accepts_pending) {
        (void)access_pending_caller(p->request, &p->caller);
    }
}

static bool change(struct page *p, struct error *err)
{
    if (!check_form(p, err)) {
        return false;
    }
    if (p->screen->needs_fresh && p->caller.how != CALLER_PENDING && !access_is_fresh(p->request, &p->caller)) {
        return page_fault(p, 401, TEXT_FAULT_CONFIRM);
    }
    return p->screen->post(p, err);
}

static bool answer(struct page *p, struct error *err)
{
    bool is_home = p->path.len == 0 || span_is(p->path, "/");
    unsigned roles = p->screen == NULL ? ~0U : p->screen->roles;

    find_caller(p);
    if (!find_key(p, err)) {
        return false;
    }
    if (roles != 0 && p->caller.how == CALLER_NONE) {
        return ask_to_sign_in(p);
    }
    if (is_home && !p->is_post) {
        return show_first(p);
    }
    if (p->screen == NULL || (p->screen->needs_replicas && p->request->service->replicas == NULL)) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    if (roles != 0 && !screen_is_for(p->screen, &p->caller)) {
        return page_fault(p, 403, TEXT_FAULT_403);
    }
    if ((p->is_post ? p->screen->post : p->screen->show) == NULL) {
        return page_fault(p, 405, TEXT_FAULT_405);
    }
    return p->is_post ? change(p, err) : show(p, err);
}

/* --- what is wrong ------------------------------------------------------------------------- */

static void name_fault(struct page *p, const struct error *err)
{
    if (p->fault != 0) {
        return;
    }
    if (err->kind == ERROR_NOT_FOUND) {
        (void)page_fault(p, 404, TEXT_FAULT_404);
    } else if (err->kind == ERROR_NO_MEMORY || err->kind == ERROR_LIMIT) {
        (void)page_fault(p, 503, TEXT_FAULT_503);
    } else {
        log_error("page: %s", err->text);
        (void)page_fault(p, 500, TEXT_FAULT_500);
    }
}

static void put_ways(struct html *h, bool needs_confirmation)
{
    if (needs_confirmation) {
        HTML(h, "<p><a href=\"/review/confirm\">");
        html_word(h, TEXT_CONFIRM);
        HTML(h, "</a></p>");
    }
    HTML(h, "<p><a href=\"/review\">");
    html_word(h, TEXT_BACK);
    HTML(h, "</a></p>");
}

/* Replaces the output with an error page. */
static void show_fault(struct page *p)
{
    struct request *r = p->request;

    buf_clear(&r->answer);
    html_init(&p->html, &r->answer, p->html.language, p->html.err);
    page_begin(p, TEXT_FAULT_TITLE);
    put_ways(&p->html, p->fault_text == TEXT_FAULT_CONFIRM);
    page_end(p);
    if (p->html.has_failed) {
        buf_clear(&r->answer);
    }
    r->reply = (struct reply){.status = p->fault, .type = html_type, .cache = "no-store"};
}

/* --- a request --------------------------------------------------------------------------- */

/* The parameter, else the cookie, else the browser's preference. */
static enum language find_language(const struct request *r, struct page *p)
{
    struct span cookie = head_cookie(r->connection, "filterd-lang"), chosen = page_parameter(p, "lang");
    enum language language = language_accepted(request_header(r, "Accept-Language"));
    char line[64];

    (void)language_find(cookie, &language);
    if (language_find(chosen, &language)) {
        (void)snprintf(line, sizeof(line), "filterd-lang=%s; Path=/; HttpOnly; SameSite=Strict", language_code(language));
        (void)!head_lines_add(r->head, "Set-Cookie", span_str(line));
    }
    return language;
}

static bool send_file(struct request *r, struct span path)
{
    static const char folder[] = "/static/";
    struct static_file file;
    struct error err;

    if (!span_starts_with(path, span_str(folder)) ||
        !static_find(span_slice(path, sizeof(folder) - 1, path.len), &file) || !buf_append(&r->answer, file.content, &err)) {
        return false;
    }
    r->reply = (struct reply){.status = 200, .type = file.type, .cache = "public, max-age=31536000, immutable"};
    return true;
}

void page_run(struct request *r, struct span path, bool is_post)
{
    struct page p = {.path = path, .request = r, .is_post = is_post};
    struct error err = {.text = "an error without a text"};

    if (r->head == NULL) {
        request_overload(r, "out of memory");
        return;
    }
    if (send_file(r, path)) {
        return;
    }
    arena_init(&p.memory, 0, PAGE_MEMORY);
    html_init(&p.html, &r->answer, find_language(r, &p), &err);
    p.screen = screen_find(path, &p.part);
    p.notice = text_find_notice(page_parameter(&p, "notice"));
    p.has_index = r->service->following.is_on;
    p.behind_ms = p.has_index ? following_behind_ms(&r->service->following) : 0;
    if (!answer(&p, &err)) {
        name_fault(&p, &err);
        show_fault(&p);
    }
    arena_deinit(&p.memory);
}

bool page_is_urgent(struct span path, bool is_post)
{
    struct span part;
    const struct screen *screen = screen_find(path, &part);

    return is_post && screen != NULL && screen->is_urgent;
}
