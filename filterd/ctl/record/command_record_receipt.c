/* command_record_receipt.c - filterctl record receipt: whether the line of a receipt is in the signed log. */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "ctl/command.h"
#include "ctl/operators.h"
#include "ctl/record/proven_log.h"
#include "record/log_policy.h"
#include "record/log_view.h"
#include "record/proof.h"
#include "record/receipt.h"

enum { OUTPUT_MAX = 16 * 1024, PATH_TEXT = 64 + RECEIPT_TEXT };

static int run(const struct arguments *args);

const struct command command_record_receipt = {
    .name = "record receipt",
    .operands = "RECEIPT [DIR|FILE…]",
    .summary = "Verify that the line of a receipt is in the signed log",
    .details = "RECEIPT is what an answer of filterd had as Filterd-Receipt. The proof comes from a running filterd, from the log in\n"
               "DIR or FILE… (as for record verify), or from a file. Without --policy, the keys are those of the same place, which\n"
               "proves nothing against its owner. Exit code 0: the line is in the log; 1: that is not proven; 2: the proof could not be read.",
    .options = OPTION_BIT(OPTION_POLICY) | OPTION_BIT(OPTION_FROM) | OPTION_BIT(OPTION_RECORD) | OPTION_BIT(OPTION_OPERATORS) |
               OPTION_BIT(OPTION_TOKEN),
    .texts = {{OPTION_POLICY, "whose signatures the checkpoint needs, as a tlog-policy"},
              {OPTION_FROM, "the proof, as GET /v1/receipts/RECEIPT gave it"},
              {OPTION_OPERATORS, "a listener of filterd, of operators or of callers: a path, unix:/path or address:port"}},
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};

struct check {
    const struct arguments *args;
    const char *receipt;
    uint64_t seq;
    struct tree_hash leaf;
    struct buf proof_text, policy_text;
    struct log_policy *policy;
    struct proof proof;
    bool is_missing; /* there is no proof of that receipt */
    struct log_policy_result result;
};

static void check_deinit(struct check *c)
{
    buf_deinit(&c->proof_text);
    buf_deinit(&c->policy_text);
}

/* --- the proof and the keys ---------------------------------------------------------- */

static bool read_folder(struct check *c, struct error *err)
{
    struct proven_log log CLEANUP(proven_log_close) = {.minimum = 0};
    char path[PATH_MAX + sizeof("/policy")];

    if (!proven_log_open(&log, c->args->operands + 1, c->args->n_operands - 1, c->args->record, err)) {
        return false;
    }
    const struct log_view view = {.folder = log.folder, .record = log.record};
    (void)snprintf(path, sizeof(path), "%s/policy", log.record);
    if (c->args->policy == NULL && !file_read(path, &c->policy_text, err)) {
        return false;
    }
    bool is_proven = log_view_receipt(&view, c->seq, &c->leaf, &c->proof_text, err);
    c->is_missing = !is_proven && err->kind == ERROR_NOT_FOUND;
    return is_proven;
}

static bool read_service(struct check *c, struct error *err)
{
    char path[PATH_TEXT];

    (void)snprintf(path, sizeof(path), "/v1/receipts/%s", c->receipt);
    if (!operators_read(c->args, path, &c->proof_text, err)) {
        c->is_missing = err->kind == ERROR_NOT_FOUND;
        return false;
    }
    return c->args->policy != NULL || operators_read(c->args, "/v1/record/policy", &c->policy_text, err) ||
           error_set(err, ERROR_INVALID, "--policy: whose signatures count expected, as this listener does not say");
}

static bool read_file(struct check *c, struct error *err)
{
    return c->args->policy != NULL ? file_read(c->args->from, &c->proof_text, err)
                                   : error_set(err, ERROR_INVALID, "--policy: whose signatures count expected, as a file does not say");
}

static bool read_all(struct check *c, struct error *err)
{
    bool is_folder = c->args->n_operands > 1 || c->args->record != NULL;
    bool is_read = c->args->from != NULL ? read_file(c, err) : is_folder ? read_folder(c, err) : read_service(c, err);

    return is_read && (c->args->policy == NULL || file_read(c->args->policy, &c->policy_text, err)) &&
           (log_policy_parse(buf_span(&c->policy_text), c->policy, err) || error_wrap(err, "policy"));
}

/* Nothing of the proof is believed before this. */
static bool verify(struct check *c, struct error *err)
{
    if (!proof_parse(buf_span(&c->proof_text), &c->proof, err)) {
        return false;
    }
    if (c->proof.index != c->seq - 1) {
        return error_set(err, ERROR_INVALID, "the proof is of another line");
    }
    return proof_verify(&c->proof, &c->leaf, err) && log_policy_verify(c->policy, &c->proof.checkpoint, &c->result, err);
}

/* --- output ---------------------------------------------------------------------------- */

static bool append_witnesses(const struct check *c, struct buf *out, struct error *err)
{
    const char *before = ", cosigned by ";

    for (size_t i = 0; i < c->policy->n_members; i++) {
        const struct log_policy_member *m = &c->policy->members[i];
        if (m->is_group || (c->result.witnesses >> i & 1U) == 0) {
            continue;
        }
        if (!buf_append_str(out, before, err) || !buf_append(out, m->name, err)) {
            return false;
        }
        before = ", ";
    }
    return true;
}

static bool append_proven(const struct check *c, struct buf *out, struct error *err)
{
    return buf_appendf(out, err, "line %" PRIu64 " is in the log of " SPAN_FMT ", signed at size %" PRIu64, c->seq,
                       SPAN_ARG(c->proof.checkpoint.origin), c->proof.checkpoint.size) &&
           append_witnesses(c, out, err) && buf_append_char(out, '\n', err) &&
           (c->args->policy != NULL || buf_append_str(out, "keys: as the log itself says; --policy names keys that you trust\n", err));
}

static int print_finding(const struct check *c, const struct error *why, struct buf *out)
{
    struct error err;

    return buf_appendf(out, &err, "line %" PRIu64 " is not proven: %s\n", c->seq, why->text) ? command_finish(out, EXIT_FOUND)
                                                                                           : command_failed(&err);
}

static int run(const struct arguments *args)
{
    static struct log_policy policy;
    struct check c CLEANUP(check_deinit) = {.args = args, .receipt = args->operands[0], .policy = &policy};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    buf_init(&c.proof_text, PROOF_MAX);
    buf_init(&c.policy_text, LOG_POLICY_MAX);
    if (!receipt_parse(span_str(c.receipt), &c.seq, &c.leaf, &err)) {
        return command_failed(&err);
    }
    if (!read_all(&c, &err)) {
        return c.is_missing ? print_finding(&c, &err, &out) : command_failed(&err);
    }
    if (!verify(&c, &err)) {
        return err.kind == ERROR_NO_MEMORY ? command_failed(&err) : print_finding(&c, &err, &out);
    }
    return append_proven(&c, &out, &err) ? command_finish(&out, EXIT_CLEAN) : command_failed(&err);
}
