#include "page/frame.h"

#include "base/digest.h"
#include "page/screens.h"
#include "page/static.h"

void page_address(struct page *p, const char *path, struct span part)
{
    const char *brace = strchr(path, '{');
    size_t before = brace == NULL ? strlen(path) : (size_t)(brace - path);

    HTML(&p->html, "/review");
    html_attribute(&p->html, span_of(path, before));
    if (brace != NULL) {
        html_url(&p->html, part);
        html_attribute(&p->html, span_str(strchr(brace, '}') + 1));
    }
}

/* --- forms ---------------------------------------------------------------------- */

bool form_token(const struct page *p, const char *path, char hex[PAGE_TOKEN_HEX + 1])
{
    struct error ignored;

    _Static_assert((int)PAGE_TOKEN_HEX == (int)DIGEST_TOKEN_HEX && (int)PAGE_KEY == (int)DIGEST_KEY, "one HMAC");
    return digest_token(p->key, span_str(path), hex, &ignored);
}

void form_begin(struct page *p, const char *path, struct span part)
{
    struct html *h = &p->html;
    char token[PAGE_TOKEN_HEX + 1] = "";

    HTML(h, "<form method=\"post\" action=\"");
    page_address(p, path, part);
    HTML(h, "\">");
    if (!form_token(p, path, token)) {
        token[0] = '\0'; /* the server then refuses the form */
    }
    form_hidden(p, "csrf", span_str(token));
}

void form_end(struct page *p)
{
    HTML(&p->html, "</form>");
}

void form_hidden(struct page *p, const char *name, struct span value)
{
    HTML(&p->html, "<input type=\"hidden\" name=\"");
    html_attribute(&p->html, span_str(name));
    HTML(&p->html, "\" value=\"");
    html_attribute(&p->html, value);
    HTML(&p->html, "\">");
}

void form_button(struct page *p, enum text text)
{
    HTML(&p->html, "<button type=\"submit\">");
    html_word(&p->html, text);
    HTML(&p->html, "</button>");
}

/* --- frame ---------------------------------------------------------------------- */

/* One that was built in. */
static void put_script(struct html *h, const char *file)
{
    if (static_name(file).len > 0) {
        HTML(h, "<script defer src=\"/review/static/");
        html_attribute(h, static_name(file));
        HTML(h, "\"></script>");
    }
}

static void put_head(struct page *p, enum text title)
{
    struct html *h = &p->html;

    HTML(h, "<!doctype html>\n<html lang=\"");
    html_attribute(h, span_str(language_code(h->language)));
    HTML(h, "\"><head><meta charset=\"utf-8\"><title>");
    html_word(h, title);
    HTML(h, " – filterd</title><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            "<meta name=\"color-scheme\" content=\"light dark\"><link rel=\"stylesheet\" href=\"/review/static/");
    html_attribute(h, static_name("review.css"));
    HTML(h, "\"><link rel=\"icon\" type=\"image/svg+xml\" href=\"/review/static/");
    html_attribute(h, static_name("icon.svg"));
    HTML(h, "\">");
    put_script(h, "review.js");
    if (p->screen != NULL && p->screen->uses_passkeys) {
        put_script(h, "passkey.js");
    }
    if (p->screen != NULL && p->screen->opens_originals && static_name("age.js").len > 0) {
        put_script(h, "age.js");
        put_script(h, "unlock.js");
    }
    HTML(h, "</head>\n");
}

static bool is_in_navigation(const struct page *p, const struct screen *s)
{
    return s->show != NULL && strchr(s->path, '{') == NULL && !s->accepts_pending && screen_is_for(s, &p->caller) &&
           (!s->uses_passkeys || (p->request != NULL && p->request->service->passkeys != NULL)) &&
           (!s->needs_replicas || (p->request != NULL && p->request->service->replicas != NULL));
}

static void put_entry(struct page *p, const struct screen *s)
{
    struct html *h = &p->html;
    uint64_t n = 0;

    HTML(h, "<li><a href=\"");
    page_address(p, s->path, span_of("", 0));
    HTML(h, "\"");
    if (p->screen == s) {
        HTML(h, " aria-current=\"page\"");
    }
    HTML(h, ">");
    html_word(h, s->title);
    if (s->count != NULL && p->request != NULL && s->count(p, &n)) {
        HTML(h, " <span class=\"count\">");
        html_number(h, n);
        HTML(h, "</span>");
    }
    HTML(h, "</a></li>");
}

static void put_navigation(struct page *p)
{
    struct html *h = &p->html;

    HTML(h, "<nav aria-label=\"");
    html_word(h, TEXT_NAVIGATION);
    HTML(h, "\"><ul>");
    for (size_t i = 0; i < n_screens; i++) {
        if (is_in_navigation(p, &screens[i])) {
            put_entry(p, &screens[i]);
        }
    }
    HTML(h, "</ul></nav>");
}

static void put_caller(struct page *p)
{
    struct html *h = &p->html;

    HTML(h, "<div class=\"caller\"><span class=\"who\">");
    html_name(h, span_str(p->caller.name));
    HTML(h, " (");
    html_text(h, span_str(role_name(p->caller.roles)));
    if (p->caller.tenant[0] != '\0') {
        HTML(h, ", ");
        html_phrase(h, TEXT_LIMITED, span_str(p->caller.tenant));
    }
    HTML(h, ")</span>");
    if (p->caller.how == CALLER_SESSION) {
        form_begin(p, "/extend", span_of("", 0));
        form_button(p, TEXT_EXTEND);
        form_end(p);
    }
    if (p->caller.how == CALLER_SESSION || p->caller.how == CALLER_PENDING) {
        form_begin(p, "/logout", span_of("", 0));
        form_button(p, TEXT_SIGN_OUT);
        form_end(p);
    }
    HTML(h, "</div>");
}

static void put_index_state(struct page *p)
{
    HTML(&p->html, "<span class=\"indexed\">");
    if (p->has_index) {
        html_count(&p->html, TEXT_INDEXED, (p->behind_ms + 999) / 1000);
    } else {
        html_word(&p->html, TEXT_NO_INDEX);
    }
    HTML(&p->html, "</span>");
}

static void put_notice(struct page *p)
{
    struct html *h = &p->html;

    if (p->fault_text != TEXT_NONE) {
        HTML(h, "<p class=\"notice fault\" role=\"alert\">");
        html_word(h, p->fault_text);
        HTML(h, "</p>");
    } else if (p->notice != TEXT_NONE) {
        HTML(h, "<p class=\"notice\" role=\"status\">");
        html_word(h, p->notice);
        HTML(h, "</p>");
    }
}

void page_begin(struct page *p, enum text title)
{
    struct html *h = &p->html;

    put_head(p, title);
    HTML(h, "<body><a class=\"skip\" href=\"#content\">");
    html_word(h, TEXT_SKIP);
    HTML(h, "</a>\n<header><a class=\"brand\" href=\"/review\">filterd</a>");
    if (p->caller.how != CALLER_NONE && p->caller.how != CALLER_PENDING) {
        put_navigation(p);
        put_index_state(p);
    }
    if (p->caller.how != CALLER_NONE) {
        put_caller(p);
    }
    HTML(h, "</header>\n<main id=\"content\" tabindex=\"-1\"><h1>");
    html_word(h, title);
    HTML(h, "</h1>\n");
    put_notice(p);
}

/* Links to the same page in the other languages; the choice is kept in a cookie. */
static void put_languages(struct page *p)
{
    struct html *h = &p->html;

    HTML(h, "<nav aria-label=\"");
    html_word(h, TEXT_LANGUAGE);
    HTML(h, "\">");
    for (int i = 0; i < LANGUAGE_COUNT; i++) {
        struct span code = span_str(language_code((enum language)i));
        HTML(h, " <a lang=\"");
        html_attribute(h, code);
        HTML(h, "\" hreflang=\"");
        html_attribute(h, code);
        HTML(h, "\" href=\"?lang=");
        html_url(h, code);
        HTML(h, "\">");
        html_text(h, span_str(language_name((enum language)i)));
        HTML(h, "</a>");
    }
    HTML(h, "</nav>");
}

void page_end(struct page *p)
{
    HTML(&p->html, "\n</main>\n<footer>");
    put_languages(p);
    HTML(&p->html, "</footer></body></html>\n");
}
