/* policy_check.c - checks of a jail's policy across its keys. */
#include "jail/policy/policy_check.h"

#include <inttypes.h>

bool jail_path_is_within(const char *inner, const char *outer)
{
    size_t len = strlen(outer);

    return strncmp(inner, outer, len) == 0 && (inner[len] == '/' || inner[len] == '\0');
}

/* A section may come from the profile that the file begins with. */
static const struct yaml_node *place_of(const struct yaml_node *root, const char *key)
{
    const struct yaml_node *at = yaml_get(root, key);

    return at != NULL ? at : root;
}

static bool check_outputs(const struct yaml_node *root, const struct jail_policy *p, struct error *err)
{
    const struct yaml_node *at = yaml_get(root, "outputs");

    if (at == NULL) {
        return true;
    }
    if (jail_path_is_within(p->outputs.path, p->work_path) || jail_path_is_within(p->work_path, p->outputs.path)) {
        return yaml_error(at, err, "a path outside the work folder %s expected", p->work_path);
    }
    for (size_t i = 0; i < p->n_inputs; i++) {
        if (jail_path_is_within(p->outputs.path, p->inputs[i].to) || jail_path_is_within(p->inputs[i].to, p->outputs.path)) {
            return yaml_error(at, err, "a path outside the input %s expected", p->inputs[i].to);
        }
        if (jail_path_is_within(p->outputs.quarantine, p->inputs[i].from) ||
            jail_path_is_within(p->inputs[i].from, p->outputs.quarantine)) {
            return yaml_error(at, err, "a quarantine outside the input %s expected", p->inputs[i].from);
        }
    }
    return true;
}

static bool check_network(const struct yaml_node *root, const struct jail_policy *p, struct error *err)
{
    if (p->network.egress == NULL) {
        return true;
    }
    const struct yaml_node *at = place_of(root, "network");
    if (p->profile != JAIL_PROFILE_AGENT) {
        return yaml_error(at, err, "syscalls.profile: agent expected, as 'strict' has no sockets");
    }
    for (size_t i = 0; i < p->n_inputs; i++) {
        if (jail_path_is_within(p->network.record, p->inputs[i].from)) {
            return yaml_error(at, err, "a record outside the input %s expected", p->inputs[i].from);
        }
    }
    return true;
}

/* A report that the jail can read would reveal its isolation mechanisms. */
static bool check_report(const struct yaml_node *root, const struct jail_policy *p, struct error *err)
{
    for (size_t i = 0; p->report != NULL && i < p->n_inputs; i++) {
        if (jail_path_is_within(p->report, p->inputs[i].from) || jail_path_is_within(p->inputs[i].from, p->report)) {
            return yaml_error(place_of(root, "report"), err, "a folder outside the input %s expected", p->inputs[i].from);
        }
    }
    return true;
}

/* A honeytoken is a file of the jail's own: what is shown or comes out has none. */
static bool check_honeytokens(const struct yaml_node *root, const struct jail_policy *p, struct error *err)
{
    const struct yaml_node *at = place_of(root, "honeytokens");

    for (size_t i = 0; i < p->n_honeytokens; i++) {
        if (jail_path_is_within(p->work_path, p->honeytokens[i]) ||
            (p->outputs.path != NULL && (jail_path_is_within(p->honeytokens[i], p->outputs.path) || jail_path_is_within(p->outputs.path, p->honeytokens[i])))) {
            return yaml_error(at, err, "%s: a file, and none of the outputs, expected", p->honeytokens[i]);
        }
        for (size_t k = 0; k < p->n_inputs; k++) {
            if (jail_path_is_within(p->honeytokens[i], p->inputs[k].to) || jail_path_is_within(p->inputs[k].to, p->honeytokens[i])) {
                return yaml_error(at, err, "%s: a place outside the input %s expected", p->honeytokens[i], p->inputs[k].to);
            }
        }
    }
    return true;
}

/* Copies are made in the jail's memory: more than that would end it before it begins. */
static bool check_snapshots(const struct yaml_node *root, const struct jail_policy *p, struct error *err)
{
    return !jail_policy_has_snapshots(p) || p->snapshots.bytes <= p->limits.memory ||
           yaml_error(place_of(root, "snapshots"), err, "snapshots.size: at most limits.memory, %" PRId64 ", expected", p->limits.memory);
}

/* Landlock adds up the rights of the folders above a file, so nothing read-only may be in a folder that
 * may be written. */
bool jail_policy_check(const struct yaml_node *root, const struct jail_policy *p, struct error *err)
{
    for (size_t i = 0; i < p->n_inputs; i++) {
        const char *to = p->inputs[i].to;
        if (jail_path_is_within(p->work_path, to) || jail_path_is_within(to, p->work_path)) {
            return yaml_error(place_of(root, "inputs"), err, "input %s: a place outside the work folder %s expected", to,
                              p->work_path);
        }
    }
    return check_outputs(root, p, err) && check_network(root, p, err) && check_honeytokens(root, p, err) &&
           check_report(root, p, err) && check_snapshots(root, p, err);
}
