/* screen_login.c - signing in with a token, signing out, extending the session. */
#include <arpa/inet.h>

#include "base/clock.h"
#include "base/log.h"
#include "signin/head_lines.h"
#include "page/frame.h"
#include "page/screens.h"
#include "service/access_session.h"

static void put_form(struct page *p)
{
    struct html *h = &p->html;

    form_begin(p, "/login", span_of("", 0));
    form_hidden(p, "to", page_parameter(p, "to"));
    HTML(h, "<label for=\"token\">");
    html_word(h, TEXT_TOKEN);
    HTML(h, "</label><input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"current-password\" required "
            "aria-describedby=\"token-help\" spellcheck=\"false\"><p id=\"token-help\">");
    html_word(h, TEXT_TOKEN_HELP);
    HTML(h, "</p>");
    form_button(p, TEXT_SIGN_IN);
    form_end(p);
}

/* A link from another site arrives without the cookie (SameSite=Strict); a link on this page sends it. */
bool login_show(struct page *p, struct error *err)
{
    struct span part;

    (void)err;
    put_form(p);
    const char *path = page_destination(page_parameter(p, "to"), &part);
    HTML(&p->html, "<p><a href=\"");
    page_address(p, path, part);
    HTML(&p->html, "\">");
    html_word(&p->html, TEXT_CONTINUE);
    HTML(&p->html, "</a></p>");
    return true;
}

/* The peer's address; all peers of a Unix socket share one. */
static void read_address(const struct request *r, char text[INET6_ADDRSTRLEN])
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info == NULL ? NULL : info->client_addr;

    text[0] = '\0';
    if (a != NULL && a->sa_family == AF_INET) {
        (void)inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)a)->sin_addr, text, INET6_ADDRSTRLEN);
    } else if (a != NULL && a->sa_family == AF_INET6) {
        (void)inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, text, INET6_ADDRSTRLEN);
    }
}

/* Ends the browser's previous session, so that a planted id is useless (session fixation). */
static bool open_session(struct page *p, const uint8_t hash[TOKEN_HASH], bool is_secure, struct error *err)
{
    struct sessions *sessions = p->request->service->sessions;
    char id[SESSION_ID_TEXT + 1];
    struct span part;

    access_end_session(p->request);
    if (!sessions_open(sessions, hash, is_secure, (uint64_t)clock_monotonic_ms(), id, err)) {
        return false;
    }
    const char *path = page_destination(page_field(p, "to"), &part);
    return access_set_cookie(p->request, is_secure, id) ? page_redirect(p, path, part, TEXT_NONE) : page_fault(p, 500, TEXT_FAULT_500);
}

bool login_post(struct page *p, struct error *err)
{
    struct sessions *sessions = p->request->service->sessions;
    struct span token = page_field(p, "token");
    uint64_t now_ms = (uint64_t)clock_monotonic_ms();
    char address[INET6_ADDRSTRLEN];
    uint8_t hash[TOKEN_HASH];
    bool is_secure = false;

    if (!access_may_sign_in(p->request, &is_secure)) {
        return page_fault(p, 403, TEXT_FAULT_INSECURE);
    }
    read_address(p->request, address);
    if (!sessions_may_try(sessions, span_str(address), now_ms)) {
        return page_fault(p, 429, TEXT_FAULT_429);
    }
    token_hash(token, hash);
    if (service_role(p->request->service, token) == 0) {
        log_warn("page: a failed attempt to sign in");
        sessions_count_failure(sessions, span_str(address), now_ms);
        return page_fault(p, 401, TEXT_FAULT_TOKEN);
    }
    return open_session(p, hash, is_secure, err);
}

bool logout_post(struct page *p, struct error *err)
{
    (void)err;
    access_end_session(p->request);
    return (access_set_cookie(p->request, true, "") && access_set_cookie(p->request, false, "")) ? page_redirect(p, "/login", span_of("", 0), TEXT_NOTICE_SIGNED_OUT)
                                                                  : page_fault(p, 500, TEXT_FAULT_500);
}

bool extend_post(struct page *p, struct error *err)
{
    bool is_limited = false;

    (void)err;
    if (!access_extend_session(p->request, &is_limited)) {
        return page_fault(p, 401, TEXT_FAULT_401);
    }
    return page_redirect(p, "", span_of("", 0), is_limited ? TEXT_NOTICE_EXTENDED_LAST : TEXT_NOTICE_EXTENDED);
}
