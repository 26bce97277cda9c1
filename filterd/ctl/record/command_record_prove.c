/* command_record_prove.c - filterctl record prove, consistency: proofs that anybody can verify without filterd. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "ctl/command.h"
#include "ctl/record/proven_log.h"
#include "record/log_view.h"

static int prove(const struct arguments *args);
static int prove_consistency(const struct arguments *args);

const struct command command_record_prove = {
    .name = "record prove",
    .operands = "SEQ [DIR|FILE…]",
    .summary = "Print the proof that one line is in the signed log (C2SP tlog-proof)",
    .details = "The line itself is in the proof, as its extra data. DIR and FILE as for record verify.",
    .options = OPTION_BIT(OPTION_RECORD),
    .min_operands = 1,
    .max_operands = -1,
    .run = prove,
};

const struct command command_record_consistency = {
    .name = "record consistency",
    .operands = "FROM TO [DIR|FILE…]",
    .summary = "Print the proof that one checkpoint is consistent with another: hashes, one a line",
    .details = "FROM and TO are numbers of lines, or files with checkpoints. DIR and FILE as for record verify.",
    .options = OPTION_BIT(OPTION_RECORD),
    .min_operands = 2,
    .max_operands = -1,
    .run = prove_consistency,
};

static bool read_number(const char *text, uint64_t *number)
{
    char *end;

    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

/* A number of lines, or the size of the checkpoint in a file. */
static bool read_size(const char *text, uint64_t *size, struct error *err)
{
    struct buf note CLEANUP(buf_deinit);
    struct checkpoint c;

    buf_init(&note, NOTE_MAX);
    if (read_number(text, size)) {
        return true;
    }
    if (!file_read(text, &note, err) || !checkpoint_parse(buf_span(&note), &c, err)) {
        return error_wrap(err, "a number of lines or a file with a checkpoint expected");
    }
    *size = c.size;
    return true;
}

/* A view of the log's files. */
static bool open_view(const struct arguments *args, int n_before, struct proven_log *log, struct log_view *view,
                      struct error *err)
{
    bool is_open = proven_log_open(log, args->operands + n_before, args->n_operands - n_before, args->record, err);

    *view = (struct log_view){.folder = log->folder, .record = log->record};
    return is_open;
}

static int prove(const struct arguments *args)
{
    struct proven_log log CLEANUP(proven_log_close) = {.minimum = 0};
    struct buf out CLEANUP(buf_deinit);
    struct log_view view;
    struct error err;
    uint64_t seq = 0;

    buf_init(&out, LOG_VIEW_PROOF_MAX);
    if (!read_number(args->operands[0], &seq) || seq == 0) {
        error_set(&err, ERROR_INVALID, "record prove: the number of a line expected");
        return command_failed(&err);
    }
    return open_view(args, 1, &log, &view, &err) && log_view_proof(&view, seq, 0, &out, &err) ? command_finish(&out, EXIT_CLEAN)
                                                                                             : command_failed(&err);
}

static int prove_consistency(const struct arguments *args)
{
    struct proven_log log CLEANUP(proven_log_close) = {.minimum = 0};
    struct buf out CLEANUP(buf_deinit);
    struct log_view view;
    struct error err;
    uint64_t from = 0, to = 0;

    buf_init(&out, LOG_VIEW_PROOF_MAX);
    return read_size(args->operands[0], &from, &err) && read_size(args->operands[1], &to, &err) &&
                   open_view(args, 2, &log, &view, &err) && log_view_consistency(&view, from, to, &out, &err)
               ? command_finish(&out, EXIT_CLEAN)
               : command_failed(&err);
}
