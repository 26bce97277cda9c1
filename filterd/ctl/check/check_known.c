/* check_known.c - findings that are not to be reported: ignore file, baseline; and the baseline that is written. */
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "ctl/check/check.h"
#include "ctl/mask.h"
#include "ctl/source/git.h"

enum { BASELINE_MODE = 0644, FOLDER_MAX = 4096, NAME_MAX_BYTES = 64 * 1024 };

static const char ignore_file_name[] = ".filterdignore";

/* In a repository its files' author and who scans it are one; a folder may be an agent's, who could write such files. */
bool check_obeys_ignores(const struct arguments *args)
{
    return args->ignores != NULL ? strcmp(args->ignores, "on") == 0 : args->is_git || args->is_staged;
}

static bool read_rules_of(const struct check *c, const char *file, struct error *err)
{
    for (size_t i = 0; i < c->ignores.n; i++) {
        const struct ignore *item = &c->ignores.items[i];
        if (item->rule != NULL && session_find_rule(c->session, item->rule, err) == NULL) {
            return error_wrap(err, "%s:%zu", file, item->line);
        }
    }
    return true;
}

/* The one of the repository's top folder, or of this folder. */
static bool find_ignore_file(const struct check *c, struct buf *name, struct error *err)
{
    static const char *const arguments[] = {"rev-parse", "--show-cdup", NULL};

    if ((c->args->is_git || c->args->is_staged) && !git_output(NULL, arguments, name, err)) {
        return false;
    }
    while (name->len > 0 && name->data[name->len - 1] == '\n') {
        name->len--;
    }
    return buf_append_str(name, ignore_file_name, err) && buf_append_char(name, '\0', err);
}

static bool read_ignores(struct check *c, struct error *err)
{
    struct buf name CLEANUP(buf_deinit);

    buf_init(&name, FOLDER_MAX);
    if (c->args->ignore_file != NULL) {
        return ignores_read(&c->ignores, c->args->ignore_file, err) && read_rules_of(c, c->args->ignore_file, err);
    }
    if (!check_obeys_ignores(c->args)) {
        return true;
    }
    if (!find_ignore_file(c, &name, err)) {
        return false;
    }
    return access(name.data, F_OK) != 0 || (ignores_read(&c->ignores, name.data, err) && read_rules_of(c, name.data, err));
}

bool check_known_read(struct check *c, struct error *err)
{
    c->obeys_comments = check_obeys_ignores(c->args);
    return read_ignores(c, err) && (c->args->baseline == NULL || ignores_read(&c->baseline, c->args->baseline, err));
}

const char *check_known(const struct check *c, const struct report_item *item)
{
    const char *path = item->file;
    struct span print = span_str(item->fingerprint);

    while (path[0] == '.' && path[1] == '/') {
        path += 2;
    }
    if (ignores_match(&c->ignores, path, item->finding->rule->id) || ignores_has_print(&c->ignores, print)) {
        return "file";
    }
    return ignores_has_print(&c->baseline, print) ? "baseline" : NULL;
}

bool check_known_note(struct check *c, const struct batch *b, const struct check_finding *f, struct error *err)
{
    struct buf *out = &c->new_baseline;

    if (c->args->write_baseline == NULL) {
        return true;
    }
    struct span rule = f->rule != CHECK_NO_RULE ? c->session->snapshot->rules->rules[f->rule].id : span_of("", 0);
    return buf_appendf(out, err, "fingerprint:%s # " SPAN_FMT " ", f->fingerprint, SPAN_ARG(rule)) &&
           mask_append_escaped(out, span_str(b->file), err) && buf_appendf(out, err, ":%zu\n", f->line);
}

bool check_known_write(const struct check *c, struct error *err)
{
    return c->args->write_baseline == NULL ||
           file_write_atomic(c->args->write_baseline, buf_span(&c->new_baseline), BASELINE_MODE, err);
}
