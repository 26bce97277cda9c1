/* command_outputs_list.c - filterctl outputs list: what is in a quarantine, with digests. */
#include "base/cleanup.h"
#include "base/json.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/mask.h"
#include "ctl/outputs/outputs.h"
#include "ctl/outputs/target.h"

enum { OUTPUT_MAX = 256 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_outputs_list = {
    .name = "outputs list",
    .operands = "FOLDER",
    .summary = "List a jail's quarantined files: digest, type, verdict of the rules",
    .details = "FOLDER is the folder that filterd-jail printed, or the quarantine above it. The type comes from the\n"
               "bytes, not from the name. Exit code 1 when the rules redact or block in a file, or when something is\n"
               "not a plain file.",
    .options = OPTIONS_OUTPUTS,
    .formats = "text|json|ndjson",
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};

static bool append_text(const struct output *f, struct buf *out, struct error *err)
{
    return buf_appendf(out, err, "%-6s sha256:%s %10zu  %-24s ", f->is_complete ? action_name(f->action) : "block",
                       f->digest, f->bytes.len, f->type) &&
           mask_append_escaped(out, span_str(f->path), err) &&
           (f->action == ACTION_ALLOW || (buf_append_str(out, "  ", err) && outputs_append_rules(f, out, err))) &&
           buf_append_str(out, target_is_obeyed(f->path) ? "  (tools obey this name)\n" : "\n", err);
}

static bool append_json(const struct output *f, struct buf *out, struct error *err)
{
    struct buf rules CLEANUP(buf_deinit);

    buf_init(&rules, OUTPUT_MAX);
    return outputs_append_rules(f, &rules, err) && buf_append_str(out, "{\"path\":", err) &&
           mask_append_json_name(out, span_str(f->path), err) &&
           buf_appendf(out, err, ",\"digest\":\"sha256:%s\",\"bytes\":%zu,\"type\":", f->digest, f->bytes.len) &&
           json_append_string(out, span_str(f->type), err) &&
           buf_appendf(out, err, ",\"action\":\"%s\",\"obeyed\":%s,\"rules\":",
                       f->is_complete ? action_name(f->action) : "block", target_is_obeyed(f->path) ? "true" : "false") &&
           (f->action == ACTION_ALLOW ? buf_append_str(out, "\"\"", err) : json_append_string(out, buf_span(&rules), err)) &&
           buf_append_char(out, '}', err);
}

static bool append(const struct arguments *args, const struct output *f, bool is_first, struct buf *out, struct error *err)
{
    bool is_array = args->format != NULL && strcmp(args->format, "json") == 0;
    bool is_lines = args->format != NULL && strcmp(args->format, "ndjson") == 0;

    if (!is_array && !is_lines) {
        return append_text(f, out, err);
    }
    return buf_append_str(out, is_array && !is_first ? ",\n" : "", err) && append_json(f, out, err) &&
           buf_append_str(out, is_lines ? "\n" : "", err);
}

static bool append_all(struct outputs *o, const struct arguments *args, struct buf *out, int *code, struct error *err)
{
    bool is_array = args->format != NULL && strcmp(args->format, "json") == 0;

    if (is_array && !buf_append_str(out, "[", err)) {
        return false;
    }
    for (size_t i = 0; i < o->quarantine.n; i++) {
        struct output f;
        if (!outputs_read(o, i, &f, err) || !append(args, &f, i == 0, out, err)) {
            return false;
        }
        *code = f.action != ACTION_ALLOW || !f.is_complete ? EXIT_FOUND : *code;
    }
    return !is_array || buf_append_str(out, "]\n", err);
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
    int code = o.quarantine.n_refused > 0 ? EXIT_FOUND : EXIT_CLEAN;
    if (!append_all(&o, args, &out, &code, &err)) {
        return command_failed(&err);
    }
    if (o.quarantine.n_refused > 0) {
        complain("%zu %s: left alone", o.quarantine.n_refused,
                 plural(o.quarantine.n_refused, "entry is no plain file with one name", "entries are no plain files with one name"));
    }
    return command_finish(&out, code);
}
