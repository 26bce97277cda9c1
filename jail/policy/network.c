#include "jail/policy/network.h"

enum { PORT_LARGEST = 65535, PORT_OF_NAMES = 53 };

static bool read_port(const struct yaml_node *node, const struct jail_network *n, uint16_t *out, struct error *err)
{
    int64_t port;

    if (!yaml_read_integer(node, 1, PORT_LARGEST, &port, err)) {
        return false;
    }
    if (port == PORT_OF_NAMES) {
        return yaml_error(node, err, "a port other than 53 expected, names are always answered");
    }
    for (size_t i = 0; i < n->n_ports; i++) {
        if (n->ports[i] == port) {
            return yaml_error(node, err, "another port expected, this one occurs twice");
        }
    }
    *out = (uint16_t)port;
    return true;
}

static bool read_ports(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    struct jail_network *n = out;

    (void)r;
    if (node->kind != YAML_SEQUENCE) {
        return yaml_expected(node, err, "a list");
    }
    n->n_ports = 0;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        uint16_t port;
        if ((double)n->n_ports >= f->max) {
            return yaml_error(c, err, "at most %g ports expected", f->max);
        }
        if (!read_port(c, n, &port, err)) {
            return false;
        }
        n->ports[n->n_ports++] = port;
    }
    return true;
}

static bool read_proxy(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    struct jail_network *n = out;

    (void)r, (void)f;
    return read_port(node, n, &n->proxy, err);
}

static const struct field_type ports_type = {"list of numbers", read_ports, NULL, 0}, proxy_type = {"number", read_proxy, NULL, 0};

#define AT(member) FIELD_AT(struct jail_network, member)
const struct field jail_network_fields[] = {
    {"egress", &jail_host_path, AT(egress), .is_required = true},
    {"record", &jail_host_path, AT(record), .is_required = true},
    {"rules", &jail_host_path, AT(rules), .initial = NULL},
    {"filter_policy", &jail_host_path, AT(filter_policy), .initial = NULL},
    {"cache", &jail_host_path, AT(cache), .initial = NULL},
    {"ports", &ports_type, FIELD_WHOLE, .max = JAIL_PORTS_MAX},
    {"proxy", &proxy_type, FIELD_WHOLE, .min = 1, .max = PORT_LARGEST},
    {0},
};
#undef AT

static bool read_network(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    struct jail_network n = {.ports = {80, 443}, .n_ports = 2};
    struct jail_policy *p = out;

    (void)f;
    if (node->kind != YAML_MAPPING) {
        p->network = (struct jail_network){0};
        return (node->kind == YAML_SCALAR && span_is(node->text, "none")) || yaml_expected(node, err, "none or a mapping");
    }
    if (!fields_read(r, jail_network_fields, node, &n, err)) {
        return false;
    }
    p->network = n;
    return true;
}

const struct field_type jail_network_type = {"none or mapping", read_network, NULL, 0};

bool jail_network_print(const struct jail_policy *p, struct buf *out, struct error *err)
{
    struct jail_network n = p->network;

    if (n.egress == NULL) {
        return buf_append_str(out, "network: none\n", err);
    }
    if (!buf_append_str(out, "network:\n", err)) {
        return false;
    }
    for (const struct field *f = jail_network_fields; f->type == &jail_host_path; f++) {
        const char *path = *(const char **)((char *)&n + f->offset);
        if (path != NULL && !(buf_appendf(out, err, "  %s: ", f->name) && jail_print_string(path, out, err) &&
                              buf_append_char(out, '\n', err))) {
            return false;
        }
    }
    bool is_good = buf_append_str(out, "  ports: [", err);
    for (size_t i = 0; is_good && i < n.n_ports; i++) {
        is_good = buf_appendf(out, err, "%s%u", i > 0 ? ", " : "", n.ports[i]);
    }
    return is_good && buf_append_str(out, "]\n", err) &&
           (n.proxy == 0 || buf_appendf(out, err, "  proxy: %u\n", n.proxy));
}
