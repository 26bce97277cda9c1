#include "jail/policy/network.h"

#include "jail/policy/options.h"

enum { PORT_LARGEST = 65535, PORT_OF_NAMES = 53 };

#define AT(member) offsetof(struct jail_network, member)
static const struct {
    const char *key;
    size_t offset;
    bool is_required;
} paths[] = {
    {"egress", AT(egress), true},  {"record", AT(record), true},
    {"rules", AT(rules), false},   {"filter_policy", AT(filter_policy), false},
    {"cache", AT(cache), false},
};
#undef AT

static const char *const keys[] = {"egress", "record", "rules", "filter_policy", "cache", "ports", "proxy", NULL};

static const char **place_of(struct jail_network *n, size_t offset)
{
    return (const char **)((char *)n + offset);
}

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
            return yaml_error(node, err, "another port expected, this one stands twice");
        }
    }
    *out = (uint16_t)port;
    return true;
}

static bool read_ports(const struct yaml_node *node, struct jail_network *n, struct error *err)
{
    if (!yaml_expect(node, YAML_SEQUENCE, "ports", err)) {
        return false;
    }
    n->n_ports = 0;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        uint16_t port;
        if (n->n_ports == JAIL_PORTS_MAX) {
            return yaml_error(c, err, "at most %d ports expected", JAIL_PORTS_MAX);
        }
        if (!read_port(c, n, &port, err)) {
            return false;
        }
        n->ports[n->n_ports++] = port;
    }
    return true;
}

bool jail_network_read(const struct yaml_node *node, const char *folder, struct jail_policy *p, struct error *err)
{
    struct jail_network n = {.ports = {80, 443}, .n_ports = 2};

    if (!yaml_expect(node, YAML_MAPPING, "network", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(paths); i++) {
        const struct yaml_node *value = yaml_get(node, paths[i].key);
        if (value == NULL && paths[i].is_required) {
            return yaml_error(node, err, "'egress' and 'record' expected");
        }
        if (value != NULL && !jail_read_host_path(value, folder, p, place_of(&n, paths[i].offset), err)) {
            return false;
        }
    }
    const struct yaml_node *ports = yaml_get(node, "ports");
    if (ports != NULL && !read_ports(ports, &n, err)) {
        return false;
    }
    const struct yaml_node *proxy = yaml_get(node, "proxy");
    if (proxy != NULL && !read_port(proxy, &n, &n.proxy, err)) {
        return false;
    }
    p->network = n;
    return true;
}

bool jail_network_print(const struct jail_policy *p, struct buf *out, struct error *err)
{
    struct jail_network n = p->network;

    if (n.egress == NULL) {
        return buf_append_str(out, "network: none\n", err);
    }
    if (!buf_append_str(out, "network:\n", err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(paths); i++) {
        const char *path = *place_of(&n, paths[i].offset);
        if (path != NULL && !(buf_appendf(out, err, "  %s: ", paths[i].key) && jail_print_string(path, out, err) &&
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
