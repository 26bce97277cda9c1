/* page_identity.h - users of the review page that an authenticating reverse proxy identifies: the file of the option page-identity
 * (filterd-page(7)), and the headers of a request.
 *
 * The proxy is trusted on the operators' Unix socket, or with a client certificate with the configured name. Headers on another
 * connection of that listener, with another route, or duplicated, are an attempt to impersonate and are refused. Read once. */
#ifndef FILTERD_SERVICE_PAGE_IDENTITY_H
#define FILTERD_SERVICE_PAGE_IDENTITY_H

#include "base/fields.h"
#include "service/access.h"

enum { PAGE_GROUPS_MAX = 256, PAGE_HEADER_MAX = 64, PAGE_GROUPS_TEXT_MAX = 8192 };

struct page_group {
    struct span name;
    unsigned role;      /* index into page_role_names */
    struct span tenant; /* empty: all */
};

struct page_identity {
    struct arena memory;
    const char *user, *groups; /* names of headers */
    const char *certificate;   /* NULL: no TCP connection is trusted */
    const struct page_group *map;
    size_t n_map;
};

extern const struct field page_identity_fields[], page_group_fields[];

/* NULL on failure: "file:line:column: what was expected". */
struct page_identity *page_identity_load(const char *path, struct error *err);
void page_identity_free(struct page_identity *i); /* accepts NULL */

/* The caller with the name `user` and the roles of all of `groups` (separated by commas) that are in the map. False: no name, no
 * known group, or groups of different tenants. Pure. */
bool page_identity_caller(const struct page_identity *i, struct span user, struct span groups, struct caller *out);

/* The headers are present but not permitted; false without a page identity. */
bool page_identity_is_misplaced(const struct request *r, bool is_page);
/* The connection is the proxy's: only its headers identify the user. */
bool page_identity_is_trusted(const struct request *r);

#endif
