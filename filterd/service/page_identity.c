#include "service/page_identity.h"

#include <stdlib.h>
#include <strings.h>

#include "base/file.h"
#include "service/listener.h"
#include "text/visible.h"

enum { FILE_MAX = 256 * 1024, MEMORY_MAX = 4 * 1024 * 1024 };

/* Roles with access to the page; caller, proxy and reporter have none. */
static const char *const role_names[] = {"reviewer", "approver", "auditor", "operator", "admin", NULL};

static const struct field group_name = {"group", &field_text, FIELD_AT(struct page_group, name), .initial = NULL};

const struct field page_group_fields[] = {
    {"role", &field_choice, FIELD_AT(struct page_group, role), .names = role_names, .is_required = true},
    {"tenant", &field_text, FIELD_AT(struct page_group, tenant), 1, TOKEN_TENANT_MAX, .initial = NULL},
    {0},
};

const struct field page_identity_fields[] = {
    {"user", &field_string, FIELD_AT(struct page_identity, user), 1, PAGE_HEADER_MAX, .is_required = true},
    {"groups", &field_string, FIELD_AT(struct page_identity, groups), 1, PAGE_HEADER_MAX, .is_required = true},
    {"certificate", &field_string, FIELD_AT(struct page_identity, certificate), 1, 255, .initial = NULL},
    {"map", &field_map, FIELD_LIST_AT(struct page_identity, map, n_map), 1, PAGE_GROUPS_MAX, .fields = page_group_fields,
     .entry = sizeof(struct page_group), .key = &group_name, .is_required = true},
    {0},
};

static bool check_map(const struct page_identity *i, const struct yaml_node *root, struct error *err)
{
    for (size_t n = 0; n < i->n_map; n++) {
        unsigned role = role_find(span_str(role_names[i->map[n].role]));
        if (role == ROLE_ADMIN && i->map[n].tenant.len > 0) {
            return yaml_error(yaml_get(root, "map"), err, "map: an admin without a tenant expected");
        }
        if (i->map[n].name.len == 0 || memchr(i->map[n].name.ptr, ',', i->map[n].name.len) != NULL) {
            return yaml_error(yaml_get(root, "map"), err, "map: names of groups without commas expected");
        }
    }
    return true;
}

static bool read_file(struct page_identity *i, const char *path, struct error *err)
{
    const struct field_reader reader = {.arena = &i->memory};
    const struct yaml_node *root = NULL;
    struct buf text;
    struct span copy;

    buf_init(&text, FILE_MAX);
    bool is_read = file_read(path, &text, err) && arena_copy(&i->memory, buf_span(&text), &copy, err) &&
                   fields_parse(&i->memory, path, copy, &root, err) &&
                   fields_read(&reader, page_identity_fields, root, i, err) && check_map(i, root, err);
    buf_deinit(&text);
    return is_read;
}

struct page_identity *page_identity_load(const char *path, struct error *err)
{
    struct page_identity *i = calloc(1, sizeof(*i));

    if (i == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
        return NULL;
    }
    arena_init(&i->memory, 0, MEMORY_MAX);
    if (!read_file(i, path, err)) {
        page_identity_free(i);
        return NULL;
    }
    return i;
}

void page_identity_free(struct page_identity *i)
{
    if (i != NULL) {
        arena_deinit(&i->memory);
        free(i);
    }
}

/* --- a caller ------------------------------------------------------------------------------ */

/* The syntax of names of tokens, which excludes names of Unix users ("uid 0"). */
static bool is_name(struct span name)
{
    bool is_whole = name.len > 0 && name.len <= TOKEN_NAME_MAX && text_is_visible(name);

    return is_whole && memchr(name.ptr, ' ', name.len) == NULL && memchr(name.ptr, ':', name.len) == NULL;
}

static const struct page_group *find_group(const struct page_identity *i, struct span name)
{
    for (size_t n = 0; n < i->n_map; n++) {
        if (span_equal(i->map[n].name, name)) {
            return &i->map[n];
        }
    }
    return NULL;
}

static struct span trim(struct span s)
{
    while (s.len > 0 && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) {
        s = span_slice(s, 1, s.len);
    }
    while (s.len > 0 && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t')) {
        s.len--;
    }
    return s;
}

/* False: groups of different tenants, or with and without a tenant, are ambiguous. */
static bool add_group(const struct page_group *g, struct caller *out)
{
    bool is_first = out->roles == 0;

    out->roles |= role_find(span_str(role_names[g->role]));
    if (is_first) {
        (void)snprintf(out->tenant, sizeof(out->tenant), SPAN_FMT, SPAN_ARG(g->tenant));
    }
    return span_is(g->tenant, out->tenant);
}

static bool add_groups(const struct page_identity *i, struct span groups, struct caller *out)
{
    while (groups.len > 0) {
        const char *comma = memchr(groups.ptr, ',', groups.len);
        size_t len = comma == NULL ? groups.len : (size_t)(comma - groups.ptr);
        const struct page_group *g = find_group(i, trim(span_slice(groups, 0, len)));
        if (g != NULL && !add_group(g, out)) {
            return false;
        }
        groups = span_slice(groups, comma == NULL ? len : len + 1, groups.len);
    }
    return out->roles != 0;
}

bool page_identity_caller(const struct page_identity *i, struct span user, struct span groups, struct caller *out)
{
    struct caller caller = {.how = CALLER_PROXY};

    if (!is_name(user) || groups.len > PAGE_GROUPS_TEXT_MAX || !add_groups(i, groups, &caller)) {
        return false;
    }
    (void)snprintf(caller.name, sizeof(caller.name), SPAN_FMT, SPAN_ARG(user));
    *out = caller;
    return true;
}

/* --- a request ------------------------------------------------------------------------------- */

struct counted {
    const struct page_identity *identity;
    unsigned users, groups;
};

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result count(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct counted *c = context;

    (void)kind;
    (void)value;
    c->users += strcasecmp(name, c->identity->user) == 0;
    c->groups += strcasecmp(name, c->identity->groups) == 0;
    return MHD_YES;
}

bool page_identity_is_trusted(const struct request *r)
{
    const struct page_identity *i = r->service->page_identity;
    const struct listener *l = r->listener;

    if (i == NULL || l->kind != LISTENER_OPERATORS) {
        return false;
    }
    if (l->address.kind == ADDRESS_UNIX) {
        return true; /* access_check has seen that the peer is the service's user or root */
    }
    const union MHD_ConnectionInfo *session = MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return i->certificate != NULL && r->service->tls != NULL && tls_client_ca(r->service->tls) != NULL && session != NULL &&
           tls_is_peer_trusted(session->tls_session) && tls_peer_has_name(session->tls_session, i->certificate);
}

bool page_identity_is_misplaced(const struct request *r, bool is_page)
{
    struct counted c = {.identity = r->service->page_identity};

    if (c.identity == NULL || r->listener->kind != LISTENER_OPERATORS) {
        return false;
    }
    (void)MHD_get_connection_values(r->connection, MHD_HEADER_KIND, count, &c);
    return c.users > 1 || c.groups > 1 || (c.users + c.groups > 0 && (!is_page || !page_identity_is_trusted(r)));
}
