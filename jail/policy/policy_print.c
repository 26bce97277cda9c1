/* policy_print.c - prints a jail's policy with every default, and computes its digest. */
#include <sodium.h>

#include "base/cleanup.h"
#include "jail/policy/network.h"
#include "jail/policy/options.h"

enum { PRINT_MAX = 1024 * 1024 };

static bool print_options(const struct jail_policy *p, const struct field *fields, const char *indent, struct buf *out,
                          struct error *err)
{
    for (const struct field *f = fields; f->name != NULL; f++) {
        if (!jail_option_print(f, p, indent, out, err)) {
            return false;
        }
    }
    return true;
}

/* Sections without which there is no such part of a jail. */
static bool is_absent(const struct jail_policy *p, const struct field *section)
{
    return (section->fields == jail_outputs_fields && p->outputs.path == NULL) ||
           (section->fields == jail_snapshots_fields && !jail_policy_has_snapshots(p)) ||
           (section->fields == jail_filter_fields && p->filter.socket == NULL) ||
           (section->fields == jail_report_fields && p->report == NULL) || section->fields == jail_environment_fields;
}

static bool print_sections(const struct jail_policy *p, struct buf *out, struct error *err)
{
    for (const struct field *f = jail_policy_fields; f->name != NULL; f++) {
        if (f->type != &field_mapping || is_absent(p, f)) {
            continue;
        }
        if (!buf_appendf(out, err, "%s:\n", f->name) || !print_options(p, f->fields, "  ", out, err)) {
            return false;
        }
    }
    return true;
}

static bool print_inputs(const struct jail_policy *p, struct buf *out, struct error *err)
{
    bool is_good = buf_append_str(out, p->n_inputs == 0 ? "inputs: []\n" : "inputs:\n", err);

    for (size_t i = 0; is_good && i < p->n_inputs; i++) {
        is_good = buf_append_str(out, "  - {from: ", err) && jail_print_string(p->inputs[i].from, out, err) &&
                  buf_append_str(out, ", to: ", err) && jail_print_string(p->inputs[i].to, out, err) &&
                  buf_append_str(out, p->inputs[i].is_snapshot ? ", snapshot: true}\n" : "}\n", err);
    }
    return is_good;
}

static bool print_names(const struct jail_policy *p, struct buf *out, struct error *err)
{
    bool is_good = buf_append_str(out, "deny_names: [", err);

    for (size_t i = 0; is_good && i < p->n_denied_names; i++) {
        is_good = buf_append_str(out, i > 0 ? ", " : "", err) && jail_print_string(p->denied_names[i], out, err);
    }
    return is_good && buf_append_str(out, "]\n", err);
}

static bool print_honeytokens(const struct jail_policy *p, struct buf *out, struct error *err)
{
    bool is_good = buf_append_str(out, "honeytokens: [", err);

    for (size_t i = 0; is_good && i < p->n_honeytokens; i++) {
        is_good = buf_append_str(out, i > 0 ? ", " : "", err) && jail_print_string(p->honeytokens[i], out, err);
    }
    return is_good && buf_append_str(out, "]\n", err);
}

static bool print_variable(const struct jail_variable *v, struct buf *out, struct error *err)
{
    return buf_append_str(out, v->name, err) &&
           (v->value == NULL || (buf_append_str(out, ": ", err) && jail_print_string(v->value, out, err)));
}

/* Those that are passed, or those that are set. */
static bool print_variables(const struct jail_policy *p, bool are_set, struct buf *out, struct error *err)
{
    const char *separator = "";

    for (size_t i = 0; i < p->n_variables; i++) {
        const struct jail_variable *v = &p->variables[i];
        if ((v->value != NULL) != are_set) {
            continue;
        }
        if (!buf_append_str(out, separator, err) || !print_variable(v, out, err)) {
            return false;
        }
        separator = ", ";
    }
    return true;
}

static bool print_environment(const struct jail_policy *p, struct buf *out, struct error *err)
{
    return buf_append_str(out, "environment:\n  pass: [", err) && print_variables(p, false, out, err) &&
           buf_append_str(out, "]\n  set: {", err) && print_variables(p, true, out, err) &&
           buf_append_str(out, "}\n", err);
}

bool jail_policy_print(const struct jail_policy *p, struct buf *out, struct error *err)
{
    return print_options(p, jail_policy_fields, "", out, err) && jail_network_print(p, out, err) && print_environment(p, out, err) &&
           print_inputs(p, out, err) && print_names(p, out, err) && print_honeytokens(p, out, err) &&
           print_sections(p, out, err);
}

bool jail_policy_digest(const struct jail_policy *p, char digest[JAIL_POLICY_DIGEST], struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    uint8_t bytes[crypto_hash_sha256_BYTES];
    const size_t head = sizeof("sha256:") - 1;

    buf_init(&text, PRINT_MAX);
    if (!jail_policy_print(p, &text, err)) {
        return false;
    }
    (void)crypto_hash_sha256(bytes, (const uint8_t *)text.data, text.len);
    memcpy(digest, "sha256:", head);
    (void)sodium_bin2hex(digest + head, JAIL_POLICY_DIGEST - head, bytes, sizeof(bytes));
    return true;
}
