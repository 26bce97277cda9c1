#include "ship/config.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "formats/base_url.h"

enum { FILE_MAX = 256 * 1024, MEMORY_MAX = 4 * 1024 * 1024, SECRET_MAX = 8 * 1024, HOST_BYTES_MAX = 255, PREFIX_MAX = 64 };

/* --- values ------------------------------------------------------------------ */

bool ship_is_name(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!is_word && (i == 0 || (c != '-' && c != '_'))) {
            return false;
        }
    }
    return name.len > 0 && name.len <= SHIP_NAME_MAX;
}

static bool read_name(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    (void)r, (void)f;
    *(struct span *)out = node->text;
    return ship_is_name(node->text) ||
           yaml_expected(node, err, "a name of 1 to %d letters a-z, digits, '-' and '_'", SHIP_NAME_MAX);
}

/* As RFC 9110 has a field name. */
static bool read_header_name(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                             struct error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    bool is_right = node->text.len > 0;

    (void)r, (void)f;
    for (size_t i = 0; i < node->text.len && is_right; i++) {
        is_right = memchr(letters, node->text.ptr[i], sizeof(letters) - 1) != NULL;
    }
    *(struct span *)out = node->text;
    return is_right || yaml_expected(node, err, "the name of a header, of letters, digits, '-' and '_',");
}

static bool is_visible(struct span text, char first)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < first || text.ptr[i] >= 0x7f) {
            return false;
        }
    }
    return true;
}

static bool read_prefix(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    return field_text.read(r, f, node, out, err) &&
           (is_visible(node->text, ' ') || yaml_expected(node, err, "printable ASCII"));
}

/* HOST:PORT or [ADDRESS]:PORT, as two strings side by side. */
static bool read_host_port(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                           struct error *err)
{
    struct span text = node->text;
    const char **parts = out;
    size_t colon = text.len;

    (void)f;
    while (colon > 0 && text.ptr[colon - 1] >= '0' && text.ptr[colon - 1] <= '9') {
        colon--;
    }
    struct span port = span_slice(text, colon, text.len);
    struct span host = span_of(text.ptr, colon == 0 ? 0 : colon - 1);
    bool is_bracketed = host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';
    if (is_bracketed) {
        host = span_slice(host, 1, host.len - 1);
    }
    bool is_right = colon > 0 && text.ptr[colon - 1] == ':' && port.len > 0 && port.len <= 5 && host.len > 0 &&
                    host.len <= HOST_BYTES_MAX && is_visible(host, '!') &&
                    (is_bracketed || memchr(host.ptr, ':', host.len) == NULL);
    if (!is_right || node->kind != YAML_SCALAR) {
        return yaml_expected(node, err, "host:port");
    }
    parts[0] = arena_string(r->arena, host, err);
    parts[1] = arena_string(r->arena, port, err);
    return parts[0] != NULL && parts[1] != NULL;
}

/* --- what belongs together ---------------------------------------------------- */

/* Which formats a kind of destination can carry. */
enum { BIT_HTTP = 1, BIT_SYSLOG = 2, BIT_FILE = 4 };
static const unsigned carried_by[] = {
    [SHIP_OTLP] = BIT_HTTP,
    [SHIP_TRACES] = BIT_HTTP,
    [SHIP_OCSF] = BIT_HTTP | BIT_FILE,
    [SHIP_CEF] = BIT_SYSLOG | BIT_FILE,
    [SHIP_RECORD] = BIT_HTTP | BIT_FILE,
};

static bool is_loopback(const char *url)
{
    static const char *const hosts[] = {"http://127.", "http://localhost", "http://[::1]"};

    for (size_t i = 0; i < COUNT(hosts); i++) {
        size_t len = strlen(hosts[i]);
        if (strncmp(url, hosts[i], len) == 0 && (i == 0 || strchr(":/", url[len]) != NULL)) {
            return true;
        }
    }
    return false;
}

static bool check_sink(const struct field_reader *r, const struct yaml_node *node, void *out, struct error *err)
{
    const struct ship_sink *s = out;
    unsigned to = (s->url != NULL ? BIT_HTTP : 0U) | (s->syslog.host != NULL ? BIT_SYSLOG : 0U) |
                  (s->file != NULL ? BIT_FILE : 0U);

    (void)r;
    if (to == 0 || (to & (to - 1)) != 0) {
        return yaml_error(node, err, "one of 'url', 'syslog' and 'file' expected");
    }
    if ((to & carried_by[s->format]) == 0) {
        return yaml_error(node, err, "another format expected: otlp and otlp-traces go to a url, ocsf and record to a url or a file, "
                                     "cef to syslog or a file");
    }
    if (s->url != NULL && strncmp(s->url, "http:", 5) == 0 && !is_loopback(s->url)) {
        return yaml_error(yaml_get(node, "url"), err, "url: https expected: http is for this machine alone");
    }
    if (to == BIT_FILE && (s->ca != NULL || s->certificate != NULL || s->n_headers > 0)) {
        return yaml_error(node, err, "no 'ca', 'certificate' and 'headers' expected with a file");
    }
    if (to == BIT_SYSLOG && s->n_headers > 0) {
        return yaml_error(node, err, "no 'headers' expected with syslog");
    }
    return (s->certificate == NULL) == (s->key == NULL) ||
           yaml_error(node, err, "'certificate' and 'key' expected together");
}

/* --- the keys ------------------------------------------------------------------ */

static const char *const formats[] = {[SHIP_OTLP] = "otlp", [SHIP_OCSF] = "ocsf", [SHIP_CEF] = "cef", [SHIP_RECORD] = "record",
                                      [SHIP_TRACES] = "otlp-traces", NULL};
static const struct field_type name_type = {"name", read_name, NULL, 0}, header_type = {"name", read_header_name, NULL, 0},
                               prefix_type = {"text", read_prefix, NULL, 0},
                               host_port_type = {"host:port", read_host_port, NULL, 0};

#define AT(member) FIELD_AT(struct ship_header, member)
static const struct field header_name = {"name", &header_type, AT(name), .initial = NULL};
const struct field ship_header_fields[] = {
    {"file", &field_file, AT(file), .min = 1, .is_required = true},
    {"prefix", &prefix_type, AT(prefix), .max = PREFIX_MAX},
    {0},
};
#undef AT

#define AT(member) FIELD_AT(struct ship_sink, member)
static const struct field sink_name = {"name", &name_type, AT(name), .initial = NULL};
const struct field ship_sink_fields[] = {
    {"format", &field_choice, AT(format), .names = formats, .is_required = true},
    {"url", &field_url, FIELD_URL_AT(struct ship_sink, url, port), .initial = NULL},
    {"syslog", &host_port_type, AT(syslog), .initial = NULL},
    {"file", &field_file, AT(file), .min = 1},
    {"ca", &field_file, AT(ca), .min = 1},
    {"certificate", &field_file, AT(certificate), .min = 1},
    {"key", &field_file, AT(key), .min = 1},
    {"headers", &field_map, FIELD_LIST_AT(struct ship_sink, headers, n_headers), 0, SHIP_HEADERS_MAX,
     .fields = ship_header_fields, .entry = sizeof(struct ship_header), .key = &header_name},
    {"timeout", &field_ms, AT(timeout), 1000, 600e3, .initial = "30s"},
    {"batch", &field_integer, AT(batch), 1, SHIP_BATCH_MAX, .initial = "500"},
    {0},
};
#undef AT

#define AT(member) FIELD_AT(struct ship_config, member)
const struct field ship_config_fields[] = {
    {"log", &field_file, AT(log), .min = 1, .initial = "/var/log/filterd/decisions.jsonl"},
    {"state", &field_file, AT(state), .min = 1, .initial = "/var/lib/filterd/ship"},
    {"metrics", &field_file, AT(metrics), .min = 1},
    {"drain", &field_ms, AT(drain), 0, 3600e3, .initial = "10s"},
    {"sinks", &field_map, FIELD_LIST_AT(struct ship_config, sinks, n_sinks), 1, SHIP_SINKS_MAX, .fields = ship_sink_fields,
     .entry = sizeof(struct ship_sink), .key = &sink_name, .check = check_sink, .is_required = true},
    {0},
};
#undef AT

/* --- the file ------------------------------------------------------------------- */

struct ship_config *ship_config_parse(const char *file, struct span yaml, struct error *err)
{
    struct ship_config *c = calloc(1, sizeof(*c));
    const struct yaml_node *root = NULL;

    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
        return NULL;
    }
    arena_init(&c->memory, 0, MEMORY_MAX);
    const struct field_reader r = {.arena = &c->memory};
    if (!fields_parse(&c->memory, file, yaml, &root, err) || !fields_read(&r, ship_config_fields, root, c, err)) {
        ship_config_free(c);
        return NULL;
    }
    return c;
}

/* "Name: prefix value". White space around the value is taken off: editors end a file with a newline. */
static bool make_header(struct ship_config *c, struct ship_header *h, struct span value, struct error *err)
{
    while (value.len > 0 && strchr(" \t\r\n", value.ptr[value.len - 1]) != NULL) {
        value.len--;
    }
    if (value.len == 0 || !is_visible(value, ' ')) {
        return error_set(err, ERROR_INVALID, "%s: one line of printable ASCII expected", h->file);
    }
    size_t room = h->name.len + h->prefix.len + value.len + 3;
    char *line = arena_alloc(&c->memory, room, err);
    if (line == NULL) {
        return false;
    }
    (void)snprintf(line, room, SPAN_FMT ": " SPAN_FMT SPAN_FMT, SPAN_ARG(h->name), SPAN_ARG(h->prefix), SPAN_ARG(value));
    h->line = line;
    return true;
}

static bool load_header(struct ship_config *c, struct ship_header *h, struct error *err)
{
    struct buf text;

    buf_init(&text, SECRET_MAX);
    bool is_read = file_read(h->file, &text, err) && make_header(c, h, buf_span(&text), err);
    if (text.cap > 0) {
        explicit_bzero(text.data, text.cap);
    }
    buf_deinit(&text);
    return is_read;
}

static bool load_sink(struct ship_config *c, const struct ship_sink *s, struct error *err)
{
    const char *const files[] = {s->ca, s->certificate, s->key};

    for (size_t i = 0; i < COUNT(files); i++) {
        if (files[i] != NULL && access(files[i], R_OK) != 0) {
            return error_errno(err, "%s", files[i]);
        }
    }
    for (size_t i = 0; i < s->n_headers; i++) {
        if (!load_header(c, &s->headers[i], err)) {
            return false;
        }
    }
    return true;
}

struct ship_config *ship_config_load(const char *path, struct error *err)
{
    struct ship_config *c = NULL;
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, FILE_MAX);
    if (file_read(path, &text, err)) {
        c = ship_config_parse(path, buf_span(&text), err);
    }
    for (size_t i = 0; c != NULL && i < c->n_sinks; i++) {
        if (!load_sink(c, &c->sinks[i], err)) {
            error_wrap(err, "%s: sink " SPAN_FMT, path, SPAN_ARG(c->sinks[i].name));
            ship_config_free(c);
            return NULL;
        }
    }
    return c;
}

void ship_config_free(struct ship_config *c)
{
    if (c == NULL) {
        return;
    }
    for (size_t i = 0; i < c->n_sinks; i++) {
        for (size_t k = 0; k < c->sinks[i].n_headers; k++) {
            const char *line = c->sinks[i].headers[k].line;
            if (line != NULL) {
                explicit_bzero((char *)(uintptr_t)line, strlen(line));
            }
        }
    }
    arena_deinit(&c->memory);
    free(c);
}
