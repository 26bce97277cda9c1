/* policy_find.c - finds the rule that allows a request. */
#include "jail/egress/wire/path.h"
#include "jail/egress/policy.h"

/* In the order in which they are asked: the last one reached explains most. */
enum miss { MISS_HOST, MISS_PORT, MISS_SCHEME, MISS_METHOD, MISS_PATH, MISS_NOTHING };

static bool has_host(const struct egress_host_pattern *hosts, size_t n, const struct egress_host *host)
{
    for (size_t i = 0; i < n; i++) {
        if (egress_host_matches(&hosts[i], host)) {
            return true;
        }
    }
    return false;
}

static bool has_port(const struct egress_rule *r, uint16_t port)
{
    for (size_t i = 0; i < r->n_ports; i++) {
        if (r->ports[i] == port) {
            return true;
        }
    }
    return false;
}

static bool has_text(const struct egress_texts *texts, struct span text)
{
    for (size_t i = 0; i < texts->n; i++) {
        if (span_equal(texts->items[i], text)) {
            return true;
        }
    }
    return false;
}

static bool has_path(const struct egress_texts *patterns, struct span path)
{
    for (size_t i = 0; i < patterns->n; i++) {
        if (egress_path_matches(patterns->items[i], path)) {
            return true;
        }
    }
    return false;
}

static enum miss find_miss(const struct egress_rule *r, const struct egress_target *t)
{
    if (!has_host(r->hosts, r->n_hosts, &t->host)) {
        return MISS_HOST;
    }
    if (!has_port(r, t->port)) {
        return MISS_PORT;
    }
    if (r->scheme != t->scheme) {
        return MISS_SCHEME;
    }
    if (t->scheme == EGRESS_HTTPS && t->method.len == 0) {
        return MISS_NOTHING;
    }
    /* Of a rule for unopened tunnels there are no methods. */
    if (!has_text(&r->methods, t->method)) {
        return MISS_METHOD;
    }
    return has_path(&r->paths, t->path) ? MISS_NOTHING : MISS_PATH;
}

const struct egress_rule *egress_policy_find(const struct egress_policy *p, const struct egress_target *target,
                                             const char **missed)
{
    static const char *const names[] = {"host", "port", "scheme", "method", "path"};
    enum miss furthest = MISS_HOST;

    for (size_t i = 0; i < p->n_rules; i++) {
        enum miss miss = find_miss(&p->rules[i], target);
        if (miss == MISS_NOTHING) {
            return &p->rules[i];
        }
        furthest = miss > furthest ? miss : furthest;
    }
    *missed = names[furthest];
    return NULL;
}

const struct egress_rule *egress_policy_find_host(const struct egress_policy *p, const struct egress_host *host)
{
    for (size_t i = 0; i < p->n_rules; i++) {
        if (has_host(p->rules[i].hosts, p->rules[i].n_hosts, host)) {
            return &p->rules[i];
        }
    }
    return NULL;
}

bool egress_credential_has_host(const struct egress_credential *c, const struct egress_host *host)
{
    return has_host(c->hosts, c->n_hosts, host);
}

bool egress_credential_fits(const struct egress_credential *c, const struct egress_target *target)
{
    return (target->scheme == EGRESS_HTTPS || c->may_be_plain) && has_host(c->hosts, c->n_hosts, &target->host) &&
           has_text(&c->methods, target->method) && has_path(&c->paths, target->path);
}
