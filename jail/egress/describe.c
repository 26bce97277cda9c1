#include "jail/egress/describe.h"

#include <inttypes.h>

enum { MS_PER_S = 1000 };

static bool append_hosts(const struct egress_host_pattern *hosts, size_t n, struct buf *out, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!buf_appendf(out, err, "%s%s%s", i > 0 ? ", " : "", hosts[i].is_suffix ? "*." : "", hosts[i].host.text)) {
            return false;
        }
    }
    return true;
}

static bool append_texts(const struct egress_texts *texts, const char *before, struct buf *out, struct error *err)
{
    bool is_good = buf_append_str(out, before, err);

    for (size_t i = 0; is_good && i < texts->n; i++) {
        is_good = buf_append_str(out, i > 0 ? ", " : "", err) && buf_append(out, texts->items[i], err);
    }
    return is_good;
}

static bool append_ports(const struct egress_rule *r, struct buf *out, struct error *err)
{
    for (size_t i = 0; i < r->n_ports; i++) {
        if (!buf_appendf(out, err, "%s%u", i > 0 ? ", " : r->n_ports > 1 ? ", ports " : ", port ", r->ports[i])) {
            return false;
        }
    }
    return true;
}

static bool append_bounds(const struct egress_rule *r, struct buf *out, struct error *err)
{
    return (r->rate.count == EGRESS_NONE ||
            buf_appendf(out, err, "; at most %" PRId64 " in %" PRId64 " s", r->rate.count, r->rate.window / MS_PER_S)) &&
           (r->bytes_out == EGRESS_NONE || buf_appendf(out, err, "; %" PRId64 " bytes out in all", r->bytes_out)) &&
           (r->bytes_in == EGRESS_NONE || buf_appendf(out, err, "; %" PRId64 " bytes in in all", r->bytes_in));
}

static bool append_rule(const struct egress_rule *r, struct buf *out, struct error *err)
{
    const char *content = !egress_is_seen(r)                   ? "; not inspected"
                          : egress_via_is_set(&r->via)         ? "; requests and answers are judged, and values are masked"
                          : r->judge == EGRESS_JUDGE_NONE      ? "; not judged"
                          : r->judge == EGRESS_JUDGE_BOTH      ? "; requests and answers are judged"
                          : r->judge == EGRESS_JUDGE_REQUESTS  ? "; requests are judged"
                                                               : "; answers are judged";

    return buf_appendf(out, err, "- %s to ", r->scheme == EGRESS_HTTPS ? "https" : "http") &&
           append_hosts(r->hosts, r->n_hosts, out, err) && append_ports(r, out, err) &&
           (!egress_is_seen(r) ||
            (append_texts(&r->methods, ": ", out, err) && append_texts(&r->paths, " of ", out, err))) &&
           buf_append_str(out, content, err) && append_bounds(r, out, err) && buf_append_str(out, ".\n", err);
}

static bool append_credential(const struct egress_credential *c, struct buf *out, struct error *err)
{
    return buf_append_str(out, "- Write filterd-credential-", err) && buf_append(out, c->name, err) &&
           buf_append_str(out, " into a header in place of its secret: for ", err) &&
           append_hosts(c->hosts, c->n_hosts, out, err) && append_texts(&c->methods, ", ", out, err) &&
           append_texts(&c->paths, " of ", out, err) &&
           buf_appendf(out, err, ", %" PRId64 " times.\n", c->uses);
}

bool egress_describe(const struct egress_policy *p, struct buf *out, struct error *err)
{
    if (p->n_rules == 0 && !buf_append_str(out, "- Nothing: there is no rule.\n", err)) {
        return false;
    }
    for (size_t i = 0; i < p->n_rules; i++) {
        if (!append_rule(&p->rules[i], out, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < p->n_credentials; i++) {
        if (!append_credential(&p->credentials[i], out, err)) {
            return false;
        }
    }
    return true;
}

static bool holds(const struct egress_rule *r, const struct egress_host *host)
{
    for (size_t i = 0; i < r->n_hosts; i++) {
        if (egress_host_matches(&r->hosts[i], host)) {
            return true;
        }
    }
    return false;
}

bool egress_explain(const struct egress_policy *p, struct span text, struct buf *out, struct error *err)
{
    struct egress_host host;
    bool is_held = false;

    if (!egress_host_read(text, &host, err)) {
        return false;
    }
    for (size_t i = 0; i < p->n_rules; i++) {
        const struct egress_rule *r = &p->rules[i];
        if (holds(r, &host)) {
            is_held = true;
            if (!buf_append_str(out, "allowed by rule ", err) || !buf_append(out, r->name, err) ||
                !buf_append_str(out, ":\n", err) || !append_rule(r, out, err)) {
                return false;
            }
        }
    }
    return is_held || buf_append_str(out, "refused: no rule allows this host\n", err);
}
