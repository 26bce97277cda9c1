#include "jail/egress/policy.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/trusted_file.h"
#include "jail/egress/wire/path.h"
#include "jail/egress/policy_values.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define SECOND INT64_C(1000)
#define HOUR (3600 * SECOND)
#define TIME_LONGEST (HOUR * 24 * 31)
enum { ARENA_KEEP = 64 * 1024, ARENA_MAX = 16 * 1024 * 1024 };

/* --- lists, whose length is beside them -------------------------------- */

static bool read_rule_hosts(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                            struct error *err)
{
    struct egress_rule *r = out;

    (void)f;
    return egress_read_hosts(a, node, &r->hosts, &r->n_hosts, err);
}

static bool read_rule_ports(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                            struct error *err)
{
    struct egress_rule *r = out;

    (void)f;
    return egress_read_ports(a, node, &r->ports, &r->n_ports, err);
}

static bool read_rule_addresses(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                                struct error *err)
{
    struct egress_rule *r = out;

    (void)f;
    return egress_read_addresses(a, node, &r->addresses, &r->n_addresses, err);
}

static bool read_credential_hosts(struct arena *a, const struct egress_field *f, const struct yaml_node *node,
                                  void *out, struct error *err)
{
    struct egress_credential *c = out;

    (void)f;
    return egress_read_hosts(a, node, &c->hosts, &c->n_hosts, err);
}

static bool read_plain(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    (void)a;
    (void)f;
    return yaml_read_flag(node, out, err);
}

/* --- the keys ------------------------------------------------------------- */

static const char *const schemes[] = {"http", "https", NULL};
static const char *const tls_modes[] = {"open", "passthrough", NULL};
static const char *const judges[] = {"both", "requests", "responses", "none", NULL};
static const char *const responses[] = {"refuse", "annotate", "strip", NULL};

#define AT(member) offsetof(struct egress_rule, member)
static const struct egress_field rule_fields[] = {
    {"name", egress_read_name, AT(name), 0, 0, true, NULL},
    {"hosts", read_rule_hosts, 0, 0, 0, true, NULL},
    {"ports", read_rule_ports, 0, 0, 0, false, NULL},
    {"scheme", egress_read_choice, AT(scheme), 0, 0, true, schemes},
    {"tls", egress_read_choice, AT(tls), 0, 0, false, tls_modes},
    {"ca", egress_read_string, AT(ca), 0, 0, false, NULL},
    {"methods", egress_read_methods, AT(methods), 0, 0, false, NULL},
    {"paths", egress_read_paths, AT(paths), 0, 0, false, NULL},
    {"may_reach", egress_read_classes, AT(may_reach), 0, 0, false, NULL},
    {"addresses", read_rule_addresses, 0, 0, 0, false, NULL},
    {"rate", egress_read_rate, AT(rate), 0, 0, false, NULL},
    {"bytes_out", egress_read_size, AT(bytes_out), 0, EGRESS_NONE, false, NULL},
    {"bytes_in", egress_read_size, AT(bytes_in), 0, EGRESS_NONE, false, NULL},
    {"request_max", egress_read_size, AT(request_max), 0, 64 * MIB, false, NULL},
    {"response_max", egress_read_size, AT(response_max), 0, 64 * MIB, false, NULL},
    {"judge", egress_read_choice, AT(judge), 0, 0, false, judges},
    {"on_response", egress_read_choice, AT(on_response), 0, 0, false, responses},
    {"policy", egress_read_name, AT(policy), 0, 0, false, NULL},
};
#undef AT

#define AT(member) offsetof(struct egress_credential, member)
static const struct egress_field credential_fields[] = {
    {"file", egress_read_string, AT(file), 0, 0, false, NULL},
    {"env", egress_read_string, AT(variable), 0, 0, false, NULL},
    {"hosts", read_credential_hosts, 0, 0, 0, true, NULL},
    {"methods", egress_read_methods, AT(methods), 0, 0, true, NULL},
    {"paths", egress_read_paths, AT(paths), 0, 0, true, NULL},
    {"plain", read_plain, AT(may_be_plain), 0, 0, false, NULL},
    {"ttl", egress_read_time, AT(ttl), 1, TIME_LONGEST, true, NULL},
    {"uses", egress_read_count, AT(uses), 1, INT32_MAX, true, NULL},
};
#undef AT

#define AT(member) offsetof(struct egress_limits, member)
static const struct egress_field limit_fields[] = {
    {"connections", egress_read_count, AT(connections), 1, 1024, false, NULL},
    {"head", egress_read_size, AT(head), 1 * KIB, 32 * KIB, false, NULL},
    {"idle", egress_read_time, AT(idle), 1, HOUR, false, NULL},
    {"total", egress_read_time, AT(total), 1, TIME_LONGEST, false, NULL},
    {"connect", egress_read_time, AT(connect), 1, HOUR, false, NULL},
    {"drain", egress_read_time, AT(drain), 1, HOUR, false, NULL},
    {"dns", egress_read_rate, AT(dns), 0, 0, false, NULL},
};
#undef AT

/* --- one rule ------------------------------------------------------------- */

static bool expect_no_content_keys(const struct yaml_node *node, struct error *err)
{
    static const char *const keys[] = {"methods",     "paths",        "judge",  "on_response",
                                       "request_max", "response_max", "policy", "ca"};

    for (size_t i = 0; i < COUNT(keys); i++) {
        const struct yaml_node *there = yaml_get(node, keys[i]);
        if (there != NULL) {
            return error_set(err, ERROR_INVALID,
                             "%s:%u:%u: no '%s' expected with tls: passthrough, whose content is not seen", there->file,
                             there->key_line, there->key_column, keys[i]);
        }
    }
    return true;
}

static bool read_rule(struct arena *a, const struct yaml_node *node, struct egress_rule *out, struct error *err)
{
    static const uint16_t ports[] = {[EGRESS_HTTP] = 80, [EGRESS_HTTPS] = 443};
    struct egress_rule r = {
        .rate = {EGRESS_NONE, 1},
        .bytes_out = EGRESS_NONE,
        .bytes_in = EGRESS_NONE,
        .request_max = 8 * MIB,
        .response_max = 8 * MIB,
    };

    if (!egress_fields_read(a, rule_fields, COUNT(rule_fields), node, &r, err)) {
        return false;
    }
    if (r.ports == NULL) {
        r.ports = &ports[r.scheme];
        r.n_ports = 1;
    }
    const struct yaml_node *tls = yaml_get(node, "tls");
    if ((r.scheme == EGRESS_HTTPS) != (tls != NULL)) {
        return yaml_error(node, err, "'tls' expected with scheme https, and with no other");
    }
    if (r.ca.len > 0 && tls == NULL) {
        return yaml_error(node, err, "'ca' with tls: open expected, and with no other");
    }
    if (!egress_is_seen(&r)) {
        r.judge = EGRESS_JUDGE_NONE;
        if (!expect_no_content_keys(node, err)) {
            return false;
        }
    } else if (r.methods.n == 0 || r.paths.n == 0) {
        return yaml_error(node, err, "'methods' and 'paths' expected with scheme http and with tls: open");
    }
    *out = r;
    return true;
}

static bool read_rules(struct egress_policy *p, const struct yaml_node *list, struct error *err)
{
    if (!yaml_expect(list, YAML_SEQUENCE, "rules", err)) {
        return false;
    }
    if (list->n > EGRESS_RULES_MAX) {
        return yaml_error(list, err, "at most %d rules expected", EGRESS_RULES_MAX);
    }
    struct egress_rule *rules = arena_array(&p->arena, list->n + 1, sizeof(*rules), err);
    if (rules == NULL) {
        return false;
    }
    for (const struct yaml_node *c = list->first; c != NULL; c = c->next) {
        if (!read_rule(&p->arena, c, &rules[p->n_rules], err)) {
            return false;
        }
        for (size_t i = 0; i < p->n_rules; i++) {
            if (span_equal(rules[i].name, rules[p->n_rules].name)) {
                return yaml_error(c, err, "another name expected, this one stands twice");
            }
        }
        p->n_rules++;
    }
    p->rules = rules;
    return true;
}

/* --- the file ------------------------------------------------------------- */

static bool read_credential(struct arena *a, const struct yaml_node *node, struct egress_credential *out,
                            struct error *err)
{
    const struct egress_field name = {.key = "name"};
    const struct yaml_node key = {.kind = YAML_SCALAR,
                                  .text = node->key,
                                  .file = node->file,
                                  .line = node->key_line,
                                  .column = node->key_column};
    struct egress_credential c = {0};

    if (!egress_read_name(a, &name, &key, &c.name, err) ||
        !egress_fields_read(a, credential_fields, COUNT(credential_fields), node, &c, err)) {
        return false;
    }
    if ((c.file.len > 0) == (c.variable.len > 0)) {
        return yaml_error(node, err, "'file' or 'env' expected");
    }
    *out = c;
    return true;
}

static bool read_credentials(struct egress_policy *p, const struct yaml_node *mapping, struct error *err)
{
    if (!yaml_expect(mapping, YAML_MAPPING, "credentials", err)) {
        return false;
    }
    if (mapping->n > EGRESS_CREDENTIALS_MAX) {
        return yaml_error(mapping, err, "at most %d credentials expected", EGRESS_CREDENTIALS_MAX);
    }
    struct egress_credential *all = arena_array(&p->arena, mapping->n + 1, sizeof(*all), err);
    if (all == NULL) {
        return false;
    }
    for (const struct yaml_node *c = mapping->first; c != NULL; c = c->next) {
        if (!read_credential(&p->arena, c, &all[p->n_credentials], err)) {
            return false;
        }
        p->n_credentials++;
    }
    p->credentials = all;
    return true;
}

static bool read_sections(struct egress_policy *p, const struct yaml_node *root, struct error *err)
{
    static const char *const keys[] = {"rules", "credentials", "limits", NULL};
    const struct yaml_node *rules = yaml_get(root, "rules");
    const struct yaml_node *credentials = yaml_get(root, "credentials");
    const struct yaml_node *limits = yaml_get(root, "limits");

    if (!yaml_check_keys(root, keys, err)) {
        return false;
    }
    if (rules == NULL) {
        return yaml_error(root, err, "'rules' expected; an empty list lets nothing out");
    }
    return read_rules(p, rules, err) && (credentials == NULL || read_credentials(p, credentials, err)) &&
           (limits == NULL ||
            egress_fields_read(&p->arena, limit_fields, COUNT(limit_fields), limits, &p->limits, err));
}

static bool read_policy(struct egress_policy *p, const char *file, struct span yaml, struct error *err)
{
    struct yaml_node *root = NULL;
    struct span text, name;

    p->limits = (struct egress_limits){.connections = 64,
                                       .head = 16 * KIB,
                                       .idle = 60 * SECOND,
                                       .total = HOUR,
                                       .connect = 10 * SECOND,
                                       .drain = 5 * SECOND,
                                       .dns = {20, SECOND}};
    if (yaml.len > EGRESS_POLICY_BYTES_MAX) {
        return error_set(err, ERROR_LIMIT, "%s: at most %d bytes expected", file, EGRESS_POLICY_BYTES_MAX);
    }
    if (!arena_copy(&p->arena, yaml, &text, err) ||
        !arena_copy(&p->arena, span_of(file, strlen(file) + 1), &name, err) ||
        !yaml_parse(&p->arena, name.ptr, text, &root, err)) {
        return false;
    }
    if (root == NULL) {
        return error_set(err, ERROR_INVALID, "%s:1:1: 'rules' expected", file);
    }
    return yaml_expect(root, YAML_MAPPING, "file", err) && read_sections(p, root, err);
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
