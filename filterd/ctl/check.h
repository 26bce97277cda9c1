/* check.h - filterctl check between its files: what the command, its inputs and its pipe share. */
#ifndef FILTERD_CTL_CHECK_H
#define FILTERD_CTL_CHECK_H

#include "ctl/batch.h"
#include "ctl/options.h"
#include "ctl/progress.h"

enum input_kind { INPUT_TEXT, INPUT_JSON, INPUT_NDJSON };

/* Set up before the threads start; they only read, the last four members belong to the sink. */
struct check {
    const struct session *session;
    const struct arguments *args;
    const struct report_format *format;
    bool is_coloured;
    struct span field;
    atomic_bool *rules_found; /* the one thing that threads write: see report_totals */
    struct report_totals totals;
    struct buf problems; /* array of struct report_problem */
    struct progress progress;
    bool has_written; /* a finding: the next one needs a separator */
};

/* What a file is, by --input or by its name. */
enum input_kind check_input_kind(const struct arguments *args, const char *file);

/* batch_task.run: judges a file or lines and formats what it found. */
void check_run(void *context, struct worker *w, struct batch *b);
/* The same for --pipe: an answer for each line. */
void check_pipe_run(void *context, struct worker *w, struct batch *b);

/* Finding counts as found: acted on, or strong enough and of a kind that should not be there, or asked for. */
bool check_is_found(const struct arguments *args, const struct finding *f);
/* The mildest action that makes the exit code 1. */
enum action check_fail_on(const struct arguments *args);

#endif
