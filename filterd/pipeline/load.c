#include "pipeline/load.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/plural.h"
#include "base/trusted_file.h"
#include "classifiers/shipped.h"
#include "pipeline/held_rules.h"
#include "policy/embedded.h"
#include "scan/child.h"

enum { RULE_FILES_MAX = 4096, RULE_FILE_MAX = 16 * 1024 * 1024, MARKER_MAX = 64 * 1024 };

/* The rule files and the policy, by name and content. */
struct sources {
    struct rule_file *files;
    struct buf *contents; /* of files read from disk; owned */
    char **paths;         /* likewise */
    size_t n, n_owned;
    struct buf policy;
    char policy_path[PATH_MAX];
};

static bool sources_init(struct sources *s, struct error *err)
{
    memset(s, 0, sizeof(*s));
    buf_init(&s->policy, RULE_FILE_MAX);
    s->files = calloc(RULE_FILES_MAX, sizeof(*s->files));
    s->contents = calloc(RULE_FILES_MAX, sizeof(*s->contents));
    s->paths = calloc(RULE_FILES_MAX, sizeof(*s->paths));
    return (s->files != NULL && s->contents != NULL && s->paths != NULL) ||
           error_set(err, ERROR_NO_MEMORY, "rules: no memory");
}

static void sources_deinit(struct sources *s)
{
    for (size_t i = 0; i < s->n_owned; i++) {
        buf_deinit(&s->contents[i]);
        free(s->paths[i]);
    }
    free(s->files);
    free(s->contents);
    free(s->paths);
    buf_deinit(&s->policy);
}

/* --- built in ------------------------------------------------------------- */

static bool has_yaml_ending(const char *name)
{
    size_t len = strlen(name);

    return name[0] != '.' && len > 5 && strcmp(name + len - 5, ".yaml") == 0;
}

/* rules/<pack>/<name>.yaml; the policy, the names and the samples are built in, too. */
static bool is_rule_file(const char *path)
{
    const char *pack = strchr(path, '/');

    return has_yaml_ending(path) && pack != NULL && strchr(pack + 1, '/') != NULL;
}

static bool take_embedded(struct sources *s, struct error *err)
{
    for (unsigned i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        struct span content = span_of(file->content, file->len);
        if (strcmp(file->path, "rules/policy.yaml") == 0) {
            if (!buf_append(&s->policy, content, err)) {
                return false;
            }
            memcpy(s->policy_path, file->path, strlen(file->path) + 1);
        } else if (is_rule_file(file->path)) {
            s->files[s->n++] = (struct rule_file){.path = file->path, .content = content};
        }
    }
    return true;
}

/* --- from a directory ------------------------------------------------------ */

static bool add_file(struct sources *s, const char *path, struct error *err)
{
    if (s->n == RULE_FILES_MAX) {
        return error_set(err, ERROR_LIMIT, "%s: at most %d rule files expected", path, RULE_FILES_MAX);
    }
    char *name = strdup(path);
    if (name == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
    }
    struct buf *content = &s->contents[s->n_owned];
    buf_init(content, RULE_FILE_MAX);
    s->paths[s->n_owned++] = name;
    if (!file_read(path, content, err)) {
        return false;
    }
    s->files[s->n++] = (struct rule_file){.path = name, .content = buf_span(content)};
    return true;
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

typedef bool entry_fn(struct sources *s, const char *path, const char *name, struct error *err);

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* In the order of names, so that the same folder always gives the same digest. */
static bool each_entry(struct sources *s, const char *folder, entry_fn *visit, struct error *err)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    bool is_good = true;
    int n = scandir(folder, &entries, visible, alphasort);

    if (n < 0) {
        return error_errno(err, "%s", folder);
    }
    for (int i = 0; i < n; i++) {
        int len = snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        if (is_good && (len < 0 || (size_t)len >= sizeof(path))) {
            is_good = error_set(err, ERROR_INVALID, "%s: path too long", folder);
        }
        is_good = is_good && visit(s, path, entries[i]->d_name, err);
        free(entries[i]);
    }
    free(entries);
    return is_good;
}

static bool visit_file(struct sources *s, const char *path, const char *name, struct error *err)
{
    return !has_yaml_ending(name) || add_file(s, path, err);
}

static bool visit_pack(struct sources *s, const char *path, const char *name, struct error *err)
{
    (void)name;
    return !is_folder(path) || each_entry(s, path, visit_file, err);
}

static bool read_policy(struct sources *s, const char *path, struct error *err)
{
    int len = snprintf(s->policy_path, sizeof(s->policy_path), "%s", path);

    buf_clear(&s->policy);
    if (len < 0 || (size_t)len >= sizeof(s->policy_path)) {
        return error_set(err, ERROR_INVALID, "%s: path too long", path);
    }
    return file_read(path, &s->policy, err);
}

static bool take_directory(struct sources *s, const char *directory, bool with_policy, struct error *err)
{
    char path[PATH_MAX];

    if (!each_entry(s, directory, visit_pack, err)) {
        return false;
    }
    if (s->n == 0) {
        return error_set(err, ERROR_NOT_FOUND, "%s: no rules: folders with .yaml files expected", directory);
    }
    (void)snprintf(path, sizeof(path), "%s/policy.yaml", directory);
    return !with_policy || read_policy(s, path, err);
}

/* --- examples, once for each state ------------------------------------------- */

static bool marker_path(const struct snapshot *s, const struct rule_set_options *options, char path[PATH_MAX])
{
    if (options->cache_directory == NULL) {
        return false;
    }
    /* "sha256:" and 64 digits; half of them name the file. */
    int len = snprintf(path, PATH_MAX, "%s/%.32s.tested", options->cache_directory, s->rules->digest.ptr + 7);
    return len > 0 && len < PATH_MAX;
}

/* What the marker says: the state of the rules, and which of them were tested. */
static bool marker_text(const struct snapshot *s, struct buf *out, struct error *err)
{
    bool is_good = buf_append(out, s->rules->digest, err) && buf_append_str(out, " ", err);

    for (uint32_t i = 0; i < s->rules->n_rules && is_good; i++) {
        is_good = buf_append_str(out, rule_set_can_find(s->rules, i) ? "1" : "0", err);
    }
    return is_good;
}

static bool first_broken(void *context, const struct rule *rule, bool is_match, size_t index)
{
    struct error *err = context;

    error_set(err, ERROR_INVALID, SPAN_FMT ":%u:1: rule '" SPAN_FMT "': %s example %zu is %s", SPAN_ARG(rule->source.file),
              rule->source.line, SPAN_ARG(rule->id), is_match ? "match" : "no_match", index + 1,
              is_match ? "not found" : "found");
    return false;
}

struct testing {
    const struct snapshot *snapshot;
    const char *path; /* of the marker; NULL: there is none */
    struct span marker;
};

static bool is_tested(const struct testing *t)
{
    struct buf marker CLEANUP(buf_deinit);
    struct error ignored;

    buf_init(&marker, MARKER_MAX);
    return t->path != NULL && trusted_file_read_alone(t->path, &marker, &ignored) && span_equal(buf_span(&marker), t->marker);
}

static bool test_examples(const struct testing *t, struct error *err)
{
    size_t n = 0;
    struct error ignored, broken = {0};

    if (!snapshot_test_examples(t->snapshot, span_of(NULL, 0), first_broken, &broken, &n, err)) {
        return false;
    }
    scanner_trim(t->snapshot->rules->scanner); /* the examples searched with each pattern */
    if (broken.text[0] != '\0') {
        *err = broken;
        return false;
    }
    bool is_remembered = t->path != NULL && file_write_atomic(t->path, t->marker, 0600, &ignored);
    (void)is_remembered; /* else the next start tests again */
    return true;
}

static void test_in_child(void *testing)
{
    struct error ignored; /* who asked tests again, and reports it */
    bool is_good = test_examples(testing, &ignored);

    (void)is_good;
}

static bool test_examples_once(const struct snapshot *s, const struct rule_set_options *options, struct error *err)
{
    char path[PATH_MAX];
    struct error ignored;
    struct buf marker CLEANUP(buf_deinit);

    buf_init(&marker, MARKER_MAX);
    bool has_marker = marker_path(s, options, path) && marker_text(s, &marker, &ignored);
    struct testing t = {.snapshot = s, .path = has_marker ? path : NULL, .marker = buf_span(&marker)};
    return is_tested(&t) || (has_marker && child_run(test_in_child, &t) && is_tested(&t)) || test_examples(&t, err);
}

static void warn_of_examples(const struct rule_set *set)
{
    size_t n = rule_set_without_examples(set);

    if (n > 0) {
        log_warn("rules: %zu rule%s with fewer than %d examples in match or no_match; filterctl rules test names %s", n,
                 plural_s(n), RULE_EXAMPLES_MIN, plural(n, "it", "them"));
    }
}

bool violations_open(const char *rules_directory, const char *policy_path, struct arena *a, struct violations *out,
                     struct error *err)
{
    char path[PATH_MAX];
    struct buf text CLEANUP(buf_deinit);
    struct yaml_node *root = NULL;
    struct span kept;
    const struct yaml_node *node;

    *out = (struct violations){0};
    buf_init(&text, YAML_TEXT_MAX);
    if (rules_directory == NULL && policy_path == NULL) {
        return true;
    }
    (void)snprintf(path, sizeof(path), "%s%s", policy_path != NULL ? policy_path : rules_directory,
                   policy_path != NULL ? "" : "/policy.yaml");
    if (!file_read(path, &text, err) || !arena_copy(a, buf_span(&text), &kept, err) ||
        !yaml_parse(a, policy_path != NULL ? policy_path : rules_directory, kept, &root, err)) {
        return false;
    }
    node = root == NULL || root->kind != YAML_MAPPING ? NULL : yaml_get(root, "violations");
    return node == NULL || violations_read(a, node, out, err);
}

static void *open_classifiers(void *unused)
{
    struct error ignored; /* the next caller gets it */

    (void)classifiers_shipped(&ignored);
    return unused;
}

/* The digests of the models take a third as long as reading the rules, and go beside it. */
static struct rule_set *load_rules(const struct sources *s, const struct rule_set_options *options, struct error *err)
{
    struct rule_set_options with_classifiers = *options;
    pthread_t opener;

    with_classifiers.classifiers = classifiers_shipped;
    bool is_beside = pthread_create(&opener, NULL, open_classifiers, NULL) == 0;
    struct rule_set *rules = options->only_used ? rule_set_read(s->files, s->n, &with_classifiers, err)
                                                : rule_set_load(s->files, s->n, &with_classifiers, err);
    if (is_beside) {
        (void)pthread_join(opener, NULL);
    }
    return rules;
}

/* What no policy uses costs no one anything (178). */
static bool compile_used(const struct snapshot *s, const struct rule_set_options *options, struct error *err)
{
    bool *is_used CLEANUP(cleanup_free) = calloc((size_t)s->rules->n_rules + 1, sizeof(*is_used));

    if (is_used == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "rules: no memory");
    }
    for (size_t i = 0; i < s->n_policies; i++) {
        for (uint32_t k = 0; k < s->rules->n_rules; k++) {
            is_used[k] = is_used[k] || s->policies[i].has_rule[k];
        }
    }
    return rule_set_compile(s->rules, is_used, options, err);
}

/* The rules, and the policies over them. */
static struct snapshot *load_all(const struct sources *s, const struct rule_set_options *options, struct error *err)
{
    struct rule_set *rules = load_rules(s, options, err);
    struct snapshot *snapshot = rules != NULL ? snapshot_load(rules, s->policy_path, buf_span(&s->policy), err) : NULL;

    rule_set_unref(rules);
    if (snapshot != NULL && ((options->only_used && !compile_used(snapshot, options, err)) || !held_rules_prepare(snapshot, err))) {
        snapshot_unref(snapshot);
        return NULL;
    }
    return snapshot;
}

struct snapshot *snapshot_open(const char *rules_directory, const char *policy_path,
                               const struct rule_set_options *options, struct error *err)
{
    struct sources s CLEANUP(sources_deinit);

    if (!sources_init(&s, err) ||
        !(rules_directory != NULL ? take_directory(&s, rules_directory, policy_path == NULL, err)
                                  : take_embedded(&s, err)) ||
        (policy_path != NULL && !read_policy(&s, policy_path, err))) {
        return NULL;
    }
    struct snapshot *snapshot = load_all(&s, options, err);
    if (snapshot != NULL && options->test_examples) {
        warn_of_examples(snapshot->rules);
    }
    if (snapshot != NULL && options->test_examples && !test_examples_once(snapshot, options, err)) {
        snapshot_unref(snapshot);
        return NULL;
    }
    return snapshot;
}
