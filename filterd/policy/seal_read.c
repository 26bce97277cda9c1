/* seal_read.c - the key `seal` of a policy, and the groups of recipients that it names. */
#include <limits.h>

#include "base/file.h"
#include "policy/policy_read.h"
#include "policy/seal.h"

static const char *const whats[] = {"span", "channel", "exchange", NULL};
static const char *const failures[] = {"block", "continue", NULL};

const char *seal_what_name(enum seal_what what)
{
    return whats[what];
}

/* --- recipients --------------------------------------------------------------- */

/* recipients/GROUP beside the policy file. */
static bool group_path(const struct policy_reader *r, struct span group, char path[PATH_MAX])
{
    const char *slash = strrchr(r->path, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - r->path);
    int len = snprintf(path, PATH_MAX, "%.*srecipients/" SPAN_FMT, folder, r->path, SPAN_ARG(group));

    return len > 0 && len < PATH_MAX;
}

static bool read_recipients(const struct field_reader *r, const char *path, struct recipient_group *group,
                            struct error *err)
{
    struct age_recipient *recipients = arena_array(r->arena, RECIPIENTS_MAX, sizeof(*recipients), err);
    struct buf text;

    buf_init(&text, RECIPIENTS_FILE_MAX);
    bool is_read = recipients != NULL && file_read(path, &text, err) &&
                   recipients_read(path, buf_span(&text), recipients, &group->n, err) &&
                   digest_sha256(buf_span(&text), group->digest, err);
    buf_deinit(&text);
    group->recipients = recipients;
    return is_read;
}

static bool is_among(const struct age_recipient *all, size_t n, const struct age_recipient *r)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(all[i].bytes, r->bytes, sizeof(r->bytes)) == 0) {
            return true;
        }
    }
    return false;
}

/* Who is in two groups is a recipient once. */
static bool join(const struct field_reader *r, const struct yaml_node *node, struct seal_groups *groups, struct error *err)
{
    struct age_recipient *all = arena_array(r->arena, AGE_STANZAS_MAX, sizeof(*all), err);
    size_t n = 0;

    for (size_t i = 0; all != NULL && i < groups->names.n; i++) {
        const struct recipient_group *group = &groups->groups[i];
        for (size_t k = 0; k < group->n; k++) {
            if (is_among(all, n, &group->recipients[k])) {
                continue;
            }
            if (n == AGE_STANZAS_MAX) {
                return yaml_error(node, err, "groups of at most %d recipients together expected", AGE_STANZAS_MAX);
            }
            all[n++] = group->recipients[k];
        }
    }
    groups->all = all;
    groups->n_all = n;
    return all != NULL;
}

static bool read_groups(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    struct seal_groups *groups = out;
    char path[PATH_MAX];

    if (!field_texts.read(r, &(struct field){.type = &field_texts, .size = sizeof(groups->names), .min = f->min, .max = f->max},
                          node, &groups->names, err)) {
        return false;
    }
    struct recipient_group *read = arena_array(r->arena, groups->names.n + 1, sizeof(*read), err);
    for (size_t i = 0; read != NULL && i < groups->names.n; i++) {
        struct span name = groups->names.items[i];
        if (!recipients_is_name(name) || !group_path(policy_reader(r), name, path)) {
            return yaml_expected(node, err, "names of groups, of letters, digits, '-' and '_',");
        }
        read[i] = (struct recipient_group){.name = name};
        struct error why;
        if (!read_recipients(r, path, &read[i], &why)) {
            return yaml_error(node, err, "%s", why.text);
        }
    }
    groups->groups = read;
    return read != NULL && join(r, node, groups, err);
}

/* --- the mapping -------------------------------------------------------------- */

static bool make_digest(const struct field_reader *r, struct policy_seal *seal, struct error *err)
{
    const struct seal_groups *const both[] = {&seal->to, &seal->also};
    char hex[DIGEST_SHA256_HEX + 1], *text = arena_alloc(r->arena, sizeof("sha256:") + DIGEST_SHA256_HEX, err);
    struct buf all;
    bool is_made = text != NULL;

    buf_init(&all, 2 * SEAL_GROUPS_MAX * (GROUP_NAME_MAX + DIGEST_SHA256_HEX + 2));
    for (size_t i = 0; i < COUNT(both); i++) {
        for (size_t k = 0; k < both[i]->names.n && is_made; k++) {
            const struct recipient_group *g = &both[i]->groups[k];
            is_made = buf_appendf(&all, err, SPAN_FMT " %s\n", SPAN_ARG(g->name), g->digest);
        }
    }
    is_made = is_made && digest_sha256(buf_span(&all), hex, err);
    buf_deinit(&all);
    if (is_made) {
        (void)snprintf(text, sizeof("sha256:") + DIGEST_SHA256_HEX, "sha256:%s", hex);
        seal->digest = span_str(text);
    }
    return is_made;
}

/* Two layers for the same person would not be two persons. */
static bool check_apart(const struct yaml_node *node, const struct policy_seal *seal, struct error *err)
{
    for (size_t i = 0; i < seal->also.n_all; i++) {
        if (is_among(seal->to.all, seal->to.n_all, &seal->also.all[i])) {
            return yaml_error(node, err, "'also': recipients that are not among those of 'to' expected");
        }
    }
    return true;
}

static bool read_seal(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    struct policy_seal *seal = arena_alloc(r->arena, sizeof(*seal), err);

    if (seal == NULL) {
        return false;
    }
    *seal = (struct policy_seal){0};
    if (!fields_read(r, f->fields, node, seal, err) || !check_apart(node, seal, err) || !make_digest(r, seal, err)) {
        return false;
    }
    *(const struct policy_seal **)out = seal;
    return true;
}

static const struct field_type groups_type = {"text list", read_groups, NULL, 0};
const struct field_type policy_seal_type = {"mapping", read_seal, NULL, 0};

_Static_assert(offsetof(struct seal_trigger, when) == 0, "CONDITION_FIELDS");

const struct field seal_trigger_fields[] = {
    CONDITION_FIELDS,
    {"action", &field_choices, FIELD_AT(struct seal_trigger, actions), .names = action_names, .is_required = true},
    {"sample", &field_number, FIELD_AT(struct seal_trigger, sample), 0, 1, .initial = "1"},
    {0},
};

#define AT(member) FIELD_AT(struct policy_seal, member)
const struct field policy_seal_fields[] = {
    {"when", &field_list, FIELD_LIST_AT(struct policy_seal, when, n_when), .fields = seal_trigger_fields,
     .entry = sizeof(struct seal_trigger), .min = 1, .is_required = true},
    {"what", &field_choice, AT(what), .names = whats, .initial = "span"},
    {"context", &field_integer, AT(context), 0, SEAL_CONTEXT_MAX, .initial = "200"},
    {"to", &groups_type, AT(to), .min = 1, .max = SEAL_GROUPS_MAX, .is_required = true},
    {"also", &groups_type, AT(also), .min = 1, .max = SEAL_GROUPS_MAX},
    {"keep", &field_ns, AT(keep_ns), 3600e3, 3650 * 86400e3, .initial = "30d"},
    {"on_failure", &field_choice, AT(on_failure), .names = failures, .initial = "block"},
    {0},
};
