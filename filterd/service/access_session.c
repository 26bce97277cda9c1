#include "service/access_session.h"

#include "base/clock.h"
#include "signin/head_lines.h"
#include "service/listener.h"

const char *access_cookie_name(bool is_secure)
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

bool access_extend_session(const struct request *r)
{
    struct session session;
    struct span id;

    return find_any(r, &id, &session) && sessions_extend(r->service->sessions, id, (uint64_t)clock_monotonic_ms());
}

void access_end_session(const struct request *r)
{
    struct session session;
    struct span id;

    while (find_any(r, &id, &session)) {
        sessions_close(r->service->sessions, id);
    }
}
