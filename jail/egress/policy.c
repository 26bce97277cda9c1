#include "jail/egress/policy.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/trusted_file.h"
#include "jail/egress/address.h"
#include "jail/egress/policy_values.h"

#define KIB 0x1p10
#define MIB 0x1p20
#define HOUR 3600e3
#define TIME_LONGEST (HOUR * 24 * 31)
enum { ARENA_KEEP = 64 * 1024, ARENA_MAX = 16 * 1024 * 1024 };

/* --- one rule ------------------------------------------------------------- */

/* Keys that do not apply to a rule; `keys` ends with NULL. */
static bool expect_none_of(const char *const *keys, const char *why, const struct yaml_node *node, struct error *err)
{
    for (; *keys != NULL; keys++) {
        const struct yaml_node *there = yaml_get(node, *keys);
        if (there != NULL) {
            return error_set(err, ERROR_INVALID, "%s:%u:%u: no '%s' expected with %s", there->file, there->key_line,
                             there->key_column, *keys, why);
        }
    }
    return true;
}

static bool expect_no_content_keys(const struct yaml_node *node, struct error *err)
{
    static const char *const keys[] = {"methods",      "paths",  "judge", "on_response", "request_max",
                                       "response_max", "policy", "ca",    "via",         NULL};

    return expect_none_of(keys, "tls: passthrough, whose content is not seen", node, err);
}

/* filterd's proxy connects to the host and judges answers. Bodies of requests are read whole here, for honeytokens. */
static bool check_via(struct egress_rule *r, const struct yaml_node *node, struct error *err)
{
    static const char *const keys[] = {"judge", "on_response", "response_max", "may_reach", "addresses", NULL};

    if (r->via.scheme == EGRESS_HTTP && r->ca.len > 0) {
        return yaml_error(node, err, "no 'ca' expected with a plain 'via'");
    }
    r->judge = EGRESS_JUDGE_REQUESTS;
    return expect_none_of(keys, "via, where filterd's proxy does it", node, err);
}

/* `context` is the policy; its rules before this one are read. */
static bool check_rule(const struct field_reader *reader, const struct yaml_node *node, void *out, struct error *err)
{
    static const uint16_t ports[] = {[EGRESS_HTTP] = 80, [EGRESS_HTTPS] = 443};
    const struct egress_policy *p = reader->context;
    const struct yaml_node *tls = yaml_get(node, "tls");
    struct egress_rule *r = out;

    for (const struct egress_rule *other = p->rules; other < r; other++) {
        if (span_equal(other->name, r->name)) {
            return yaml_error(node, err, "another name expected, this one occurs twice");
        }
    }
    if (r->ports == NULL) {
        r->ports = &ports[r->scheme];
        r->n_ports = 1;
    }
    if (r->rate.window == 0) {
        r->rate = (struct egress_rate){EGRESS_NONE, 1};
    }
    if ((r->scheme == EGRESS_HTTPS) != (tls != NULL)) {
        return yaml_error(node, err, "'tls' expected with scheme https, and with no other");
    }
    if (r->ca.len > 0 && tls == NULL) {
        return yaml_error(node, err, "'ca' with tls: open expected, and with no other");
    }
    if (!egress_is_seen(r)) {
        r->judge = EGRESS_JUDGE_NONE;
        return expect_no_content_keys(node, err);
    }
    return ((r->methods.n > 0 && r->paths.n > 0) ||
            yaml_error(node, err, "'methods' and 'paths' expected with scheme http and with tls: open")) &&
           (!egress_via_is_set(&r->via) || check_via(r, node, err));
}

static bool check_credential(const struct field_reader *reader, const struct yaml_node *node, void *out, struct error *err)
{
    const struct egress_credential *c = out;

    (void)reader;
    return (c->file.len > 0) != (c->variable.len > 0) || yaml_error(node, err, "'file' or 'env' expected");
}

/* --- the keys ------------------------------------------------------------- */

static const char *const schemes[] = {"http", "https", NULL};
static const char *const tls_modes[] = {"open", "passthrough", NULL};
static const char *const judges[] = {"both", "requests", "responses", "none", NULL};
static const char *const responses[] = {"refuse", "annotate", "strip", NULL};

#define AT(member) FIELD_AT(struct egress_rule, member)
#define LIST_AT(member) FIELD_LIST_AT(struct egress_rule, member, n_##member), 1, EGRESS_LIST_MAX
const struct field egress_rule_fields[] = {
    {"name", &egress_name, AT(name), .is_required = true},
    {"hosts", &egress_hosts, LIST_AT(hosts), .is_required = true},
    {"ports", &egress_ports, LIST_AT(ports), .initial = NULL},
    {"scheme", &field_choice, AT(scheme), .names = schemes, .is_required = true},
    {"tls", &field_choice, AT(tls), .names = tls_modes},
    {"ca", &egress_file, AT(ca), .min = 1},
    {"methods", &egress_methods, AT(methods), 1, EGRESS_LIST_MAX, .initial = NULL},
    {"paths", &egress_paths, AT(paths), 1, EGRESS_LIST_MAX, .initial = NULL},
    {"may_reach", &field_choices, AT(may_reach), .names = egress_class_names},
    {"addresses", &egress_addresses, LIST_AT(addresses), .initial = NULL},
    {"rate", &egress_rate, AT(rate), .initial = NULL},
    {"bytes_out", &field_size, AT(bytes_out), 0, FIELD_SIZE_MAX, "none", .may_be_none = true},
    {"bytes_in", &field_size, AT(bytes_in), 0, FIELD_SIZE_MAX, "none", .may_be_none = true},
    {"request_max", &field_size, AT(request_max), 0, 64 * MIB, .initial = "8M"},
    {"response_max", &field_size, AT(response_max), 0, 64 * MIB, .initial = "8M"},
    {"judge", &field_choice, AT(judge), .names = judges, .initial = "both"},
    {"on_response", &field_choice, AT(on_response), .names = responses, .initial = "refuse"},
    {"policy", &egress_name, AT(policy), .initial = NULL},
    {"via", &egress_via_url, AT(via), .initial = NULL},
    {0},
};
#undef AT
#undef LIST_AT

#define AT(member) FIELD_AT(struct egress_credential, member)
static const struct field credential_name = {"name", &egress_name, AT(name), .initial = NULL};

const struct field egress_credential_fields[] = {
    {"file", &egress_file, AT(file), .min = 1},
    {"env", &egress_file, AT(variable), .min = 1},
    {"hosts", &egress_hosts, FIELD_LIST_AT(struct egress_credential, hosts, n_hosts), 1, EGRESS_LIST_MAX, .is_required = true},
    {"methods", &egress_methods, AT(methods), 1, EGRESS_LIST_MAX, .is_required = true},
    {"paths", &egress_paths, AT(paths), 1, EGRESS_LIST_MAX, .is_required = true},
    {"plain", &field_flag, AT(may_be_plain), .initial = "false"},
    {"ttl", &field_ms, AT(ttl), 1, TIME_LONGEST, .is_required = true},
    {"uses", &field_integer, AT(uses), 1, INT32_MAX, .is_required = true},
    {0},
};
#undef AT

#define AT(member) FIELD_AT(struct egress_limits, member)
const struct field egress_limit_fields[] = {
    {"connections", &field_integer, AT(connections), 1, 1024, .initial = "64"},
    {"memory", &field_size, AT(memory), 1 * MIB, 64 * 1024 * MIB, .initial = "256M"},
    {"head", &field_size, AT(head), 1 * KIB, 32 * KIB, .initial = "16K"},
    {"idle", &field_ms, AT(idle), 1, HOUR, .initial = "60s"},
    {"total", &field_ms, AT(total), 1, TIME_LONGEST, .initial = "1h"},
    {"connect", &field_ms, AT(connect), 1, HOUR, .initial = "10s"},
    {"drain", &field_ms, AT(drain), 1, HOUR, .initial = "5s"},
    {"dns", &egress_rate, AT(dns), .initial = "20/s"},
    {0},
};
#undef AT

#define LIST_AT(member) FIELD_LIST_AT(struct egress_policy, member, n_##member)
const struct field egress_policy_fields[] = {
    {"rules", &field_list, LIST_AT(rules), 0, EGRESS_RULES_MAX, .fields = egress_rule_fields,
     .entry = sizeof(struct egress_rule), .check = check_rule, .is_required = true},
    {"credentials", &field_map, LIST_AT(credentials), 0, EGRESS_CREDENTIALS_MAX, .fields = egress_credential_fields,
     .entry = sizeof(struct egress_credential), .key = &credential_name, .check = check_credential},
    {"limits", &field_mapping, FIELD_AT(struct egress_policy, limits), .fields = egress_limit_fields},
    {0},
};

/* --- the file ------------------------------------------------------------- */

static bool read_policy(struct egress_policy *p, const char *file, struct span yaml, struct error *err)
{
    const struct field_reader r = {.arena = &p->arena, .context = p};
    const struct yaml_node *root = NULL;

    if (yaml.len > EGRESS_POLICY_BYTES_MAX) {
        return error_set(err, ERROR_LIMIT, "%s: at most %d bytes expected", file, EGRESS_POLICY_BYTES_MAX);
    }
    return fields_parse(&p->arena, file, yaml, &root, err) && fields_read(&r, egress_policy_fields, root, p, err);
}

struct egress_policy *egress_policy_read(const char *file, struct span yaml, struct error *err)
{
    struct egress_policy *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
        return NULL;
    }
    arena_init(&p->arena, ARENA_KEEP, ARENA_MAX);
    if (!read_policy(p, file, yaml, err)) {
        egress_policy_free(p);
        return NULL;
    }
    return p;
}

struct egress_policy *egress_policy_load(const char *path, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, EGRESS_POLICY_BYTES_MAX);
    return trusted_file_read(path, &text, err) ? egress_policy_read(path, buf_span(&text), err) : NULL;
}

void egress_policy_free(struct egress_policy *p)
{
    if (p != NULL) {
        arena_deinit(&p->arena);
        free(p);
    }
}
