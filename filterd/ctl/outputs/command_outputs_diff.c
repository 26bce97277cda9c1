/* command_outputs_diff.c - filterctl outputs diff: what promotion would change at a target. */
#include <fcntl.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "ctl/command.h"
#include "ctl/file_text.h"
#include "ctl/outputs/line_diff.h"
#include "ctl/mask.h"
#include "ctl/outputs/outputs.h"
#include "ctl/outputs/target.h"

enum { OUTPUT_MAX = 512 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_outputs_diff = {
    .name = "outputs diff",
    .operands = "FOLDER TARGET",
    .summary = "Compare quarantined files with the files that they would replace",
    .details = "Texts are shown as by outputs show, so a redacted place also differs. Exit code 1 when anything\n"
               "would change.",
    .options = OPTIONS_OUTPUTS,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};

static bool append_changes(const struct output *f, int target, struct buf *out, struct error *err)
{
    struct buf old_text CLEANUP(buf_deinit), new_text CLEANUP(buf_deinit);
    int fd CLEANUP(cleanup_fd) = quarantine_open_below(target, f->path, O_RDONLY | O_NONBLOCK);
    const char *skipped;

    buf_init(&old_text, QUARANTINE_FILE_MAX);
    buf_init(&new_text, OUTPUT_MAX);
    if (!f->is_text || f->action == ACTION_BLOCK || !f->is_complete) {
        return outputs_append_shown(f, out, err);
    }
    if (fd >= 0 && (!file_read_fd(fd, f->path, &old_text, err) ||
                    (f->is_decoded && !file_text_decode(&old_text, &skipped, err)))) {
        return false;
    }
    return outputs_append_shown(f, &new_text, err) &&
           line_diff_append(buf_span(&old_text), buf_span(&new_text), out, err);
}

static bool append(const struct output *f, int target, struct buf *out, int *code, struct error *err)
{
    static const char *const states[] = {[TARGET_NEW] = "new", [TARGET_SAME] = "same", [TARGET_OTHER] = "changed"};
    enum target_state state;

    if (!target_compare(target, f->path, f->bytes, &state, err)) {
        return false;
    }
    *code = state == TARGET_SAME ? *code : EXIT_FOUND;
    return buf_appendf(out, err, "%-7s ", states[state]) && mask_append_escaped(out, span_str(f->path), err) &&
           buf_appendf(out, err, " sha256:%s\n", f->digest) &&
           (state == TARGET_SAME || append_changes(f, target, out, err));
}

static int run(const struct arguments *args)
{
    struct outputs o CLEANUP(outputs_close) = {.quarantine = {.folder = -1}};
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    int target CLEANUP(cleanup_fd) = target_open(args->operands[1], &err), code = EXIT_CLEAN;

    buf_init(&out, OUTPUT_MAX);
    if (target < 0 || !outputs_open(&o, args, &err)) {
        return command_failed(&err);
    }
    for (size_t i = 0; i < o.quarantine.n; i++) {
        struct output f;
        if (!outputs_read(&o, i, &f, &err) || !append(&f, target, &out, &code, &err)) {
            return command_failed(&err);
        }
    }
    return command_finish(&out, code);
}
