#include "upstream/upstream_read.h"

#include "base/place.h"

#define KIB 1024ULL
#define MIB (1024 * KIB)

struct reader {
    struct arena *arena;
    struct upstream *out;
};

struct key {
    const char *name;
    bool (*read)(const struct reader *r, const struct key *k, const struct yaml_node *node,
                 struct error *err);
    size_t offset; /* in struct upstream */
    uint64_t min, max;
};

static void *field(const struct reader *r, const struct key *k)
{
    return (char *)r->out + k->offset;
}

static bool read_path(const struct reader *r, const struct key *k, const struct yaml_node *node,
                      struct error *err)
{
    return place_read_file(r->arena, node, k->name, field(r, k), err);
}

static bool read_name(const struct reader *r, const struct key *k, const struct yaml_node *node,
                      struct error *err)
{
    struct span *out = field(r, k);

    return yaml_read_text(node, out, err) &&
           ((out->len > 0 && out->len <= k->max) ||
            yaml_error(node, err, "%s: 1 to %u characters expected", k->name, (unsigned)k->max));
}

static bool read_policy(const struct reader *r, const struct key *k, const struct yaml_node *node,
                        struct error *err)
{
    r->out->policy_line = node->line;
    r->out->policy_column = node->column;
    return read_name(r, k, node, err);
}

static bool read_seconds(const struct reader *r, const struct key *k, const struct yaml_node *node,
                         struct error *err)
{
    int64_t value = 0;

    if (!yaml_read_integer(node, (int64_t)k->min, (int64_t)k->max, &value, err)) {
        return false;
    }
    *(uint64_t *)field(r, k) = (uint64_t)value;
    return true;
}

/* Digits and perhaps K, M or G, as in the service's own options. */
static bool read_size(const struct reader *r, const struct key *k, const struct yaml_node *node,
                      struct error *err)
{
    static const char units[] = "KMG";
    struct span text = node->text;
    uint64_t value = 0;
    unsigned shift = 0;

    if (node->kind == YAML_SCALAR && text.len > 1 && text.len < 12) {
        const char *unit = strchr(units, text.ptr[text.len - 1]);
        shift = unit == NULL || *unit == '\0' ? 0 : 10U * (unsigned)(unit - units + 1);
        text.len -= shift > 0;
    }
    bool is_number = node->kind == YAML_SCALAR && text.len > 0 && text.len < 11;
    for (size_t i = 0; is_number && i < text.len; i++) {
        is_number = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        value = value * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    value <<= shift;
    if (!is_number || value < k->min || value > k->max) {
        return yaml_error(node, err, "%s: a size from %lluK to %lluM expected", k->name,
                          (unsigned long long)(k->min / KIB), (unsigned long long)(k->max / MIB));
    }
    *(uint64_t *)field(r, k) = value;
    return true;
}

static bool read_flag(const struct reader *r, const struct key *k, const struct yaml_node *node,
                      struct error *err)
{
    return yaml_read_flag(node, field(r, k), err);
}

static bool read_block(const struct reader *r, const struct key *k, const struct yaml_node *node,
                       struct error *err)
{
    static const char *const names[] = {"soft", "hard", "end_turn", "refusal", "auto", NULL};
    unsigned choice = 0;

    (void)k;
    if (!yaml_read_choice(node, names, &choice, err)) {
        return false;
    }
    r->out->block = (enum block_style)choice;
    return true;
}

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

static bool read_protocol(const struct reader *r, const struct key *k, const struct yaml_node *node,
                          struct error *err)
{
    const char *const *names = protocol_names();
    unsigned choice = 0;

    (void)k;
    if (!yaml_read_choice(node, names, &choice, err)) {
        return false;
    }
    r->out->protocol = protocol_find(node->text);
    r->out->protocol_name = names[choice];
    r->out->header = header_of(names[choice]);
    return r->out->protocol != NULL || yaml_error(node, err, "protocol: a known one expected");
}

static bool read_url(const struct reader *r, const struct key *k, const struct yaml_node *node,
                     struct error *err)
{
    return place_read_base(r->arena, node, k->name, &r->out->url, &r->out->port, err);
}

#define AT(member) offsetof(struct upstream, member)

enum { SECONDS_MAX = 86400 };

static const struct key keys[] = {
    {"protocol", read_protocol, 0, 0, 0},
    {"url", read_url, 0, 0, 0},
    {"credential", read_path, AT(credential_file), 0, 0},
    {"ca", read_path, AT(ca), 0, 0},
    {"block", read_block, 0, 0, 0},
    {"policy", read_policy, AT(policy), 1, 256},
    {"tenant", read_name, AT(tenant), 1, 256},
    {"http2", read_flag, AT(http2), 0, 0},
    {"connect_timeout", read_seconds, AT(connect_timeout), 1, SECONDS_MAX},
    {"first_byte_timeout", read_seconds, AT(first_byte_timeout), 1, SECONDS_MAX},
    {"idle_timeout", read_seconds, AT(idle_timeout), 1, SECONDS_MAX},
    {"heartbeat", read_seconds, AT(heartbeat), 0, SECONDS_MAX},
    {"request_max", read_size, AT(request_max), KIB, 512 * MIB},
    {"answer_max", read_size, AT(answer_max), KIB, 64 * MIB},
    {"event_max", read_size, AT(event_max), KIB, 64 * MIB},
};

static const struct key *find_key(struct span name)
{
    for (size_t i = 0; i < COUNT(keys); i++) {
        if (span_is(name, keys[i].name)) {
            return &keys[i];
        }
    }
    return NULL;
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

bool upstream_read(struct arena *a, const struct yaml_node *node, struct upstream *out,
                   struct error *err)
{
    const struct reader r = {.arena = a, .out = out};

    *out = (struct upstream){
        .name = node->key,
        .block = BLOCK_AUTO,
        .http2 = true,
        .connect_timeout = 10,
        .first_byte_timeout = 300,
        .idle_timeout = 120,
        .heartbeat = 10,
        .request_max = 32 * MIB,
        .answer_max = 64 * MIB,
        .event_max = 8 * MIB,
    };
    if (!is_name(node->key)) {
        return error_set(err, ERROR_INVALID,
                         "%s:%u:%u: a name of 1 to %d letters a-z, digits, '-' and '_' expected "
                         "that is no route of filterd's",
                         node->file, node->key_line, node->key_column, UPSTREAM_NAME_MAX);
    }
    if (!yaml_expect(node, YAML_MAPPING, "upstream", err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        const struct key *k = find_key(c->key);
        if (k == NULL) {
            return error_set(err, ERROR_INVALID, "%s:%u:%u: key '" SPAN_FMT "' is not known here",
                             c->file, c->key_line, c->key_column, SPAN_ARG(c->key));
        }
        if (!k->read(&r, k, c, err)) {
            return false;
        }
    }
    return (out->protocol != NULL && out->url != NULL) ||
           yaml_error(node, err, "'protocol' and 'url' expected");
}
