#include "ship/reach.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMORY_MAX = 4 * 1024 * 1024, PORT_DNS = 53 };

/* The folder of a file, or that folder; its real name. */
static bool real_folder(const char *path, char real[PATH_MAX], struct error *err)
{
    char folder[PATH_MAX];
    struct stat info;

    if (strlen(path) >= sizeof(folder)) {
        return error_set(err, ERROR_INVALID, "a shorter path expected");
    }
    (void)snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    if (!is_folder && slash == NULL) {
        (void)snprintf(folder, sizeof(folder), ".");
    } else if (!is_folder) {
        slash[slash == folder ? 1 : 0] = '\0';
    }
    return realpath(folder, real) != NULL || error_errno(err, "%s", folder);
}

static bool add_path(struct ship_reach *r, const char *path, bool is_writable, struct error *err)
{
    char real[PATH_MAX];

    if (path == NULL) {
        return true;
    }
    if (r->n_paths == COUNT(r->paths)) {
        return error_set(err, ERROR_LIMIT, "at most %zu folders expected", COUNT(r->paths));
    }
    if (!real_folder(path, real, err)) {
        return false;
    }
    const char *kept = arena_string(&r->memory, span_str(real), err);
    r->paths[r->n_paths++] = (struct sandbox_path){kept, is_writable};
    return kept != NULL;
}

/* What resolving names and verifying certificates reads. */
static bool add_system(struct ship_reach *r, struct error *err)
{
    static const char *const known[] = {"/etc", "/run/systemd/resolve", "/usr/lib/ssl", "/usr/share/ca-certificates",
                                        "/usr/local/share/ca-certificates"};
    bool is_added = true;

    for (size_t i = 0; i < COUNT(known) && is_added; i++) {
        is_added = access(known[i], R_OK) != 0 || add_path(r, known[i], false, err);
    }
    r->ports[r->n_ports++] = PORT_DNS; /* long answers come over TCP */
    return is_added;
}

static bool add_sink(struct ship_reach *r, const struct ship_sink *s, struct error *err)
{
    bool is_added = add_path(r, s->file, true, err) && add_path(r, s->ca, false, err) &&
                    add_path(r, s->certificate, false, err) && add_path(r, s->key, false, err);

    for (size_t i = 0; i < s->n_headers && is_added; i++) {
        is_added = add_path(r, s->headers[i].file, false, err);
    }
    if (s->url != NULL || s->syslog.host != NULL) {
        r->ports[r->n_ports++] = s->url != NULL ? s->port : (unsigned)strtoul(s->syslog.port, NULL, 10);
    }
    return is_added || error_wrap(err, "sink " SPAN_FMT, SPAN_ARG(s->name));
}

bool ship_reach_init(struct ship_reach *r, const struct ship_config *c, const char *path, struct error *err)
{
    *r = (struct ship_reach){0};
    arena_init(&r->memory, 0, MEMORY_MAX);
    bool is_made = add_path(r, path, false, err) && add_path(r, c->log, false, err) && add_path(r, c->state, true, err) &&
                   add_path(r, c->metrics, true, err);
    for (size_t i = 0; i < c->n_sinks && is_made; i++) {
        is_made = add_sink(r, &c->sinks[i], err);
    }
    return is_made && (r->n_ports == 0 || add_system(r, err));
}

void ship_reach_deinit(struct ship_reach *r)
{
    arena_deinit(&r->memory);
}

void ship_reach_enter(const struct ship_reach *r)
{
    sandbox_restrict_files(&(struct sandbox_reach){
        .paths = r->paths, .n_paths = r->n_paths, .ports = r->ports, .n_ports = r->n_ports});
}

static bool is_within(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/' || folder[len - 1] == '/');
}

static bool covers_path(const struct ship_reach *have, const struct sandbox_path *wanted)
{
    for (unsigned i = 0; i < have->n_paths; i++) {
        if (is_within(wanted->path, have->paths[i].path) && (have->paths[i].is_writable || !wanted->is_writable)) {
            return true;
        }
    }
    return false;
}

static bool covers_port(const struct ship_reach *have, unsigned port)
{
    for (unsigned i = 0; i < have->n_ports; i++) {
        if (have->ports[i] == port) {
            return true;
        }
    }
    return false;
}

bool ship_reach_covers(const struct ship_reach *have, const struct ship_reach *wanted, struct error *err)
{
    for (unsigned i = 0; i < wanted->n_paths; i++) {
        if (!covers_path(have, &wanted->paths[i])) {
            return error_set(err, ERROR_DENIED, "%s: a restart lets it through the sandbox", wanted->paths[i].path);
        }
    }
    for (unsigned i = 0; i < wanted->n_ports; i++) {
        if (!covers_port(have, wanted->ports[i])) {
            return error_set(err, ERROR_DENIED, "port %u: a restart lets it through the sandbox", wanted->ports[i]);
        }
    }
    return true;
}
