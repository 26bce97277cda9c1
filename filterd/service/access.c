#include "service/access.h"

#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/access_session.h"
#include "service/listener.h"
#include "service/page_identity.h"

/* Of a Unix socket. */
static bool find_peer(const struct request *r, uid_t *uid)
{
    const union MHD_ConnectionInfo *info =
        r->source != NULL ? NULL : MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct ucred peer;
    socklen_t len = sizeof(peer);

    if (info == NULL || getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0) {
        return false;
    }
    *uid = peer.uid;
    return true;
}

static bool is_peer_owner(const struct request *r)
{
    uid_t uid = 0;

    return find_peer(r, &uid) && (uid == 0 || uid == geteuid());
}

/* Verifying costs more than judging a text, so the answer is kept with the connection. */
static bool has_client_certificate(const struct request *r)
{
    struct connection *kept = connection_of(r->connection);
    const union MHD_ConnectionInfo *session =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    if (kept == NULL || session == NULL) {
        return false;
    }
    if (kept->trust == PEER_UNKNOWN) {
        kept->trust = tls_is_peer_trusted(session->tls_session) ? PEER_TRUSTED : PEER_REFUSED;
    }
    return kept->trust == PEER_TRUSTED;
}

static bool wants_certificate(const struct listener *l)
{
    return l->service->tls != NULL && l->address.kind == ADDRESS_TCP && tls_client_ca(l->service->tls) != NULL;
}

static bool read_bearer(struct span header, struct span *token)
{
    static const char scheme[] = "Bearer ";
    size_t len = sizeof(scheme) - 1;

    if (header.len <= len || strncasecmp(header.ptr, scheme, len) != 0) {
        return false;
    }
    *token = span_slice(header, len, header.len);
    return true;
}

static bool shows_token(const struct request *r)
{
    return request_header(r, "Authorization").len > 0 || request_header(r, "X-Api-Key").len > 0;
}

/* Clients that cannot set Authorization send the token as it is. */
static bool read_token(const struct request *r, struct span *token)
{
    struct span header = request_header(r, "Authorization");

    if (header.len > 0) {
        return read_bearer(header, token);
    }
    *token = request_header(r, "X-Api-Key");
    *token = token->len > 0 ? *token : request_header(r, "X-Guardrailsai-Api-Key");
    return token->len > 0;
}

/* Under the service's lock, as a reload exchanges the tokens. False when there is none of that hash. */
static bool find_token(struct service *s, const uint8_t hash[TOKEN_HASH], struct caller *out)
{
    (void)pthread_mutex_lock(&s->lock);
    out->roles = tokens_role(s->tokens, hash);
    (void)snprintf(out->name, sizeof(out->name), "%s", tokens_name(s->tokens, hash));
    (void)snprintf(out->tenant, sizeof(out->tenant), "%s", tokens_tenant(s->tokens, hash));
    (void)pthread_mutex_unlock(&s->lock);
    return out->roles != 0;
}

enum { PEOPLE = ROLE_REVIEWER | ROLE_APPROVER | ROLE_AUDITOR | ROLE_OPERATOR | ROLE_ADMIN };

static bool is_person(const struct caller *c)
{
    return (c->roles & PEOPLE) != 0;
}

bool access_needs_passkey(struct service *s, const struct caller *c)
{
    return s->passkeys != NULL && is_person(c) && (s->requires_passkeys || passkeys_has(s->passkeys, c->name));
}

static bool is_first_factor(const struct request *r, const struct caller *c)
{
    struct service *s = r->service;

    return s->passkeys != NULL && is_person(c) && ((s->requires_passkeys && r->head != NULL) || passkeys_has(s->passkeys, c->name));
}

static bool find_by_token(const struct request *r, struct caller *out)
{
    uint8_t hash[TOKEN_HASH];
    struct span token;

    if (!read_token(r, &token) || token.len < TOKEN_MIN || token.len > TOKEN_MAX) {
        return false;
    }
    token_hash(token, hash);
    out->how = CALLER_TOKEN;
    return find_token(r->service, hash, out) && !is_first_factor(r, out);
}

static bool find_by_uid(const struct request *r, struct caller *out)
{
    uid_t uid = 0;

    if (r->listener->kind != LISTENER_OPERATORS || r->listener->address.kind != ADDRESS_UNIX || !find_peer(r, &uid) ||
        !is_peer_owner(r)) {
        return false;
    }
    *out = (struct caller){.how = CALLER_UID, .roles = ROLE_OPERATOR | ROLE_ADMIN};
    (void)snprintf(out->name, sizeof(out->name), "uid %u", uid);
    return true;
}

/* By a passkey that was not removed since. */
static bool is_confirmed(struct service *s, const struct session *session, const struct caller *c)
{
    return !access_needs_passkey(s, c) || (session->passkey != 0 && passkeys_has_number(s->passkeys, c->name, session->passkey));
}

/* The token of the session is looked up anew: who lost it, or a role, or reaches another tenant, does so at once. */
static bool find_by_session(const struct request *r, struct caller *out)
{
    struct session session;

    if (r->head == NULL || !access_session(r, &session)) {
        return false;
    }
    out->how = CALLER_SESSION;
    return find_token(r->service, session.owner, out) && is_confirmed(r->service, &session, out);
}

bool access_pending_caller(const struct request *r, struct caller *out)
{
    struct session session;

    *out = (struct caller){0};
    if (shows_token(r) || page_identity_is_trusted(r) || !access_session(r, &session)) {
        return false;
    }
    bool is_pending = find_token(r->service, session.owner, out) && !is_confirmed(r->service, &session, out);
    out->how = CALLER_PENDING;
    if (!is_pending) {
        *out = (struct caller){0};
    }
    return is_pending;
}

bool access_caller_of(const struct request *r, struct caller *out)
{
    *out = (struct caller){0};
    if (r->head != NULL && page_identity_is_trusted(r)) {
        const struct page_identity *i = r->service->page_identity;
        return page_identity_caller(i, request_header(r, i->user), request_header(r, i->groups), out);
    }
    bool is_known = shows_token(r) ? find_by_token(r, out) : find_by_session(r, out) || find_by_uid(r, out);
    if (!is_known) {
        *out = (struct caller){0};
    }
    return is_known;
}

bool caller_has(const struct caller *c, unsigned roles)
{
    return (c->roles & (roles | ROLE_ADMIN)) != 0;
}

const char *caller_role(const struct caller *c, unsigned roles)
{
    return role_name((c->roles & roles) != 0 ? c->roles & roles : c->roles);
}

bool caller_sees(const struct caller *c, struct span tenant)
{
    return c->how != CALLER_NONE && (c->tenant[0] == '\0' || span_is(tenant, c->tenant));
}

/* As a value of a query: nothing in it means more than itself. */
static bool put_tenant(struct buf *text, const char *tenant, struct error *err)
{
    bool is_put = buf_append_str(text, "tenant:\"", err);

    for (const char *c = tenant; *c != '\0' && is_put; c++) {
        is_put = ((*c != '"' && *c != '\\') || buf_append_char(text, '\\', err)) && buf_append_char(text, *c, err);
    }
    return is_put && buf_append_str(text, "\" ", err);
}

static struct query *compile_limited(const char *tenant, struct span text, int64_t now_ns, struct error *err)
{
    struct query *query = NULL;
    struct buf limited;

    buf_init(&limited, 2 * QUERY_TEXT_MAX);
    if (put_tenant(&limited, tenant, err) && buf_append(&limited, text, err)) {
        query = query_compile(buf_span(&limited), now_ns, err);
    }
    buf_deinit(&limited);
    return query;
}

/* Every term must hold, so one more takes away and never adds. The text is compiled by itself first: its errors count its own
 * columns, and what is no query cannot become one behind the term. */
struct query *access_query(const struct caller *c, struct span text, int64_t now_ns, struct error *err)
{
    if (c->how == CALLER_NONE) {
        error_set(err, ERROR_DENIED, "query: a caller who is known expected");
        return NULL;
    }
    struct query *query = query_compile(text, now_ns, err);
    if (query == NULL || c->tenant[0] == '\0') {
        return query;
    }
    query_free(query);
    return compile_limited(c->tenant, text, now_ns, err);
}

static unsigned check_role(const struct request *r, struct span token, unsigned roles)
{
    unsigned role = service_role(r->service, token);

    if (role == 0) {
        return 401;
    }
    return (role & (roles | ROLE_ADMIN)) != 0 ? 0 : 403;
}

static unsigned check_token(const struct request *r, unsigned roles)
{
    struct caller caller = {0};

    if (!find_by_token(r, &caller)) {
        return 401;
    }
    if ((roles & ACCESS_PERSON) != 0 && r->service->requires_passkeys && is_person(&caller)) {
        return 403;
    }
    bool is_shown = caller.tenant[0] == '\0' || (roles & ACCESS_TENANTS) != 0;
    return is_shown && caller_has(&caller, roles) ? 0 : 403;
}

unsigned access_check(const struct request *r, unsigned roles)
{
    const struct listener *l = r->listener;

    if (roles == 0) {
        return 0;
    }
    if (wants_certificate(l) && !has_client_certificate(r)) {
        return 403;
    }
    if (l->kind == LISTENER_OPERATORS && l->address.kind == ADDRESS_UNIX) {
        if (!is_peer_owner(r)) {
            return 403;
        }
        if (!shows_token(r)) {
            return 0;
        }
    }
    if ((roles & ACCESS_PAGE) != 0) {
        return 0;
    }
    return service_token_count(r->service) > 0 ? check_token(r, roles) : 0;
}

void access_owner(const struct request *r, struct stream_owner *owner)
{
    struct span token;
    uid_t uid = 0;

    *owner = (struct stream_owner){0};
    _Static_assert(sizeof(owner->bytes) == TOKEN_HASH, "an owner is a token's hash, or a uid");
    if (service_token_count(r->service) > 0 && read_token(r, &token)) {
        token_hash(token, owner->bytes);
    } else if (r->listener->address.kind == ADDRESS_UNIX && find_peer(r, &uid)) {
        memcpy(owner->bytes, &uid, sizeof(uid));
        owner->bytes[sizeof(owner->bytes) - 1] = 1; /* so that uid 0 differs from "unknown" */
    }
}

void access_conversation_owner(const struct request *r, struct conversation_owner *owner)
{
    static const char *const credentials[] = {"X-Filterd-Token", "Authorization", "X-Api-Key", "X-Goog-Api-Key"};
    struct stream_owner peer;

    _Static_assert(sizeof(peer.bytes) == sizeof(owner->bytes) && TOKEN_HASH == sizeof(owner->bytes), "an owner is a hash");
    for (size_t i = 0; i < COUNT(credentials); i++) {
        struct span credential = request_header(r, credentials[i]);
        if (credential.len > 0) {
            token_hash(credential, owner->bytes);
            return;
        }
    }
    access_owner(r, &peer);
    memcpy(owner->bytes, peer.bytes, sizeof(owner->bytes));
}

struct span access_conversation_id(const struct identity *who, char id[CONVERSATION_ID_MAX])
{
    struct span tenant = identity_tenant(who);

    if (who->session.len == 0) {
        return span_of("", 0);
    }
    int n = snprintf(id, CONVERSATION_ID_MAX, SPAN_FMT "\n" SPAN_FMT, SPAN_ARG(tenant), SPAN_ARG(who->session));
    return span_of(id, n < CONVERSATION_ID_MAX ? (size_t)n : CONVERSATION_ID_MAX - 1);
}

bool access_is_private(const struct request *r)
{
    return r->service->tls != NULL || address_is_local(&r->listener->address);
}

void access_name(const struct request *r, char name[ACCESS_NAME])
{
    struct span token;
    uid_t uid = 0;

    (void)snprintf(name, ACCESS_NAME, "operator");
    if (read_token(r, &token) && service_token_name(r->service, token, name, ACCESS_NAME)) {
        return;
    }
    if (r->listener->address.kind == ADDRESS_UNIX && find_peer(r, &uid)) {
        (void)snprintf(name, ACCESS_NAME, "uid %u", uid);
    }
}

const char *access_role(const struct request *r)
{
    struct span token;
    unsigned role = read_token(r, &token) ? service_role(r->service, token) : 0;

    return role_name(role == 0 ? ROLE_OPERATOR : role);
}

/* Only a token that is known tells callers apart: any other text could be made up anew for each request. */
unsigned access_caller(const struct request *r)
{
    static const char *const headers[] = {"X-Filterd-Token", "Authorization", "X-Api-Key", "x-goog-api-key"};
    bool has_tokens = service_token_count(r->service) > 0;
    uint8_t hash[TOKEN_HASH];
    unsigned number = r->source != NULL ? r->source->caller : 0;
    uid_t uid = 0;

    if (!has_tokens && r->listener->address.kind == ADDRESS_UNIX && find_peer(r, &uid)) {
        number = uid + 2U;
    }
    for (size_t i = 0; has_tokens && number == 0 && i < COUNT(headers); i++) {
        struct span token = request_header(r, headers[i]);
        (void)read_bearer(token, &token);
        if (service_role(r->service, token) != 0) {
            token_hash(token, hash);
            memcpy(&number, hash, sizeof(number));
        }
    }
    return number == 0 ? 1 : number;
}

/* In place of a key that ours replaces. Some clients send two, of which one may be the token. */
static unsigned check_keys(const struct request *r, const char *key_header)
{
    struct span token;
    unsigned status = 401;

    if (read_bearer(request_header(r, "Authorization"), &token)) {
        status = check_role(r, token, ROLE_PROXY);
    }
    unsigned other = status == 0 ? 0 : check_role(r, request_header(r, key_header), ROLE_PROXY);
    return other == 0 || status == 401 ? other : status;
}

unsigned access_check_proxy(const struct request *r, const char *key_header)
{
    struct span token = request_header(r, "X-Filterd-Token");

    if (r->source != NULL) {
        return 0; /* its connection was authenticated */
    }
    if (wants_certificate(r->listener) && !has_client_certificate(r)) {
        return 403;
    }
    if (service_token_count(r->service) == 0) {
        return 0;
    }
    return token.len > 0 || key_header == NULL ? check_role(r, token, ROLE_PROXY)
                                               : check_keys(r, key_header);
}

void access_proxy_token(const struct request *r, const char *key_header, uint8_t hash[TOKEN_HASH])
{
    struct span tokens[] = {request_header(r, "X-Filterd-Token"), {0}, key_header == NULL ? (struct span){0} : request_header(r, key_header)};

    memset(hash, 0, TOKEN_HASH);
    (void)read_bearer(request_header(r, "Authorization"), &tokens[1]);
    for (size_t i = 0; i < COUNT(tokens); i++) {
        if (check_role(r, tokens[i], ROLE_PROXY) == 0) {
            token_hash(tokens[i], hash);
            return;
        }
    }
}

bool access_may_still_proxy(struct service *s, const uint8_t hash[TOKEN_HASH])
{
    struct caller caller = {0};

    return service_token_count(s) == 0 || (find_token(s, hash, &caller) && caller_has(&caller, ROLE_PROXY));
}
