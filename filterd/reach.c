#include "reach.h"

#include <string.h>
#include <unistd.h>

#include "sandbox/sandbox.h"

const char *reach_socket(const char *address)
{
    return strncmp(address, "unix:", 5) == 0 ? address + 5 : NULL;
}

enum { PATHS = 40 + ENDPOINTS_MAX, PORTS = UPSTREAMS_MAX + ENDPOINTS_MAX + LOG_POLICY_MEMBERS_MAX + 2, PORT_DNS = 53 };

/* What resolving names and verifying certificates reads. */
static unsigned add_system_paths(struct sandbox_path *paths)
{
    static const char *const known[] = {
        "/etc",
        "/run/systemd/resolve",
        "/usr/lib/ssl",
        "/usr/share/ca-certificates",
        "/usr/local/share/ca-certificates",
    };
    unsigned n = 0;

    for (size_t i = 0; i < COUNT(known); i++) {
        if (access(known[i], R_OK) == 0) {
            paths[n++] = (struct sandbox_path){known[i], false};
        }
    }
    return n;
}

/* Credentials and CAs are read again at a reload. */
static void lock_upstreams(const struct upstreams *u, struct sandbox_reach *reach,
                           struct sandbox_path *paths, unsigned *ports)
{
    for (size_t i = 0; i < u->n; i++) {
        paths[reach->n_paths++] = (struct sandbox_path){u->items[i].credential_file, false};
        paths[reach->n_paths++] = (struct sandbox_path){u->items[i].ca, false};
        ports[reach->n_ports++] = u->items[i].port;
    }
}

static void lock_supervisors(const struct endpoints *e, struct sandbox_reach *reach, struct sandbox_path *paths,
                             unsigned *ports)
{
    for (size_t i = 0; i < e->n; i++) {
        paths[reach->n_paths++] = (struct sandbox_path){e->items[i].ca, false};
        ports[reach->n_ports++] = e->items[i].port;
    }
    paths[reach->n_paths++] = (struct sandbox_path){e->webhook.ca, false};
    paths[reach->n_paths++] = (struct sandbox_path){e->prompts, false};
    if (e->webhook.url != NULL) {
        ports[reach->n_ports++] = e->webhook.port;
    }
}

static void lock_witnesses(const struct witnesses *w, struct sandbox_reach *reach, unsigned *ports)
{
    for (size_t i = 0; i < w->policy.n_members; i++) {
        if (w->targets[i].url != NULL) {
            ports[reach->n_ports++] = w->targets[i].port;
        }
    }
}

void reach_restrict(const struct service_options *o, const struct upstreams *upstreams, const struct endpoints *endpoints,
                    const struct witnesses *witnesses)
{
    const struct sandbox_path own[] = {
        {o->state_directory, true},
        {o->cache_directory, true},
        {o->log, true},
        {reach_socket(o->listen), true},
        {reach_socket(o->operators), true},
        {reach_socket(o->agents), true},
        {reach_socket(o->link), true},
        {reach_socket(o->ext_proc), true},
        {o->state_directory == NULL ? "/tmp" : NULL, true}, /* batches spool there */
        {o->ship_state, false},
        {o->rules, false},
        {o->policy, false},
        {o->bundles, false},
        {o->bundle_keys, false},
        {o->tokens, false},
        {o->tls_certificate, false},
        {o->tls_key, false},
        {o->tls_client_ca, false},
        {o->upstreams, false},
        {o->copies, true},
        {o->console_key, false},
        {o->consoles, false},
        {o->supervisors, false},
        {"/proc", false},
        {"/dev", false},
    };

    static struct sandbox_path paths[PATHS + 2 * UPSTREAMS_MAX];
    static unsigned ports[PORTS];
    struct sandbox_reach reach = {.paths = paths, .n_paths = COUNT(own), .ports = ports};

    memcpy(paths, own, sizeof(own));
    if (upstreams != NULL) {
        lock_upstreams(upstreams, &reach, paths, ports);
    }
    if (endpoints != NULL) {
        lock_supervisors(endpoints, &reach, paths, ports);
    }
    if (witnesses != NULL) {
        lock_witnesses(witnesses, &reach, ports);
    }
    if (reach.n_ports > 0) {
        ports[reach.n_ports++] = PORT_DNS; /* long answers come over TCP */
        reach.n_paths += add_system_paths(paths + reach.n_paths);
    }
    sandbox_restrict_files(&reach);
}
