#include "link/config.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "formats/base_url.h"
#include "ship/config.h"

enum { FILE_MAX = 64 * 1024, MEMORY_MAX = 1024 * 1024, BATCH_MAX = 10000 };

static bool read_node(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    (void)r, (void)f;
    *(struct span *)out = node->text;
    return ship_is_name(node->text) ||
           yaml_expected(node, err, "a name of 1 to %d letters a-z, digits, '-' and '_'", SHIP_NAME_MAX);
}

static bool read_keep(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out, struct error *err)
{
    struct error why;

    (void)r, (void)f;
    return retention_parse(node->text, out, &why) || yaml_expected(node, err, "a term for all lines, such as 400d, and terms of types behind it, such as 400d,review=6y");
}

static const struct field_type node_type = {"name", read_node, NULL, 0}, keep_type = {"terms", read_keep, NULL, 0};

#define AT(member) FIELD_AT(struct link_config, member)
const struct field link_config_fields[] = {
    {"node", &node_type, AT(node), .is_required = true},
    {"connection", &field_file, AT(connection), .min = 1, .initial = "/etc/filterd/store.conf"},
    {"log", &field_file, AT(log), .min = 1, .initial = "/var/log/filterd/decisions.jsonl"},
    {"state", &field_file, AT(state), .min = 1, .initial = "/var/lib/filterd/ship"},
    {"filterd", &field_file, AT(filterd), .min = 1},
    {"bundles", &field_file, AT(bundles), .min = 1},
    {"bundle-url", &field_url, FIELD_URL_AT(struct link_config, bundle_url, bundle_port), .initial = NULL},
    {"bundle-ca", &field_file, AT(bundle_ca), .min = 1},
    {"bundle-interval", &field_integer, AT(bundle_interval), 10, 86400, .initial = "60"},
    {"copies", &field_file, AT(copies), .min = 1},
    {"keep", &keep_type, AT(keep), .initial = NULL},
    {"metrics", &field_file, AT(metrics), .min = 1},
    {"batch", &field_integer, AT(batch), 1, BATCH_MAX, .initial = "1000"},
    {0},
};
#undef AT

static struct link_config *link_config_parse(const char *file, struct span yaml, struct error *err)
{
    struct link_config *c = calloc(1, sizeof(*c));
    const struct yaml_node *root = NULL;

    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
        return NULL;
    }
    arena_init(&c->memory, 0, MEMORY_MAX);
    const struct field_reader r = {.arena = &c->memory};
    if (!fields_parse(&c->memory, file, yaml, &root, err) || !fields_read(&r, link_config_fields, root, c, err)) {
        link_config_free(c);
        return NULL;
    }
    if (c->bundle_url != NULL && c->bundles == NULL) {
        error_set(err, ERROR_INVALID, "%s: bundles: a folder expected with bundle-url", file);
        link_config_free(c);
        return NULL;
    }
    return c;
}

struct link_config *link_config_load(const char *path, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, FILE_MAX);
    return file_read(path, &text, err) ? link_config_parse(path, buf_span(&text), err) : NULL;
}

void link_config_free(struct link_config *c)
{
    if (c != NULL) {
        arena_deinit(&c->memory);
        free(c);
    }
}
