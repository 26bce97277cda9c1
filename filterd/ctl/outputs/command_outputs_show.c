/* command_outputs_show.c - filterctl outputs show: one quarantined file, as it may be seen. */
#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/mask.h"
#include "ctl/outputs/outputs.h"

enum { OUTPUT_MAX = 512 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_outputs_show = {
    .name = "outputs show",
    .operands = "FOLDER DIGEST",
    .summary = "Show a quarantined file, redacted, without control characters",
    .details = "DIGEST is one that outputs list prints. Exit code 1 when the rules redact or block in the file.",
    .options = OPTIONS_OUTPUTS,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};

static bool append_file(const struct output *f, struct buf *out, struct error *err)
{
    return buf_append_str(out, "path:   ", err) && mask_append_escaped(out, span_str(f->path), err) &&
           buf_appendf(out, err, "\ndigest: sha256:%s\nbytes:  %zu\ntype:   %s\naction: %s\nrules:  ", f->digest,
                       f->bytes.len, f->type, f->is_complete ? action_name(f->action) : "block") &&
           outputs_append_rules(f, out, err) && buf_append_str(out, "\n\n", err) && outputs_append_shown(f, out, err);
}

static int run(const struct arguments *args)
{
    struct outputs o CLEANUP(outputs_close) = {.quarantine = {.folder = -1}};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    if (!outputs_open(&o, args, &err)) {
        return command_failed(&err);
    }
    for (size_t i = 0; i < o.quarantine.n; i++) {
        struct output f;
        if (!outputs_read(&o, i, &f, &err)) {
            return command_failed(&err);
        }
        if (outputs_is_digest(&f, args->operands[1])) {
            return append_file(&f, &out, &err)
                       ? command_finish(&out, f.action == ACTION_ALLOW && f.is_complete ? EXIT_CLEAN : EXIT_FOUND)
                       : command_failed(&err);
        }
    }
    (void)fprintf(stderr, "filterctl outputs show: no file has that digest; see filterctl outputs list\n");
    return EXIT_FAILED;
}
