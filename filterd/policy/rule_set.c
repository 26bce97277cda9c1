#include "policy/rule_set.h"

#include <sodium.h>

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/fields.h"
#include "policy/rule_data.h"
#include "policy/rule_read.h"

enum { RULE_SET_MEMORY_MAX = 256 * 1024 * 1024 };

/* Growing while files are read; moved into the set's arena at the end. */
struct rule_list {
    struct rule *items;
    size_t n, cap;
};

static void rule_list_deinit(struct rule_list *list)
{
    free(list->items);
}

static struct rule *rule_list_grow(struct rule_list *list, struct error *err)
{
    if (list->n == list->cap) {
        size_t cap = list->cap == 0 ? 256 : list->cap * 2;
        struct rule *items = cap <= RULES_MAX ? realloc(list->items, cap * sizeof(*items)) : NULL;
        if (items == NULL) {
            error_set(err, cap > RULES_MAX ? ERROR_LIMIT : ERROR_NO_MEMORY, "rules: no room for %zu", cap);
            return NULL;
        }
        list->items = items;
        list->cap = cap;
    }
    return &list->items[list->n++];
}

/* "rules/secrets/aws.yaml" belongs to the pack "secrets". */
static struct span pack_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *from = slash;

    if (slash == NULL) {
        return span_str("local");
    }
    while (from > path && from[-1] != '/') {
        from--;
    }
    return from < slash ? span_of(from, (size_t)(slash - from)) : span_str("local");
}

/* --- files ------------------------------------------------------------------ */

/* A rule file, parsed. A name is borrowed until the set is loaded, a path lives in the arena. */
struct parsed_file {
    const struct rule_file *file;
    const struct yaml_node *rules, *fragments, *checks;
    struct rule_file_scope scope;
};

/* "rules/secrets/" of "rules/secrets/aws.yaml". */
static struct span folder_of(const struct rule_file *file)
{
    const char *slash = strrchr(file->path, '/');

    return span_of(file->path, slash != NULL ? (size_t)(slash - file->path) + 1 : 0);
}

/* A file without rules: what the rules of its folder have in common. */
static bool is_shared(const struct rule_file *file)
{
    return strcmp(file->path + folder_of(file).len, "shared.yaml") == 0;
}

/* Read when all files are there. */
static bool keep_node(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    (void)r, (void)f, (void)err;
    *(const struct yaml_node **)out = node;
    return true;
}

static const struct field_type node_type = {"mapping or list", keep_node, NULL, 0};

/* A file that is shared has no rules. */
static const struct field file_fields[] = {
    {"rules", &node_type, FIELD_AT(struct parsed_file, rules), .is_required = true},
    {"fragments", &node_type, FIELD_AT(struct parsed_file, fragments), .initial = NULL},
    {"checks", &node_type, FIELD_AT(struct parsed_file, checks), .initial = NULL},
    {0},
};

static bool parse_file(struct arena *nodes, struct arena *a, const struct rule_file *file, struct parsed_file *out,
                       struct error *err)
{
    const struct field_reader r = {.arena = a};
    const struct yaml_node *root = NULL;

    *out = (struct parsed_file){.file = file};
    if (!arena_copy(a, pack_of(file->path), &out->scope.pack, err) ||
        !fields_parse_apart(nodes, a, file->path, file->content, &root, err) ||
        !fields_read(&r, is_shared(file) ? file_fields + 1 : file_fields, root, out, err)) {
        return false;
    }
    return root->n > 0 || yaml_error(root, err, "'fragments' or 'checks' expected");
}

/* Before any rule is read: in the order of names, files come in front of the one that they share with. */
static bool read_shared(struct arena *a, struct parsed_file *files, size_t n, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_shared(files[i].file)) {
            continue;
        }
        if (!rule_read_scope(a, files[i].fragments, files[i].checks, &files[i].scope, err)) {
            return false;
        }
        for (size_t k = 0; k < n; k++) {
            if (k != i && span_equal(folder_of(files[k].file), folder_of(files[i].file))) {
                files[k].scope.fragments.shared = &files[i].scope.fragments;
                files[k].scope.checks = files[i].scope.checks;
                files[k].scope.n_checks = files[i].scope.n_checks;
            }
        }
    }
    return true;
}

static bool read_rules(struct arena *a, struct parsed_file *file, struct rule_list *list, struct error *err)
{
    if (file->rules->kind != YAML_SEQUENCE) {
        return yaml_expected(file->rules, err, "a list");
    }
    for (const struct yaml_node *c = file->rules->first; c != NULL; c = c->next) {
        struct rule *rule = rule_list_grow(list, err);
        if (rule == NULL || !rule_read(a, c, &file->scope, rule, err)) {
            return false;
        }
    }
    return true;
}

static bool read_files(struct arena *nodes, struct arena *a, const struct rule_file *files, size_t n, struct rule_list *list,
                       struct error *err)
{
    struct parsed_file *parsed = arena_array(nodes, n, sizeof(*parsed), err);

    if (parsed == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!parse_file(nodes, a, &files[i], &parsed[i], err)) {
            return false;
        }
    }
    if (!read_shared(a, parsed, n, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_shared(&files[i]) &&
            (!rule_read_scope(a, parsed[i].fragments, parsed[i].checks, &parsed[i].scope, err) ||
             !read_rules(a, &parsed[i], list, err))) {
            return false;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!files[i].is_beside && !fragments_are_used(&parsed[i].scope.fragments, err)) {
            return false;
        }
    }
    return true;
}

/* --- rules ------------------------------------------------------------------ */

static int compare_ids(const void *a, const void *b)
{
    const struct rule *x = a, *y = b;
    size_t len = x->id.len < y->id.len ? x->id.len : y->id.len;
    int order = memcmp(x->id.ptr, y->id.ptr, len);

    return order != 0 ? order : (x->id.len > y->id.len) - (x->id.len < y->id.len);
}

/* Sorted by id: rule_set_find bisects, and the order of files cannot matter. */
static bool adopt_rules(struct rule_set *set, struct rule_list *list, struct error *err)
{
    if (list->n > 0) {
        qsort(list->items, list->n, sizeof(*list->items), compare_ids);
    }
    for (size_t i = 1; i < list->n; i++) {
        const struct rule *first = &list->items[i - 1], *second = &list->items[i];
        if (span_equal(first->id, second->id)) {
            return error_set(err, ERROR_INVALID, SPAN_FMT ":%u:1: rule '" SPAN_FMT "' occurs twice, also at " SPAN_FMT ":%u",
                             SPAN_ARG(second->source.file), second->source.line, SPAN_ARG(second->id),
                             SPAN_ARG(first->source.file), first->source.line);
        }
    }
    struct rule *rules = arena_array(&set->memory, list->n, sizeof(*rules), err);
    if (rules == NULL) {
        return false;
    }
    if (list->n > 0) {
        memcpy(rules, list->items, list->n * sizeof(*rules));
    }
    set->rules = rules;
    set->n_rules = (uint32_t)list->n;
    return true;
}

static bool rule_error(const struct rule *rule, struct error *err)
{
    return error_wrap(err, SPAN_FMT ":%u:1: rule '" SPAN_FMT "'", SPAN_ARG(rule->source.file), rule->source.line,
                      SPAN_ARG(rule->id));
}

static bool compile_allow(struct rule_set *set, struct error *err)
{
    set->n_allow = 0;
    for (uint32_t i = 0; i < set->n_rules; i++) {
        set->n_allow += set->rules[i].allow.n;
    }
    /* An array of pointers, so a pointer's size is meant. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    set->allow = calloc(set->n_allow + 1, sizeof(*set->allow));
    set->allow_first = calloc((size_t)set->n_rules + 1, sizeof(*set->allow_first));
    if (set->allow == NULL || set->allow_first == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "rules: no memory");
    }
    size_t n = 0;
    for (uint32_t i = 0; i < set->n_rules; i++) {
        set->allow_first[i] = (uint32_t)n;
        for (size_t k = 0; k < set->rules[i].allow.n; k++, n++) {
            set->allow[n] = regex_new(set->rules[i].allow.items[k], err);
            if (set->allow[n] == NULL) {
                return rule_error(&set->rules[i], err);
            }
        }
    }
    set->allow_first[set->n_rules] = (uint32_t)n;
    return true;
}

static bool has_rules(const struct rule_set *set, const struct span_list *ids, struct error *err)
{
    for (size_t i = 0; i < ids->n; i++) {
        if (rule_set_find(set, ids->items[i]) == NULL) {
            return error_set(err, ERROR_INVALID, "requires: there is no rule '" SPAN_FMT "'", SPAN_ARG(ids->items[i]));
        }
    }
    return true;
}

/* What a rule requires has to be there. */
static bool check_partners(const struct rule_set *set, struct error *err)
{
    for (uint32_t i = 0; i < set->n_rules; i++) {
        const struct rule *rule = &set->rules[i];
        for (size_t k = 0; k < rule->n_contexts; k++) {
            if (!has_rules(set, &rule->contexts[k].rules, err)) {
                return rule_error(rule, err);
            }
        }
    }
    return true;
}

/* Whose head a rule names; rules of one classifier one after another. */
static bool resolve_classifiers(struct rule_set *set, const struct rule_set_options *options, struct error *err)
{
    static const struct classifier *const none[] = {NULL};
    struct rule_use *uses = arena_array(&set->memory, (size_t)set->n_rules + 1, sizeof(*uses), err);
    const struct classifier *const *all = options->classifiers != NULL ? options->classifiers(err) : none;
    size_t n_wanted = 0;

    if (uses == NULL || all == NULL) {
        return false;
    }
    set->uses = uses;
    for (; *all != NULL; all++) {
        for (uint32_t i = 0; i < set->n_rules; i++) {
            struct span name = set->rules[i].classifier;
            unsigned head = name.len > 0 ? (*all)->head((*all)->self, name) : CLASSIFIER_HEADS_MAX;
            if (head < CLASSIFIER_HEADS_MAX) {
                uses[set->n_uses++] = (struct rule_use){.classifier = *all, .head = head, .rule = i};
                set->rules[i].only_reports = (*all)->only_reports != NULL && (*all)->only_reports((*all)->self, head);
                set->rules[i].needs_all = (*all)->needs_all != NULL && (*all)->needs_all((*all)->self, head);
            }
        }
    }
    for (uint32_t i = 0; i < set->n_rules; i++) {
        n_wanted += set->rules[i].classifier.len > 0;
        bool is_found = set->rules[i].classifier.len == 0;
        for (size_t k = 0; k < set->n_uses && !is_found; k++) {
            is_found = uses[k].rule == i;
        }
        if (!is_found) {
            error_set(err, ERROR_INVALID, "there is no classifier '" SPAN_FMT "'", SPAN_ARG(set->rules[i].classifier));
            return rule_error(&set->rules[i], err);
        }
    }
    return n_wanted == set->n_uses || error_set(err, ERROR_INTERNAL, "rules: two classifiers of one name");
}

/* What a classifier says depends on its model. */
static void digest_models(const struct rule_set *set, crypto_hash_sha256_state *state)
{
    for (size_t i = 0; i < set->n_uses; i++) {
        const struct classifier *c = set->uses[i].classifier;
        if (i == 0 || set->uses[i - 1].classifier != c) {
            struct span digest = c->digest(c->self);
            (void)crypto_hash_sha256_update(state, (const uint8_t *)digest.ptr, digest.len);
        }
    }
}

/* Nor do cells and documents stand in the rules. */
static void digest_tables(const struct rule_set *set, crypto_hash_sha256_state *state)
{
    for (size_t i = 0; i < set->n_tables; i++) {
        const struct table_header *h = set->tables[i].table->header;
        (void)crypto_hash_sha256_update(state, h->mac, sizeof(h->mac));
    }
}

static bool make_digest(struct rule_set *set, const struct rule_file *files, size_t n, struct error *err)
{
    crypto_hash_sha256_state state;
    uint8_t digest[crypto_hash_sha256_BYTES];
    static const char head[] = "filterd " FILTERD_VERSION;
    const size_t size = sizeof("sha256:") + 2 * sizeof(digest);
    char *text = arena_alloc(&set->memory, size, err);

    if (text == NULL) {
        return false;
    }
    (void)crypto_hash_sha256_init(&state);
    (void)crypto_hash_sha256_update(&state, (const uint8_t *)head, sizeof(head));
    for (size_t i = 0; i < n; i++) {
        uint64_t len = files[i].content.len;
        (void)crypto_hash_sha256_update(&state, (const uint8_t *)&len, sizeof(len));
        (void)crypto_hash_sha256_update(&state, (const uint8_t *)files[i].content.ptr, files[i].content.len);
    }
    digest_models(set, &state);
    digest_tables(set, &state);
    (void)crypto_hash_sha256_final(&state, digest);
    memcpy(text, "sha256:", sizeof("sha256:"));
    (void)sodium_bin2hex(text + strlen(text), size - strlen(text), digest, sizeof(digest));
    set->digest = span_str(text);
    return true;
}

static bool make_counters(struct rule_set *set, struct error *err)
{
    set->findings = calloc((size_t)set->n_rules + 1, sizeof(*set->findings));
    return set->findings != NULL || error_set(err, ERROR_NO_MEMORY, "rules: no memory");
}

static bool load(struct rule_set *set, const struct rule_file *files, size_t n,
                 const struct rule_set_options *options, struct error *err)
{
    struct rule_list list CLEANUP(rule_list_deinit) = {0};

    return read_files(&set->nodes, &set->memory, files, n, &list, err) && adopt_rules(set, &list, err) &&
           check_partners(set, err) && resolve_classifiers(set, options, err) && rule_data_open(set, err) &&
           make_digest(set, files, n, err) && compile_allow(set, err) && make_counters(set, err);
}

struct rule_set *rule_set_read(const struct rule_file *files, size_t n, const struct rule_set_options *options,
                               struct error *err)
{
    struct rule_set *set = calloc(1, sizeof(*set));

    if (set == NULL) {
        error_set(err, ERROR_NO_MEMORY, "rules: no memory");
        return NULL;
    }
    arena_init(&set->memory, 0, RULE_SET_MEMORY_MAX);
    arena_init(&set->nodes, 0, RULE_SET_MEMORY_MAX);
    atomic_init(&set->references, 1);
    if (!load(set, files, n, options, err)) {
        rule_set_unref(set);
        return NULL;
    }
    return set;
}

struct rule_set *rule_set_load(const struct rule_file *files, size_t n, const struct rule_set_options *options,
                               struct error *err)
{
    struct rule_set *set = rule_set_read(files, n, options, err);

    if (set != NULL && !rule_set_compile(set, NULL, options, err)) {
        rule_set_unref(set);
        return NULL;
    }
    return set;
}

struct rule_set *rule_set_ref(struct rule_set *set)
{
    (void)atomic_fetch_add_explicit(&set->references, 1, memory_order_relaxed);
    return set;
}

void rule_set_unref(struct rule_set *set)
{
    if (set == NULL || atomic_fetch_sub_explicit(&set->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (size_t i = 0; set->allow != NULL && i < set->n_allow; i++) {
        regex_free(set->allow[i]);
    }
    free(set->allow);
    free(set->allow_first);
    rule_data_close(set);
    free(set->regions);
    free(set->findings);
    scanner_free(set->scanner);
    arena_deinit(&set->nodes);
    arena_deinit(&set->memory);
    free(set);
}

const struct rule *rule_set_find(const struct rule_set *set, struct span id)
{
    const struct rule key = {.id = id};

    return set->n_rules == 0 ? NULL : bsearch(&key, set->rules, set->n_rules, sizeof(*set->rules), compare_ids);
}

size_t rule_set_without_examples(const struct rule_set *set)
{
    size_t n = 0;

    for (uint32_t i = 0; i < set->n_rules; i++) {
        n += !rule_has_examples(&set->rules[i]);
    }
    return n;
}

bool rule_set_has_use(const struct rule_set *set, const bool *has_rule)
{
    for (size_t i = 0; i < set->n_uses; i++) {
        if (has_rule == NULL || has_rule[set->uses[i].rule]) {
            return true;
        }
    }
    return false;
}

uint32_t rule_set_index(const struct rule_set *set, const struct rule *rule)
{
    return (uint32_t)(rule - set->rules);
}
