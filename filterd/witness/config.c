#include "witness/config.h"

#include "base/address.h"
#include "base/file.h"

enum { CONFIG_FILE_MAX = 1024 * 1024 };

static bool read_log(const struct field_reader *r, const struct yaml_node *item, void *out, struct error *err)
{
    struct span *text = out;
    struct note_key key;
    struct error why;

    (void)r;
    if (!yaml_read_text(item, text, err)) {
        return false;
    }
    if (!note_key_parse(*text, &key, &why)) {
        return yaml_error(item, err, "%s", why.text);
    }
    return key.type == NOTE_ED25519 || yaml_error(item, err, "a log's key, of type 1, expected");
}

static const struct field_type log_keys = {
    .name = "list of keys", .read = fields_read_items, .read_item = read_log, .item_size = sizeof(struct span)};

const struct field witness_config_fields[] = {
    {.name = "name", .type = &field_text, FIELD_AT(struct witness_config, name), .max = NOTE_NAME_MAX, .is_required = true},
    {.name = "key", .type = &field_file, FIELD_AT(struct witness_config, key), .is_required = true},
    {.name = "state", .type = &field_file, FIELD_AT(struct witness_config, state), .is_required = true},
    {.name = "listen", .type = &field_string, FIELD_AT(struct witness_config, listen), .initial = "127.0.0.1:8475"},
    {.name = "logs",
     .type = &log_keys,
     FIELD_LIST_AT(struct witness_config, logs, n_logs),
     .max = WITNESS_LOGS_MAX,
     .is_required = true},
    {.name = NULL},
};

/* The keys, each once. */
static bool read_keys(struct arena *a, const struct yaml_node *root, struct witness_config *c, struct error *err)
{
    c->keys = arena_array(a, c->n_logs, sizeof(*c->keys), err);
    if (c->keys == NULL) {
        return false;
    }
    for (size_t i = 0; i < c->n_logs; i++) {
        if (!note_key_parse(c->logs[i], &c->keys[i], err)) {
            return false;
        }
        for (size_t j = 0; j < i; j++) {
            if (note_key_same(&c->keys[i], &c->keys[j]) && strcmp(c->keys[i].name, c->keys[j].name) == 0) {
                return yaml_error(yaml_get(root, "logs"), err, "logs: each key once expected");
            }
        }
    }
    return true;
}

static bool check(const struct yaml_node *root, const struct witness_config *c, struct error *err)
{
    static const uint8_t any[NOTE_PUBLIC];
    struct address address;
    struct note_key key;
    struct error why;

    if (!note_key_make(c->name, NOTE_COSIGNATURE, any, &key, &why)) {
        return yaml_error(yaml_get(root, "name"), err, "name: %s", why.text);
    }
    const struct yaml_node *listen = yaml_get(root, "listen");
    if (!address_parse(c->listen, &address, &why) || address.kind == ADDRESS_NONE) {
        return yaml_error(listen != NULL ? listen : root, err, "listen: an address such as 127.0.0.1:8475 expected");
    }
    return true;
}

bool witness_config_read(struct arena *a, const char *path, struct witness_config *out, struct error *err)
{
    const struct field_reader reader = {.arena = a};
    const struct yaml_node *root;
    struct witness_config c = {.key = NULL};
    struct buf text;

    buf_init(&text, CONFIG_FILE_MAX);
    bool is_read = file_read(path, &text, err) && fields_parse(a, path, buf_span(&text), &root, err) &&
                   fields_read(&reader, witness_config_fields, root, &c, err) && check(root, &c, err) &&
                   read_keys(a, root, &c, err);
    buf_deinit(&text);
    if (is_read) {
        *out = c;
    }
    return is_read;
}
