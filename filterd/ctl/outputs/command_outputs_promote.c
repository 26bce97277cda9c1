/* command_outputs_promote.c - filterctl outputs promote and reject: by listed digest, and nothing else. */
#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/mask.h"
#include "ctl/outputs/outputs.h"
#include "ctl/outputs/target.h"

enum { OUTPUT_MAX = 64 * 1024 * 1024 };

static int run_promote(const struct arguments *args);
static int run_reject(const struct arguments *args);

const struct command command_outputs_promote = {
    .name = "outputs promote",
    .operands = "FOLDER TARGET DIGEST…",
    .summary = "Move the files with these digests to their place below TARGET",
    .details = "The same bytes are hashed, judged and written; a file that changed after it was listed has another\n"
               "digest. Refused are files that the rules redact or block; files that exist at the target, unless\n"
               "--replace is given; and names that tools obey (.git, .vscode, AGENTS.md), unless --obeyed is given.\n"
               "Promoted files are not executable. Exit code 1 when a file was refused.",
    .options = OPTIONS_OUTPUTS | OPTION_BIT(OPTION_REPLACE) | OPTION_BIT(OPTION_OBEYED),
    .min_operands = 3,
    .max_operands = -1,
    .run = run_promote,
};

const struct command command_outputs_reject = {
    .name = "outputs reject",
    .operands = "FOLDER DIGEST…",
    .summary = "Delete the files with these digests",
    .options = OPTIONS_OUTPUTS,
    .min_operands = 2,
    .max_operands = -1,
    .run = run_reject,
};

struct handling {
    const struct arguments *args;
    struct outputs outputs;
    int target; /* -1: reject */
    struct buf out;
    int code;
    bool *is_found; /* per digest asked for */
};

static void deinit(struct handling *h)
{
    outputs_close(&h->outputs);
    cleanup_fd(&h->target);
    buf_deinit(&h->out);
    free(h->is_found);
}

static bool say(struct handling *h, const char *what, const struct output *f, const char *why, struct error *err)
{
    return buf_appendf(&h->out, err, "%s ", what) && mask_append_escaped(&h->out, span_str(f->path), err) &&
           buf_appendf(&h->out, err, " sha256:%s%s%s\n", f->digest, why[0] != '\0' ? ": " : "", why);
}

/* Why it may not go; NULL: it may. */
static const char *objection(const struct handling *h, const struct output *f, enum target_state state)
{
    if (f->action != ACTION_ALLOW || !f->is_complete) {
        return "the rules object; see filterctl outputs show";
    }
    if (target_is_obeyed(f->path) && !h->args->is_obeyed) {
        return "tools obey that name (--obeyed)";
    }
    return state == TARGET_OTHER && !h->args->is_replacing ? "another file is at the target (--replace)" : NULL;
}

static bool promote(struct handling *h, const struct output *f, struct error *err)
{
    enum target_state state;

    if (!target_compare(h->target, f->path, f->bytes, &state, err)) {
        return false;
    }
    const char *why = objection(h, f, state);
    if (why != NULL) {
        h->code = EXIT_FOUND;
        return say(h, "refused", f, why, err);
    }
    if (state != TARGET_SAME && !target_write(h->target, f->path, f->bytes, h->args->is_replacing, err)) {
        return false;
    }
    return quarantine_remove(&h->outputs.quarantine, f->path, err) && say(h, "promoted", f, "", err);
}

static bool reject(struct handling *h, const struct output *f, struct error *err)
{
    return quarantine_remove(&h->outputs.quarantine, f->path, err) && say(h, "rejected", f, "", err);
}

static bool is_wanted(struct handling *h, const struct output *f, char *const *digests, size_t n)
{
    bool is_wanted = false;

    for (size_t i = 0; i < n; i++) {
        if (outputs_is_digest(f, digests[i])) {
            h->is_found[i] = is_wanted = true;
        }
    }
    return is_wanted;
}

static bool check_digests(struct handling *h, char *const *digests, size_t n, struct error *err)
{
    h->is_found = calloc(n, sizeof(*h->is_found));
    if (h->is_found == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "no memory");
    }
    for (size_t i = 0; i < n; i++) {
        if (!outputs_is_digest_form(digests[i])) {
            return error_set(err, ERROR_INVALID, "sha256: and 64 hexadecimal digits expected, as outputs list prints them");
        }
    }
    return true;
}

static bool handle(struct handling *h, int first, struct error *err)
{
    char *const *digests = h->args->operands + first;
    size_t n = (size_t)(h->args->n_operands - first);

    if (!check_digests(h, digests, n, err) || !outputs_open(&h->outputs, h->args, err)) {
        return false;
    }
    for (size_t i = 0; i < h->outputs.quarantine.n; i++) {
        struct output f;
        if (!outputs_read(&h->outputs, i, &f, err)) {
            return false;
        }
        if (is_wanted(h, &f, digests, n) && !(h->target >= 0 ? promote(h, &f, err) : reject(h, &f, err))) {
            return false;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!h->is_found[i]) {
            complain("no file has the digest %s", digests[i]);
            h->code = EXIT_FAILED;
        }
    }
    return true;
}

/* What was done before an error is said, too. */
static int run(struct handling *h, int first)
{
    struct error err, ignored;

    buf_init(&h->out, OUTPUT_MAX);
    if (!handle(h, first, &err)) {
        (void)!command_print(buf_span(&h->out), &ignored);
        return command_failed(&err);
    }
    return command_finish(&h->out, h->code);
}

static int run_promote(const struct arguments *args)
{
    struct handling h CLEANUP(deinit) = {.args = args, .outputs = {.quarantine = {.folder = -1}}, .target = -1};
    struct error err;

    h.target = target_open(args->operands[1], &err);
    return h.target < 0 ? command_failed(&err) : run(&h, 2);
}

static int run_reject(const struct arguments *args)
{
    struct handling h CLEANUP(deinit) = {.args = args, .outputs = {.quarantine = {.folder = -1}}, .target = -1};

    return run(&h, 1);
}
