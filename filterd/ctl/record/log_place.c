#include "ctl/record/log_place.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/directory.h"
#include "base/file.h"
#include "base/yaml.h"
#include "ctl/operators.h"

enum { CONFIG_MAX = 1024 * 1024 };

static bool copy_path(char path[PATH_MAX], const char *folder, const char *name, struct error *err)
{
    return (size_t)snprintf(path, PATH_MAX, "%s%s", folder, name) < PATH_MAX || error_set(err, ERROR_LIMIT, "a shorter path expected");
}

/* The state beside the log, as where filterd has one folder for both. */
static bool take_folder(struct log_place *out, struct error *err)
{
    char copy[PATH_MAX];

    return copy_path(copy, out->log, "", err) && copy_path(out->state, dirname(copy), "", err);
}

/* `log`, or the log in `state-directory`. */
static bool find_in_file(const char *file, struct arena *memory, struct log_place *out, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    struct yaml_node *root = NULL;

    buf_init(&text, CONFIG_MAX);
    if (!file_read(file, &text, err) || !yaml_parse(memory, file, buf_span(&text), &root, err) ||
        (root != NULL && !yaml_expect(root, YAML_MAPPING, "options", err))) {
        return false;
    }
    const struct yaml_node *log = root == NULL ? NULL : yaml_get(root, "log");
    const struct yaml_node *state = root == NULL ? NULL : yaml_get(root, "state-directory");
    const struct yaml_node *node = log != NULL ? log : state;
    struct span value;
    if (node == NULL) {
        return error_set(err, ERROR_NOT_FOUND, "%s: log or state-directory expected", file);
    }
    if (!yaml_read_text(node, &value, err)) {
        return false;
    }
    const char *name = arena_string(memory, value, err);
    if (name == NULL || !copy_path(out->log, name, log != NULL ? "" : "/decisions.jsonl", err)) {
        return false;
    }
    if (state == NULL) {
        return take_folder(out, err);
    }
    if (!yaml_read_text(state, &value, err)) {
        return false;
    }
    name = arena_string(memory, value, err);
    return name != NULL && copy_path(out->state, name, "", err);
}

static bool read_config(const char *file, struct log_place *out, struct error *err)
{
    struct arena memory CLEANUP(arena_deinit);

    arena_init(&memory, 0, 4 * CONFIG_MAX);
    return find_in_file(file, &memory, out, err);
}

static bool ask(const struct arguments *args, struct log_place *out, struct error *err)
{
    json_t *answer = operators_ask(args, "GET", "/v1/record", err);
    const char *log = json_string_value(json_object_get(answer, "log")), *state = json_string_value(json_object_get(answer, "state"));
    bool is_found = log != NULL && copy_path(out->log, log, "", err) &&
                    (state == NULL ? take_folder(out, err) : copy_path(out->state, state, "", err));

    if (answer != NULL && log == NULL) {
        is_found = error_set(err, ERROR_MALFORMED, "filterd does not say where its log is");
    }
    json_decref(answer);
    out->is_asked = is_found;
    return is_found;
}

/* The first log that can be read. */
static bool find_default(struct log_place *out, const struct error *unasked, struct error *err)
{
    struct directory_candidates places;
    char tried[sizeof(err->text)] = "";
    size_t len = 0;

    directory_candidates(DIRECTORY_LOGS, &places);
    for (unsigned i = 0; i < places.n; i++) {
        bool is_path = (size_t)snprintf(out->log, PATH_MAX, "%s/decisions.jsonl", places.paths[i]) < PATH_MAX;
        if (is_path && access(out->log, R_OK) == 0) {
            return take_folder(out, err);
        }
        if (len < sizeof(tried)) {
            len += (size_t)snprintf(tried + len, sizeof(tried) - len, "%s%s: %s", i == 0 ? "" : "; ", out->log,
                                    is_path ? strerrordesc_np(errno) : "a shorter path expected");
        }
    }
    return error_set(err, ERROR_NOT_FOUND,
                     "the file of a decision log, --config or --operators expected, as none of these can be read: %s; and %s", tried,
                     unasked->text);
}

bool log_place_find(const struct arguments *args, struct log_place *out, struct error *err)
{
    struct error unasked;

    out->is_asked = false;
    if (args->config != NULL) {
        return read_config(args->config, out, err);
    }
    return ask(args, out, &unasked) ||
           (args->operators == NULL ? find_default(out, &unasked, err) : (*err = unasked, false));
}
