/* config.h - the configuration of filterd-ship(8): which log goes to which sinks, and how.
 *
 * Read by the tables below (base/fields.h), strictly. Everything lives in the configuration's arena until ship_config_free;
 * secrets of sinks are wiped then. Paths are as written. Times are milliseconds. Any thread may read it. */
#ifndef FILTERD_SHIP_CONFIG_H
#define FILTERD_SHIP_CONFIG_H

#include "base/fields.h"

enum { SHIP_SINKS_MAX = 16, SHIP_HEADERS_MAX = 16, SHIP_NAME_MAX = 32, SHIP_BATCH_MAX = 500 };

/* What becomes of a line. */
enum ship_format_kind { SHIP_OTLP, SHIP_OCSF, SHIP_CEF, SHIP_RECORD, SHIP_TRACES };

/* A header of every request whose value is a secret. */
struct ship_header {
    struct span name, prefix;
    const char *file;
    const char *line; /* "Name: prefix value"; read by ship_config_load */
};

struct ship_sink {
    struct span name;
    unsigned format; /* enum ship_format_kind */
    /* Where to: one of the three is set. */
    const char *url;
    unsigned port;
    struct {
        const char *host, *port;
    } syslog;
    const char *file;
    const char *ca, *certificate, *key;
    struct ship_header *headers;
    size_t n_headers;
    int64_t timeout;
    int64_t batch; /* lines */
};

struct ship_config {
    struct arena memory;
    const char *log, *state;
    const char *metrics; /* NULL: none */
    int64_t drain;
    struct ship_sink *sinks;
    size_t n_sinks;
};

/* Into struct ship_config, struct ship_sink and struct ship_header. */
extern const struct field ship_config_fields[], ship_sink_fields[], ship_header_fields[];

/* Whether it may name a sink: 1 to SHIP_NAME_MAX letters a-z, digits, '-' and '_'. */
bool ship_is_name(struct span name);

/* NULL on failure. `file` is for messages. Secrets are not read. */
struct ship_config *ship_config_parse(const char *file, struct span yaml, struct error *err);
/* The file, and the secrets it names. */
struct ship_config *ship_config_load(const char *path, struct error *err);
void ship_config_free(struct ship_config *c); /* accepts NULL */

#endif
