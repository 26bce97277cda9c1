#include "supervisor-llm/endpoint_read.h"

#include "formats/base_url.h"

#define KIB 0x1p10

/* Into an array of f->max characters and a NUL. */
static bool read_label(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    struct span text;

    if (!field_text.read(r, f, node, &text, err) || !yaml_expect_no_nul(node, err)) {
        return false;
    }
    memcpy(out, text.ptr, text.len);
    ((char *)out)[text.len] = '\0';
    return true;
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

static bool read_name(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    if (!is_printable(node->text) || (double)node->text.len > f->max) {
        return yaml_expected(node, err, "a name of 1 to %g printable characters", f->max);
    }
    return read_label(r, f, node, out, err);
}

static const char *const formats[] = {"json_schema", "json_object", "grammar", "free", NULL};
static const struct field_type label_type = {"text", read_label, NULL, 0}, name_type = {"name", read_name, NULL, 0};

#define AT(member) FIELD_AT(struct endpoint, member)
static const struct field endpoint_name = {"name", &name_type, AT(name), 1, SUPERVISION_NAME_MAX, .initial = NULL};

const struct field endpoint_fields[] = {
    {"url", &field_url, FIELD_URL_AT(struct endpoint, url, port), .is_required = true},
    {"model", &label_type, AT(model), 1, SUPERVISION_MODEL_MAX, .is_required = true},
    {"key", &field_file, AT(key_file), .min = 1},
    {"ca", &field_file, AT(ca), .min = 1},
    {"format", &field_choice, AT(format), .names = formats, .initial = "json_schema"},
    {"max_completion_tokens", &field_flag, AT(is_completion_named), .initial = "false"},
    {"concurrency", &field_integer, AT(concurrency), 1, 1024, .initial = "8"},
    {"tokens_per_minute", &field_integer, AT(tokens_per_minute), 0, 1000000000, .initial = "0"},
    {"answer_tokens", &field_integer, AT(answer_tokens), 64, 16384, .initial = "512"},
    {"answer_max", &field_integer, AT(answer_max), KIB, 4 * KIB * KIB, .initial = "65536"},
    {"connect_timeout_ms", &field_integer, AT(connect_timeout_ms), 10, 60000, .initial = "2000"},
    {"attempt_timeout_ms", &field_integer, AT(attempt_timeout_ms), 10, 120000, .initial = "30000"},
    {0},
};
#undef AT

#define AT(member) FIELD_AT(struct webhook, member)
const struct field webhook_fields[] = {
    {"url", &field_url, FIELD_URL_AT(struct webhook, url, port), .is_required = true},
    {"key", &field_file, AT(key_file), .min = 1},
    {"ca", &field_file, AT(ca), .min = 1},
    {0},
};
#undef AT

#define AT(member) FIELD_AT(struct endpoints, member)
const struct field endpoints_fields[] = {
    {"supervisors", &field_map, FIELD_LIST_AT(struct endpoints, items, n), 1, ENDPOINTS_MAX, .fields = endpoint_fields,
     .entry = sizeof(struct endpoint), .key = &endpoint_name, .is_required = true},
    {"webhook", &field_mapping, AT(webhook), .fields = webhook_fields},
    {"prompts", &field_file, AT(prompts), .min = 1},
    {"text_max", &field_integer, AT(text_max), 256, KIB * KIB, .initial = "65536"},
    {"queue", &field_integer, AT(queue), 1, 65536, .initial = "1024"},
    {"retries", &field_integer, AT(retries), 0, 8, .initial = "2"},
    {"hedge_ms", &field_integer, AT(hedge_ms), 0, 60000, .initial = "0"},
    {"cache_entries", &field_integer, AT(cache_entries), 0, 1000000, .initial = "4096"},
    {"cache_seconds", &field_integer, AT(cache_ttl_s), 1, 86400, .initial = "3600"},
    {0},
};
