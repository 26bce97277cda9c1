/* policy.h - the egress policy of a jail, read from one YAML file (filterd-egress(1)); immutable afterwards.
 *
 * Zero is strict: a zeroed policy has no rules and permits nothing; a zeroed rule has no host, no
 * method and no path, reaches only public addresses, judges requests and answers, and has a budget of
 * zero. Sizes are bytes, times milliseconds; EGRESS_NONE means no limit. Texts live as long as
 * the policy. Readable from any thread. */
#ifndef FILTERD_JAIL_EGRESS_POLICY_H
#define FILTERD_JAIL_EGRESS_POLICY_H

#include <netinet/in.h>
#include <stdint.h>

#include "base/arena.h"
#include "jail/egress/via.h"
#include "jail/egress/wire/host.h"

#define EGRESS_NONE INT64_MAX

enum {
    EGRESS_RULES_MAX = 256,
    EGRESS_CREDENTIALS_MAX = 64,
    EGRESS_LIST_MAX = 256, /* entries of any list */
    EGRESS_METHOD_MAX = 24,
    EGRESS_NAME_MAX = 64,
    EGRESS_POLICY_BYTES_MAX = 256 * 1024,
};

enum egress_tls_mode { EGRESS_TLS_OPEN, EGRESS_TLS_PASSTHROUGH };
enum egress_judging { EGRESS_JUDGE_BOTH, EGRESS_JUDGE_REQUESTS, EGRESS_JUDGE_RESPONSES, EGRESS_JUDGE_NONE };
/* The treatment of a response that the filter does not allow. */
enum egress_response { EGRESS_RESPONSE_REFUSE, EGRESS_RESPONSE_ANNOTATE, EGRESS_RESPONSE_STRIP };

struct egress_texts {
    const struct span *items;
    size_t n;
};

/* `count` per `window`, with bursts of at most `count`. */
struct egress_rate {
    int64_t count, window;
};

struct egress_rule {
    struct span name;
    const struct egress_host_pattern *hosts;
    size_t n_hosts;
    const uint16_t *ports;
    size_t n_ports;
    enum egress_scheme scheme;
    enum egress_tls_mode tls; /* of https; a tunnel that is not intercepted has no methods and no paths */
    struct span ca;           /* a file of authorities for the server; empty: the system's */
    struct egress_texts methods, paths;
    unsigned may_reach; /* classes of addresses (address.h) in addition to public ones */
    const struct sockaddr_storage *addresses; /* used instead of DNS, without ports; may be none */
    size_t n_addresses;
    struct egress_rate rate;
    int64_t bytes_out, bytes_in; /* over the life of the jail */
    int64_t request_max, response_max; /* of judged bodies, as sent and decoded */
    enum egress_judging judge;
    enum egress_response on_response;
    struct span policy; /* of filterd; empty: its default */
    struct egress_via via; /* filterd's proxy, which judges bodies instead; may be none */
};

/* A secret that stays outside: the jail writes "filterd-credential-NAME" into a header. */
struct egress_credential {
    struct span name;
    struct span file, variable; /* one of them; the other is empty */
    const struct egress_host_pattern *hosts;
    size_t n_hosts;
    struct egress_texts methods, paths;
    bool may_be_plain; /* also over http, in clear */
    int64_t ttl, uses; /* from the start of filterd-egress */
};

struct egress_limits {
    int64_t connections;
    int64_t memory; /* bytes of judged bodies, over all connections */
    int64_t head; /* bytes of a request's or response's first lines */
    int64_t idle, total, connect, drain;
    struct egress_rate dns; /* name lookups */
};

struct egress_policy {
    const struct egress_rule *rules;
    size_t n_rules;
    const struct egress_credential *credentials;
    size_t n_credentials;
    struct egress_limits limits;
    struct arena arena;
};

/* `file` names the bytes in errors: "file:line:column: what was expected". NULL with err. */
struct egress_policy *egress_policy_read(const char *file, struct span yaml, struct error *err);
/* Reads a file that only its owner, root or the caller, can change (base/trusted_file.h). */
struct egress_policy *egress_policy_load(const char *path, struct error *err);
void egress_policy_free(struct egress_policy *p);

/* The destination of a request. CONNECT has no method here; a request inside an intercepted tunnel has one. */
struct egress_target {
    enum egress_scheme scheme;
    struct egress_host host;
    uint16_t port;
    struct span method, path; /* path without query, checked by egress_path_check */
};

/* The first rule that allows it; NULL when none does, and then *missed is the static name of the part that the nearest rule
 * does not allow: host, port, scheme, method, path. */
const struct egress_rule *egress_policy_find(const struct egress_policy *p, const struct egress_target *target,
                                             const char **missed);
/* The first rule for that host, ignoring its other conditions. */
const struct egress_rule *egress_policy_find_host(const struct egress_policy *p, const struct egress_host *host);
bool egress_credential_has_host(const struct egress_credential *c, const struct egress_host *host);
bool egress_credential_fits(const struct egress_credential *c, const struct egress_target *target);

/* True when the proxy sees the content of the rule's traffic. */
static inline bool egress_is_seen(const struct egress_rule *r)
{
    return r->scheme == EGRESS_HTTP || r->tls == EGRESS_TLS_OPEN;
}

/* Whether a rule judges requests, and responses. */
static inline bool egress_judges_requests(const struct egress_rule *r)
{
    return r->judge == EGRESS_JUDGE_BOTH || r->judge == EGRESS_JUDGE_REQUESTS;
}
static inline bool egress_judges_responses(const struct egress_rule *r)
{
    return r->judge == EGRESS_JUDGE_BOTH || r->judge == EGRESS_JUDGE_RESPONSES;
}

#endif
