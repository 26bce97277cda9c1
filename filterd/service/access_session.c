#include "service/access_session.h"

#include <limits.h>
#include <stdio.h>

#include "base/clock.h"
#include "signin/head_lines.h"
#include "service/listener.h"

static const char *access_cookie_name(bool is_secure)
{
    return is_secure ? "__Host-filterd" : "filterd";
}

bool access_may_sign_in(const struct request *r, bool *is_secure)
{
    const struct listener *l = r->listener;
    bool has_tls = r->service->tls != NULL && l->address.kind == ADDRESS_TCP;

    *is_secure = has_tls || span_starts_with(request_header(r, "Origin"), span_str("https://"));
    return l->kind == LISTENER_OPERATORS && (has_tls || address_is_local(&l->address));
}

static bool find(const struct request *r, bool is_secure, struct span *id, struct session *out)
{
    *id = head_cookie(r->connection, access_cookie_name(is_secure));
    return sessions_find(r->service->sessions, *id, is_secure, (uint64_t)clock_monotonic_ms(), out);
}

static bool find_any(const struct request *r, struct span *id, struct session *out)
{
    return find(r, true, id, out) || find(r, false, id, out);
}

bool access_session(const struct request *r, struct session *out)
{
    struct span id;

    return find_any(r, &id, out);
}

bool access_extend_session(const struct request *r, bool *is_limited)
{
    struct session session;
    struct span id;

    return find_any(r, &id, &session) && sessions_extend(r->service->sessions, id, (uint64_t)clock_monotonic_ms(), is_limited);
}

bool access_challenge(const struct request *r, uint8_t challenge[SESSION_CHALLENGE])
{
    struct session session;
    struct span id;

    return find_any(r, &id, &session) && sessions_challenge(r->service->sessions, id, (uint64_t)clock_monotonic_ms(), challenge);
}

bool access_take_challenge(const struct request *r, uint8_t challenge[SESSION_CHALLENGE])
{
    struct session session;
    struct span id;

    return find_any(r, &id, &session) && sessions_take_challenge(r->service->sessions, id, (uint64_t)clock_monotonic_ms(), challenge);
}

bool access_confirm_session(const struct request *r, int64_t passkey)
{
    char new_id[SESSION_ID_TEXT + 1];
    struct session session;
    struct span id;

    return find_any(r, &id, &session) && sessions_confirm(r->service->sessions, id, passkey, (uint64_t)clock_monotonic_ms(), new_id) &&
           access_set_cookie(r, session.is_secure, new_id);
}

bool access_is_fresh(const struct request *r, const struct caller *c)
{
    struct session session;

    return !access_needs_passkey(r->service, c) || c->how == CALLER_UID ||
           (access_session(r, &session) && session_is_fresh(&session, (uint64_t)clock_monotonic_ms()));
}

bool access_is_new(const struct request *r)
{
    struct session session;

    return access_session(r, &session) && session_is_new(&session, (uint64_t)clock_monotonic_ms());
}

bool access_set_cookie(const struct request *r, bool is_secure, const char *id)
{
    char line[160];

    (void)snprintf(line, sizeof(line), "%s=%s; Path=/; HttpOnly; SameSite=Strict%s%s", access_cookie_name(is_secure), id,
                   is_secure ? "; Secure" : "", id[0] == '\0' ? "; Max-Age=0" : "");
    return head_lines_add(r->head, "Set-Cookie", span_str(line));
}

void access_end_session(const struct request *r)
{
    struct session session;
    struct span id;

    while (find_any(r, &id, &session)) {
        sessions_close(r->service->sessions, id);
    }
}

/* --- the options page-passkeys and page-origin ----------------------------------------- */

static bool uses_passkeys(const struct service_options *o)
{
    return o->page_passkeys != NULL && strcmp(o->page_passkeys, "off") != 0;
}

bool access_init_passkeys(struct service *s, struct error *err)
{
    const struct service_options *o = s->options;
    struct error why;

    if (!uses_passkeys(o)) {
        return o->page_origin == NULL || error_set(err, ERROR_INVALID, "page-origin: only with page-passkeys");
    }
    if (o->page_identity != NULL) {
        return error_set(err, ERROR_INVALID, "page-passkeys: not with page-identity, whose proxy demands the second factor");
    }
    if (o->tokens == NULL || o->state_directory == NULL) {
        return error_set(err, ERROR_INVALID, "page-passkeys: tokens and a state directory expected");
    }
    s->requires_passkeys = strcmp(o->page_passkeys, "required") == 0;
    return passkey_site_read(o->page_origin, &s->passkey_site, &why) || error_set(err, ERROR_INVALID, "page-origin: %s", why.text);
}

bool access_open_passkeys(struct service *s, struct error *err)
{
    char path[PATH_MAX];

    if (!uses_passkeys(s->options)) {
        return true;
    }
    (void)snprintf(path, sizeof(path), "%s/passkeys.db", s->options->state_directory);
    s->passkeys = passkeys_open(path, err);
    return s->passkeys != NULL;
}
