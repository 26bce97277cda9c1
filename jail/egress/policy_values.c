#include "jail/egress/policy_values.h"

#include <arpa/inet.h>

#include "jail/egress/address.h"
#include "jail/egress/wire/path.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, NUMBER_DIGITS = 15 };

static const struct unit {
    const char *suffix;
    int64_t factor;
} sizes[] = {{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"", 1}},
  times[] = {{"ms", 1}, {"s", SECOND}, {"m", MINUTE}, {"h", HOUR}},
  windows[] = {{"/s", SECOND}, {"/m", MINUTE}, {"/h", HOUR}};

/* --- fields --------------------------------------------------------------- */

static const struct egress_field *find_field(const struct egress_field *fields, size_t n, struct span key)
{
    for (size_t i = 0; i < n; i++) {
        if (span_is(key, fields[i].key)) {
            return &fields[i];
        }
    }
    return NULL;
}

bool egress_fields_read(struct arena *a, const struct egress_field *fields, size_t n, const struct yaml_node *mapping,
                        void *out, struct error *err)
{
    if (!yaml_expect(mapping, YAML_MAPPING, "entry", err)) {
        return false;
    }
    for (const struct yaml_node *c = mapping->first; c != NULL; c = c->next) {
        const struct egress_field *f = find_field(fields, n, c->key);
        if (f == NULL) {
            return error_set(err, ERROR_INVALID, "%s:%u:%u: key '" SPAN_FMT "' is not known here", c->file, c->key_line,
                             c->key_column, SPAN_ARG(c->key));
        }
        if (!f->read(a, f, c, (char *)out + f->offset, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (fields[i].is_required && yaml_get(mapping, fields[i].key) == NULL) {
            return yaml_error(mapping, err, "'%s' expected", fields[i].key);
        }
    }
    return true;
}

/* --- numbers -------------------------------------------------------------- */

static bool read_digits(struct span text, int64_t *out)
{
    int64_t value = 0;

    if (text.len == 0 || text.len > NUMBER_DIGITS) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (text.ptr[i] - '0');
    }
    *out = value;
    return true;
}

/* The number before the first unit that fits; *factor is the unit's. */
static bool read_unit(const struct yaml_node *node, const struct unit *units, size_t n, int64_t *number,
                      int64_t *factor)
{
    for (size_t i = 0; node->kind == YAML_SCALAR && i < n; i++) {
        size_t suffix = strlen(units[i].suffix);
        if (node->text.len > suffix &&
            span_is(span_slice(node->text, node->text.len - suffix, node->text.len), units[i].suffix) &&
            read_digits(span_slice(node->text, 0, node->text.len - suffix), number)) {
            *factor = units[i].factor;
            return true;
        }
    }
    return false;
}

static bool read_limit(const struct egress_field *f, const struct yaml_node *node, const struct unit *units,
                       size_t n, int64_t *out, struct error *err)
{
    int64_t number = 0, factor = 1, value = 0;

    if (f->max == EGRESS_NONE && node->kind == YAML_SCALAR && span_is(node->text, "none")) {
        *out = EGRESS_NONE;
        return true;
    }
    if (!read_unit(node, units, n, &number, &factor) || __builtin_mul_overflow(number, factor, &value) ||
        value < f->min || value > f->max) {
        return yaml_error(node, err, "%s: %s from %lld%s expected", f->key,
                          units == times ? "a time as 500ms, 30s, 15m or 2h" : "a size as 512, 64K, 8M or 2G",
                          (long long)f->min, f->max == EGRESS_NONE ? ", or none," : " and no more than the manual says");
    }
    *out = value;
    return true;
}

bool egress_read_count(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    (void)a;
    if (f->max == EGRESS_NONE && node->kind == YAML_SCALAR && span_is(node->text, "none")) {
        *(int64_t *)out = EGRESS_NONE;
        return true;
    }
    return yaml_read_integer(node, f->min, f->max == EGRESS_NONE ? INT32_MAX : f->max, out, err);
}

bool egress_read_size(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    (void)a;
    return read_limit(f, node, sizes, COUNT(sizes), out, err);
}

bool egress_read_time(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    (void)a;
    return read_limit(f, node, times, COUNT(times), out, err);
}

bool egress_read_rate(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    struct egress_rate *rate = out;

    (void)a;
    if (!read_unit(node, windows, COUNT(windows), &rate->count, &rate->window) || rate->count > INT32_MAX) {
        return yaml_error(node, err, "%s: a rate as 5/s, 60/m or 1000/h expected", f->key);
    }
    return true;
}

/* --- texts ---------------------------------------------------------------- */

bool egress_read_choice(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    (void)a;
    return yaml_read_choice(node, f->names, out, err);
}

bool egress_read_name(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    struct span text = {0};

    (void)a;
    if (!yaml_read_text(node, &text, err)) {
        return false;
    }
    bool is_name = text.len > 0 && text.len <= EGRESS_NAME_MAX;
    for (size_t i = 0; is_name && i < text.len; i++) {
        char c = text.ptr[i];
        is_name = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (i > 0 && (c == '-' || c == '_' || c == '.'));
    }
    if (!is_name) {
        return yaml_error(node, err, "%s: 1 to %d of a-z, 0-9, '-', '_' and '.' expected", f->key, EGRESS_NAME_MAX);
    }
    *(struct span *)out = text;
    return true;
}

bool egress_read_string(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    struct span text = {0};

    if (!yaml_read_text(node, &text, err) || !yaml_expect_no_nul(node, err)) {
        return false;
    }
    if (text.len == 0) {
        return yaml_error(node, err, "%s: a text expected", f->key);
    }
    const char *copy = arena_string(a, text, err);
    if (copy == NULL) {
        return false;
    }
    *(struct span *)out = span_of(copy, text.len);
    return true;
}

/* --- lists ---------------------------------------------------------------- */

/* The entries, of which there is at least one; `node` itself when it is a single text. */
static bool read_list(const struct yaml_node *node, const struct yaml_node **first, size_t *n, struct error *err)
{
    *first = node->kind == YAML_SCALAR ? node : node->first;
    *n = node->kind == YAML_SCALAR ? 1 : node->n;
    if (node->kind == YAML_MAPPING || *n == 0 || *n > EGRESS_LIST_MAX) {
        return yaml_error(node, err, "a text or a list of 1 to %d expected", EGRESS_LIST_MAX);
    }
    for (const struct yaml_node *c = *first; c != NULL && c != node->next; c = c->next) {
        if (!yaml_expect(c, YAML_SCALAR, "entry", err)) {
            return false;
        }
    }
    return true;
}

static bool is_method(struct span text)
{
    bool is_good = text.len > 0 && text.len <= EGRESS_METHOD_MAX;

    for (size_t i = 0; is_good && i < text.len; i++) {
        is_good = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z';
    }
    /* One opens tunnels, the other sends back what the credential was. */
    return is_good && !span_is(text, "CONNECT") && !span_is(text, "TRACE");
}

typedef bool check_entry_fn(const struct yaml_node *entry, struct error *err);

static bool check_method(const struct yaml_node *entry, struct error *err)
{
    return is_method(entry->text) ||
           yaml_error(entry, err, "a method in upper case expected, neither CONNECT nor TRACE");
}

static bool check_path(const struct yaml_node *entry, struct error *err)
{
    struct error why;

    return egress_path_pattern_check(entry->text, &why) || yaml_error(entry, err, "%s", why.text);
}

static bool read_texts(struct arena *a, const struct yaml_node *node, check_entry_fn *check, struct egress_texts *out,
                       struct error *err)
{
    const struct yaml_node *entry = NULL;
    size_t n = 0;

    if (!read_list(node, &entry, &n, err)) {
        return false;
    }
    struct span *items = arena_array(a, n, sizeof(*items), err);
    for (size_t i = 0; items != NULL && i < n; i++, entry = entry->next) {
        if (!check(entry, err)) {
            return false;
        }
        items[i] = entry->text;
    }
    *out = (struct egress_texts){items, n};
    return items != NULL;
}

bool egress_read_methods(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    (void)f;
    return read_texts(a, node, check_method, out, err);
}

bool egress_read_paths(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    (void)f;
    return read_texts(a, node, check_path, out, err);
}

bool egress_read_classes(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    const struct yaml_node *entry = NULL;
    size_t n = 0;
    unsigned bits = 0, choice = 0;

    (void)a;
    (void)f;
    if (!read_list(node, &entry, &n, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++, entry = entry->next) {
        if (!yaml_read_choice(entry, egress_class_names, &choice, err)) {
            return false;
        }
        bits |= 1U << choice;
    }
    *(unsigned *)out = bits;
    return true;
}

bool egress_read_hosts(struct arena *a, const struct yaml_node *node, const struct egress_host_pattern **out, size_t *n,
                       struct error *err)
{
    const struct yaml_node *entry = NULL;

    if (!read_list(node, &entry, n, err)) {
        return false;
    }
    struct egress_host_pattern *hosts = arena_array(a, *n, sizeof(*hosts), err);
    for (size_t i = 0; hosts != NULL && i < *n; i++, entry = entry->next) {
        struct error why;
        if (!egress_host_pattern_read(entry->text, &hosts[i], &why)) {
            return yaml_error(entry, err, "%s", why.text);
        }
    }
    *out = hosts;
    return hosts != NULL;
}

bool egress_read_ports(struct arena *a, const struct yaml_node *node, const uint16_t **out, size_t *n,
                       struct error *err)
{
    const struct yaml_node *entry = NULL;

    if (!read_list(node, &entry, n, err)) {
        return false;
    }
    uint16_t *ports = arena_array(a, *n, sizeof(*ports), err);
    for (size_t i = 0; ports != NULL && i < *n; i++, entry = entry->next) {
        int64_t port = 0;
        if (!yaml_read_integer(entry, 1, UINT16_MAX, &port, err)) {
            return false;
        }
        ports[i] = (uint16_t)port;
    }
    *out = ports;
    return ports != NULL;
}

static bool read_address(const struct yaml_node *entry, struct sockaddr_storage *out)
{
    char text[INET6_ADDRSTRLEN];
    bool is_v6 = memchr(entry->text.ptr, ':', entry->text.len) != NULL;

    if (entry->text.len >= sizeof(text)) {
        return false;
    }
    memcpy(text, entry->text.ptr, entry->text.len);
    text[entry->text.len] = '\0';
    memset(out, 0, sizeof(*out));
    out->ss_family = is_v6 ? AF_INET6 : AF_INET;
    return is_v6 ? inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)out)->sin6_addr) == 1
                 : inet_pton(AF_INET, text, &((struct sockaddr_in *)out)->sin_addr) == 1;
}

bool egress_read_addresses(struct arena *a, const struct yaml_node *node, const struct sockaddr_storage **out,
                           size_t *n, struct error *err)
{
    const struct yaml_node *entry = NULL;

    if (!read_list(node, &entry, n, err)) {
        return false;
    }
    struct sockaddr_storage *addresses = arena_array(a, *n, sizeof(*addresses), err);
    for (size_t i = 0; addresses != NULL && i < *n; i++, entry = entry->next) {
        if (!read_address(entry, &addresses[i])) {
            return yaml_error(entry, err, "an IPv4 or IPv6 address expected");
        }
    }
    *out = addresses;
    return addresses != NULL;
}
