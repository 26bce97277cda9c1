#include "upstream/upstream_read.h"

#include "formats/base_url.h"

#define KIB 0x1p10
#define MIB 0x1p20

enum { SECONDS_MAX = 86400, NAME_BYTES_MAX = 256, ROUTES_MAX = 256, ROUTE_PATH_MAX = 512 };

static const struct credential_header *header_of(const char *protocol)
{
    static const struct credential_header bearer = {"Authorization", "Bearer "};
    static const struct {
        const char *protocol;
        struct credential_header header;
    } others[] = {
        {"anthropic", {"x-api-key", ""}},
        {"gemini", {"x-goog-api-key", ""}},
    };

    for (size_t i = 0; i < COUNT(others); i++) {
        if (strcmp(others[i].protocol, protocol) == 0) {
            return &others[i].header;
        }
    }
    return &bearer;
}

static bool read_protocol(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                          struct error *err)
{
    struct upstream *u = out;
    unsigned choice = 0;

    (void)r;
    if (!yaml_read_choice(node, f->names, &choice, err)) {
        return false;
    }
    u->protocol = protocol_find(node->text);
    u->protocol_name = f->names[choice];
    u->header = header_of(f->names[choice]);
    return true;
}

/* It is in paths, records and metrics. Names of filterd's own routes are taken. */
static bool is_name(struct span name)
{
    static const char *const taken[] = {"v1", "healthz", "readyz", "metrics"};

    for (size_t i = 0; i < COUNT(taken); i++) {
        if (span_is(name, taken[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!is_word && (i == 0 || (c != '-' && c != '_'))) {
            return false;
        }
    }
    return name.len > 0 && name.len <= UPSTREAM_NAME_MAX;
}

static bool read_name(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    (void)r, (void)f;
    *(struct span *)out = node->text;
    return is_name(node->text) ||
           yaml_expected(node, err, "a name of 1 to %d letters a-z, digits, '-' and '_' that is no route of filterd's",
                         UPSTREAM_NAME_MAX);
}

/* The policy is looked for when there are policies. */
static bool read_policy(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    struct upstream *u = out;

    u->policy_line = node->line;
    u->policy_column = node->column;
    return field_text.read(r, f, node, &u->policy, err);
}

static const char *const route_rules[] = {"refuse", "judge", "pass", NULL};

static bool read_route(struct yaml_node *node, struct upstream_route *out, struct error *err)
{
    struct span path = node->key;
    unsigned rule;

    if (path.len == 0 || path.len > ROUTE_PATH_MAX || path.ptr[0] != '/' || memchr(path.ptr, '?', path.len) != NULL) {
        struct yaml_node key = fields_key(node);
        return yaml_expected(&key, err, "a path of at most %d bytes that begins with '/'", ROUTE_PATH_MAX);
    }
    if (!yaml_read_choice(node, route_rules, &rule, err)) {
        return false;
    }
    *out = (struct upstream_route){.path = path, .rule = ROUTE_RULE_REFUSE + rule};
    return true;
}

static bool read_routes(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    struct upstream *u = out;
    struct upstream_route *routes;
    size_t n = 0;

    (void)f;
    if (!yaml_expect(node, YAML_MAPPING, "a mapping of paths to refuse, judge or pass", err)) {
        return false;
    }
    if (node->n > ROUTES_MAX) {
        return yaml_expected(node, err, "at most %d paths", ROUTES_MAX);
    }
    routes = arena_array(r->arena, node->n + 1, sizeof(*routes), err);
    for (struct yaml_node *at = node->first; routes != NULL && at != NULL; at = at->next) {
        if (!read_route(at, &routes[n++], err)) {
            return false;
        }
    }
    u->routes = routes;
    u->n_routes = n;
    return routes != NULL;
}

static const char *const blocks[] = {"soft", "hard", "end_turn", "refusal", "auto", NULL};
static const char *const other_routes[] = {"refuse", "judge", NULL};
static const struct field_type protocol_type = {"choice", read_protocol, NULL, 0},
                               name_type = {"name", read_name, NULL, 0}, policy_type = {"text", read_policy, NULL, 0},
                               routes_type = {"routes", read_routes, NULL, 0};

#define AT(member) FIELD_AT(struct upstream, member)

const struct field upstream_fields[] = {
    {"protocol", &protocol_type, FIELD_WHOLE, .names = protocol_names, .is_required = true},
    {"url", &field_url, FIELD_URL_AT(struct upstream, url, port), .is_required = true},
    {"credential", &field_file, AT(credential_file), .min = 1},
    {"ca", &field_file, AT(ca), .min = 1},
    {"block", &field_choice, AT(block), .names = blocks, .initial = "auto"},
    {"other_routes", &field_choice, AT(other_routes), .names = other_routes, .initial = "refuse"},
    {"routes", &routes_type, FIELD_WHOLE, .is_required = false},
    {"policy", &policy_type, FIELD_WHOLE, .min = 1, .max = NAME_BYTES_MAX},
    {"tenant", &field_text, AT(tenant), .min = 1, .max = NAME_BYTES_MAX},
    {"http2", &field_flag, AT(http2), .initial = "true"},
    {"connect_timeout", &field_integer, AT(connect_timeout), 1, SECONDS_MAX, .initial = "10"},
    {"first_byte_timeout", &field_integer, AT(first_byte_timeout), 1, SECONDS_MAX, .initial = "300"},
    {"idle_timeout", &field_integer, AT(idle_timeout), 1, SECONDS_MAX, .initial = "120"},
    {"heartbeat", &field_integer, AT(heartbeat), 0, SECONDS_MAX, .initial = "10"},
    {"request_max", &field_size, AT(request_max), KIB, 512 * MIB, .initial = "32M"},
    {"answer_max", &field_size, AT(answer_max), KIB, 64 * MIB, .initial = "64M"},
    {"event_max", &field_size, AT(event_max), KIB, 64 * MIB, .initial = "8M"},
    {0},
};

static const struct field upstream_name = {"name", &name_type, AT(name), .initial = NULL};

const struct field upstreams_fields[] = {
    {"upstreams", &field_map, FIELD_LIST_AT(struct upstreams, items, n), 0, UPSTREAMS_MAX, .fields = upstream_fields,
     .entry = sizeof(struct upstream), .key = &upstream_name, .is_required = true},
    {0},
};
