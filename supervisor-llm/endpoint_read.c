#include "supervisor-llm/endpoint_read.h"

#include "base/place.h"

#define KIB 1024ULL

struct reader {
    struct arena *arena;
    void *out;
    struct error *err;
};

struct key {
    const char *name;
    bool (*read)(const struct reader *r, const struct key *k, const struct yaml_node *node);
    size_t offset;
    uint64_t min, max;
};

static void *field(const struct reader *r, const struct key *k)
{
    return (char *)r->out + k->offset;
}

static bool read_path(const struct reader *r, const struct key *k, const struct yaml_node *node)
{
    return place_read_file(r->arena, node, k->name, field(r, k), r->err);
}

/* Into an array of k->max characters and a NUL. */
static bool read_label(const struct reader *r, const struct key *k, const struct yaml_node *node)
{
    struct span text;

    if (!yaml_read_text(node, &text, r->err) || !yaml_expect_no_nul(node, r->err)) {
        return false;
    }
    if (text.len < k->min || text.len > k->max) {
        return yaml_error(node, r->err, "%s: 1 to %u characters expected", k->name, (unsigned)k->max);
    }
    memcpy(field(r, k), text.ptr, text.len);
    ((char *)field(r, k))[text.len] = '\0';
    return true;
}

static bool read_number(const struct reader *r, const struct key *k, const struct yaml_node *node)
{
    int64_t value = 0;

    if (!yaml_read_integer(node, (int64_t)k->min, (int64_t)k->max, &value, r->err)) {
        return false;
    }
    *(uint64_t *)field(r, k) = (uint64_t)value;
    return true;
}

static bool read_format(const struct reader *r, const struct key *k, const struct yaml_node *node)
{
    static const char *const names[] = {"json_schema", "json_object", "grammar", "free", NULL};
    unsigned choice = 0;

    if (!yaml_read_choice(node, names, &choice, r->err)) {
        return false;
    }
    *(enum prompt_format *)field(r, k) = (enum prompt_format)choice;
    return true;
}

static bool read_flag(const struct reader *r, const struct key *k, const struct yaml_node *node)
{
    return yaml_read_flag(node, field(r, k), r->err);
}

static bool is_printable(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] >= 0x7f) {
            return false;
        }
    }
    return text.len > 0;
}

/* The port goes into the number at k->min. */
static bool read_url(const struct reader *r, const struct key *k, const struct yaml_node *node)
{
    unsigned *port = (unsigned *)(void *)((char *)r->out + k->min);

    return place_read_base(r->arena, node, k->name, field(r, k), port, r->err);
}

static const struct key *find_key(const struct key *keys, size_t n, struct span name)
{
    for (size_t i = 0; i < n; i++) {
        if (span_is(name, keys[i].name)) {
            return &keys[i];
        }
    }
    return NULL;
}

static bool read_keys(const struct reader *r, const struct key *keys, size_t n, const struct yaml_node *node)
{
    if (!yaml_expect(node, YAML_MAPPING, "mapping", r->err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        const struct key *k = find_key(keys, n, c->key);
        if (k == NULL) {
            return error_set(r->err, ERROR_INVALID, "%s:%u:%u: key '" SPAN_FMT "' is not known here", c->file,
                             c->key_line, c->key_column, SPAN_ARG(c->key));
        }
        if (!k->read(r, k, c)) {
            return false;
        }
    }
    return true;
}

#define AT(member) offsetof(struct endpoint, member)
#define HOOK(member) offsetof(struct webhook, member)
#define SET(member) offsetof(struct endpoints, member)

bool endpoint_read(struct arena *a, const struct yaml_node *node, struct endpoint *out, struct error *err)
{
    static const struct key keys[] = {
        {"url", read_url, AT(url), AT(port), 0},
        {"model", read_label, AT(model), 1, SUPERVISION_MODEL_MAX},
        {"key", read_path, AT(key_file), 0, 0},
        {"ca", read_path, AT(ca), 0, 0},
        {"format", read_format, AT(format), 0, 0},
        {"max_completion_tokens", read_flag, AT(is_completion_named), 0, 0},
        {"concurrency", read_number, AT(concurrency), 1, 1024},
        {"tokens_per_minute", read_number, AT(tokens_per_minute), 0, 1000000000},
        {"answer_tokens", read_number, AT(answer_tokens), 64, 16384},
        {"answer_max", read_number, AT(answer_max), KIB, 4 * KIB * KIB},
        {"connect_timeout_ms", read_number, AT(connect_timeout_ms), 10, 60000},
        {"attempt_timeout_ms", read_number, AT(attempt_timeout_ms), 10, 120000},
    };
    const struct reader r = {.arena = a, .out = out, .err = err};

    *out = (struct endpoint){.concurrency = 8, .answer_tokens = 512, .answer_max = 64 * KIB,
                             .connect_timeout_ms = 2000, .attempt_timeout_ms = 30000};
    if (!is_printable(node->key) || node->key.len > SUPERVISION_NAME_MAX) {
        return error_set(err, ERROR_INVALID, "%s:%u:%u: a name of 1 to %d printable characters expected", node->file,
                         node->key_line, node->key_column, SUPERVISION_NAME_MAX);
    }
    memcpy(out->name, node->key.ptr, node->key.len);
    return read_keys(&r, keys, COUNT(keys), node) &&
           ((out->url != NULL && out->model[0] != '\0') || yaml_error(node, err, "'url' and 'model' expected"));
}

bool webhook_read(struct arena *a, const struct yaml_node *node, struct webhook *out, struct error *err)
{
    static const struct key keys[] = {
        {"url", read_url, HOOK(url), HOOK(port), 0},
        {"key", read_path, HOOK(key_file), 0, 0},
        {"ca", read_path, HOOK(ca), 0, 0},
    };
    const struct reader r = {.arena = a, .out = out, .err = err};

    return read_keys(&r, keys, COUNT(keys), node) &&
           (out->url != NULL || yaml_error(node, err, "'url' expected"));
}

bool setting_read(struct arena *a, const struct yaml_node *node, struct endpoints *out, bool *is_known,
                  struct error *err)
{
    static const struct key keys[] = {
        {"prompts", read_path, SET(prompts), 0, 0},
        {"text_max", read_number, SET(text_max), 256, 1024 * KIB},
        {"queue", read_number, SET(queue), 1, 65536},
        {"retries", read_number, SET(retries), 0, 8},
        {"hedge_ms", read_number, SET(hedge_ms), 0, 60000},
        {"cache_entries", read_number, SET(cache_entries), 0, 1000000},
        {"cache_seconds", read_number, SET(cache_ttl_s), 1, 86400},
    };
    const struct reader r = {.arena = a, .out = out, .err = err};
    const struct key *k = find_key(keys, COUNT(keys), node->key);

    *is_known = k != NULL;
    return k == NULL || k->read(&r, k, node);
}
