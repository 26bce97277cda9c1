/* upstream.h - the upstreams of the proxy, by name (filterd-upstreams(5)).
 *
 * A set is immutable and reference-counted: a request holds the set it started with, a reload swaps a
 * pointer. A credential is only in memory, is wiped with its set, and never appears in an error. */
#ifndef FILTERD_UPSTREAM_UPSTREAM_H
#define FILTERD_UPSTREAM_UPSTREAM_H

#include <stdatomic.h>

#include "base/arena.h"
#include "policy/policy.h"
#include "protocol/protocol.h"

enum { UPSTREAM_NAME_MAX = 64, UPSTREAMS_MAX = 256 };

/* The header for an API's key; `prefix` precedes the key in the value. */
struct credential_header {
    const char *name, *prefix;
};

/* What an operator says of a route; zero: nothing. */
enum route_rule { ROUTE_RULE_NONE, ROUTE_RULE_REFUSE, ROUTE_RULE_JUDGE, ROUTE_RULE_PASS };

struct upstream_route {
    struct span path; /* as in protocols: a star is one step, at the end all that follow */
    enum route_rule rule;
};

struct upstream {
    struct span name;
    const struct protocol *protocol;
    const char *protocol_name;
    const struct credential_header *header;
    const char *url; /* scheme, host, port and optional path; no slash at the end */
    unsigned port;
    const char *credential_file, *ca; /* NULL: none; the system's */
    const char *credential;           /* NULL: forward the client's key */
    enum block_style block;
    enum other_routes other_routes;
    const struct upstream_route *routes; /* in the file's order: the first that matches counts */
    size_t n_routes;
    struct span policy, tenant; /* empty: the tenant's, none */
    unsigned policy_line, policy_column;
    bool http2;
    uint64_t connect_timeout, first_byte_timeout, idle_timeout, heartbeat; /* seconds */
    uint64_t request_max, answer_max, event_max;                           /* bytes */
};

struct upstreams {
    atomic_uint references;
    struct arena memory;
    const char *file;
    struct upstream *items; /* in the file's order */
    size_t n;
};

/* Parses YAML; reads no other file, so credentials remain NULL. `file` is for errors:
 * "file:line:column: what was expected". NULL on failure. */
struct upstreams *upstreams_parse(const char *file, struct span yaml, struct error *err);
/* Loads the file and the credentials it names. */
struct upstreams *upstreams_load(const char *path, struct error *err);
/* Both accept NULL. */
struct upstreams *upstreams_ref(struct upstreams *u);
void upstreams_unref(struct upstreams *u);

/* NULL when there is none, or no set. */
const struct upstream *upstreams_find(const struct upstreams *u, struct span name);
bool upstreams_has_port(const struct upstreams *u, unsigned port);
/* What the operator says of this path of a client, with or without the API's version. */
enum route_rule upstream_route_rule(const struct upstream *u, struct span path);
/* The length of the upstream's URL to put before this path of a client: if both have a version of the API, the
 * client's is used. */
size_t upstream_base_length(const struct upstream *u, struct span path);
/* Checks that the snapshot has every named policy. */
MUST_CHECK bool upstreams_check_policies(const struct upstreams *u, const struct snapshot *snapshot,
                                         struct error *err);

#endif
