#include "policy/system_prompt_policy.h"

#include "policy/policy_read.h"

const struct rule system_prompt_rule = {
    .id = {"system-prompt", sizeof("system-prompt") - 1},
    .title = {"Part of the system prompt", sizeof("Part of the system prompt") - 1},
    .pack = {"context", sizeof("context") - 1},
    .category = CATEGORY_CONTENT,
    .severity = SEVERITY_HIGH,
    .confidence = 1,
};

const struct field policy_system_prompt_fields[] = {
    {"words", &field_integer, FIELD_AT(struct policy_system_prompt, words), 1, 16, .initial = NULL},
    {0},
};

static bool read_system_prompt(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                               struct error *err)
{
    struct policy_system_prompt *prompt = arena_array(r->arena, 1, sizeof(*prompt), err);

    if (prompt == NULL) {
        return false;
    }
    *prompt = (struct policy_system_prompt){0};
    if (!yaml_expect(node, YAML_MAPPING, f->name, err) || !fields_read(r, f->fields, node, prompt, err)) {
        return false;
    }
    *(const struct policy_system_prompt **)out = prompt;
    return true;
}

const struct field_type policy_system_prompt_type = {"mapping", read_system_prompt, NULL, 0};
