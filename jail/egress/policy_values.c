#include "jail/egress/policy_values.h"

#include <arpa/inet.h>

#include "jail/egress/wire/path.h"

static bool read_rate(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    struct egress_rate *rate = out;

    (void)r, (void)f;
    return fields_read_rate(node, 0, INT32_MAX, &rate->count, &rate->window, err);
}

static bool read_name(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    struct span text = {0};

    (void)r, (void)f;
    if (!yaml_read_text(node, &text, err)) {
        return false;
    }
    bool is_name = text.len > 0 && text.len <= EGRESS_NAME_MAX;
    for (size_t i = 0; is_name && i < text.len; i++) {
        char c = text.ptr[i];
        is_name = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (i > 0 && (c == '-' || c == '_' || c == '.'));
    }
    if (!is_name) {
        return yaml_expected(node, err, "a name of 1 to %d of a-z, 0-9, '-', '_' and '.'", EGRESS_NAME_MAX);
    }
    *(struct span *)out = text;
    return true;
}

static bool read_file(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    const char *text = "";

    if (!field_string.read(r, f, node, &text, err)) {
        return false;
    }
    *(struct span *)out = span_str(text);
    return true;
}

static bool read_via(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                     struct error *err)
{
    struct span text;
    struct error why;

    (void)r, (void)f;
    return yaml_read_text(node, &text, err) &&
           (egress_via_read(text, out, &why) || yaml_error(node, err, "via: %s", why.text));
}

/* --- lists ---------------------------------------------------------------- */

static bool is_method(struct span text)
{
    bool is_good = text.len > 0 && text.len <= EGRESS_METHOD_MAX;

    for (size_t i = 0; is_good && i < text.len; i++) {
        is_good = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z';
    }
    /* One opens tunnels, the other sends back what the credential was. */
    return is_good && !span_is(text, "CONNECT") && !span_is(text, "TRACE");
}

static bool read_method(const struct field_reader *r, const struct yaml_node *item, void *out, struct error *err)
{
    (void)r;
    return yaml_read_text(item, out, err) &&
           (is_method(item->text) || yaml_expected(item, err, "a method in upper case, neither CONNECT nor TRACE,"));
}

static bool read_path(const struct field_reader *r, const struct yaml_node *item, void *out, struct error *err)
{
    struct error why;

    (void)r;
    return yaml_read_text(item, out, err) &&
           (egress_path_pattern_check(item->text, &why) || yaml_error(item, err, "%s", why.text));
}

static bool read_host(const struct field_reader *r, const struct yaml_node *item, void *out, struct error *err)
{
    struct span text;
    struct error why;

    (void)r;
    return yaml_read_text(item, &text, err) &&
           (egress_host_pattern_read(text, out, &why) || yaml_error(item, err, "%s", why.text));
}

static bool read_port(const struct field_reader *r, const struct yaml_node *item, void *out, struct error *err)
{
    int64_t port = 0;

    (void)r;
    if (!yaml_read_integer(item, 1, UINT16_MAX, &port, err)) {
        return false;
    }
    *(uint16_t *)out = (uint16_t)port;
    return true;
}

static bool is_address(struct span entry, struct sockaddr_storage *out)
{
    char text[INET6_ADDRSTRLEN];
    bool is_v6 = memchr(entry.ptr, ':', entry.len) != NULL;

    if (entry.len >= sizeof(text)) {
        return false;
    }
    memcpy(text, entry.ptr, entry.len);
    text[entry.len] = '\0';
    memset(out, 0, sizeof(*out));
    out->ss_family = is_v6 ? AF_INET6 : AF_INET;
    return is_v6 ? inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)out)->sin6_addr) == 1
                 : inet_pton(AF_INET, text, &((struct sockaddr_in *)out)->sin_addr) == 1;
}

static bool read_address(const struct field_reader *r, const struct yaml_node *item, void *out, struct error *err)
{
    struct span text;

    (void)r;
    return yaml_read_text(item, &text, err) &&
           (is_address(text, out) || yaml_expected(item, err, "an IPv4 or IPv6 address"));
}

const struct field_type egress_rate = {"rate", read_rate, NULL, 0}, egress_name = {"name", read_name, NULL, 0},
                        egress_file = {"file", read_file, NULL, 0}, egress_via_url = {"text", read_via, NULL, 0},
                        egress_methods = {"text list", fields_read_items, read_method, sizeof(struct span)},
                        egress_paths = {"text list", fields_read_items, read_path, sizeof(struct span)},
                        egress_hosts = {"text list", fields_read_items, read_host, sizeof(struct egress_host_pattern)},
                        egress_ports = {"number or list", fields_read_items, read_port, sizeof(uint16_t)},
                        egress_addresses = {"text list", fields_read_items, read_address, sizeof(struct sockaddr_storage)};
