/* page_identity.h - who is signed in to the review page by the word of an authenticating reverse proxy: the file of the option
 * page-identity (filterd-page(7)), and the headers of a request.
 *
 * The proxy is believed on the operators' Unix socket, or with a client certificate of the name in the file. The headers on any
 * other connection of that listener, for any other route, or twice, are a fault: somebody tries to be somebody. Read once. */
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
    const char *certificate;   /* NULL: no connection over TCP is believed */
    const struct page_group *map;
    size_t n_map;
};

extern const struct field page_identity_fields[], page_group_fields[];

/* NULL on failure: "file:line:column: what was expected". */
struct page_identity *page_identity_load(const char *path, struct error *err);
void page_identity_free(struct page_identity *i); /* accepts NULL */

/* The caller that these values mean: one name, and the roles of all groups that are in the map, separated by commas. False: no
 * name, none of the groups, or groups of different tenants. Pure. */
bool page_identity_caller(const struct page_identity *i, struct span user, struct span groups, struct caller *out);

/* The headers are there, and must not be; false without a page identity. */
bool page_identity_is_misplaced(const struct request *r, bool is_page);
/* This connection is the proxy's: its header alone says who it is. */
bool page_identity_is_trusted(const struct request *r);

#endif
