/* check.h - filterctl check between its files.
 *
 * Threads judge inputs and format what they find (check_input, check_report, check_pipe, check_answer). The sink takes their results in
 * order and decides what is new (check_sink). check_history gives the versions of files in a repository as inputs,
 * check_known has the findings that are not to be reported. */
#ifndef FILTERD_CTL_CHECK_CHECK_H
#define FILTERD_CTL_CHECK_CHECK_H

#include "ctl/batch.h"
#include "ctl/options.h"
#include "ctl/paths.h"
#include "ctl/progress.h"
#include "ctl/source/history.h"
#include "ctl/source/ignores.h"

enum input_kind { INPUT_TEXT, INPUT_JSON, INPUT_NDJSON };

/* How --pipe answers: each appends a whole line. */
struct check;
struct check_answer {
    const char *name;
    bool (*append)(const struct check *c, const struct judging *j, struct buf *out, struct error *err);
    bool (*append_unjudged)(const struct check *c, const char *reason, struct buf *out, struct error *err);
};

/* NULL: JSON. The name is one of --answer's choices. */
const struct check_answer *check_answer_find(const char *name);

/* Versions that have something to report, until all are judged. */
struct check_kept {
    struct batch *items;
    size_t n, max;
};

/* Set up before the threads start; they only read, the last members belong to the sink. */
struct check {
    const struct session *session;
    const struct arguments *args;
    const struct report_format *format;
    bool is_coloured;
    bool obeys_comments; /* filterd:allow */
    struct span field;
    const struct check_answer *answer;
    struct history history; /* of --git and --staged */
    struct check_kept kept;
    struct ignores ignores, baseline;
    struct seen seen; /* findings in the repository's files so far; threads use its key */
    bool *rules_found; /* by index in the rule set; see report_totals */
    struct report_totals totals;
    struct buf problems;     /* array of struct report_problem */
    struct buf new_baseline; /* for --write-baseline */
    struct progress progress;
    bool has_written; /* a finding: the next one needs a separator */
};

/* What run() found and has formatted, in batch.findings. */
struct check_finding {
    size_t from, to; /* in batch.output; empty: it is not listed */
    struct seen_key key;
    uint32_t rule; /* index; CHECK_NO_RULE: filterd's own */
    size_t line;
    enum action action;
    bool is_found, is_ignored;
    bool is_commented; /* ignored by a comment, which a later version may not have */
    char fingerprint[REPORT_PRINT_MAX];
};

enum { CHECK_NO_RULE = UINT32_MAX };

/* A text, or a part of one, that was judged. */
struct check_part {
    size_t first_line;
    size_t from, to;  /* findings in these bytes of it are reported */
    size_t text_line; /* of a file that is judged line by line; else 0 */
};

/* What a file is, by --input or by its name. */
enum input_kind check_input_kind(const struct arguments *args, const char *file);

/* batch_task.run: judges a file, lines or a blob, and formats what it found. */
void check_run(void *context, struct worker *w, struct batch *b);
/* The same for --pipe: an answer for each line. */
void check_pipe_run(void *context, struct worker *w, struct batch *b);
/* A document when it is one, or must be one; otherwise a text. `is_line`: of a file that is judged line by line. */
void check_judge_json_or_text(const struct check *c, struct worker *w, struct batch *b, struct span text, size_t line,
                              bool is_line);
/* Lines from `number` on. */
void check_judge_lines(const struct check *c, struct worker *w, struct batch *b, struct span text, size_t number);
/* A file or a blob, all of it, once it is read and decoded. */
void check_judge_file(const struct check *c, struct worker *w, struct batch *b);
/* All of a version, decoded. */
void check_judge_version(const struct check *c, struct worker *w, struct batch *b, struct span text);
/* A chain of versions: what each changed. */
void check_versions(const struct check *c, struct worker *w, struct batch *first);
/* Formats what a judged text has. */
void check_report(const struct check *c, struct batch *b, const struct judging *j, const struct check_part *part);
/* batch_task.sink: prints and counts. */
bool check_sink(void *context, struct batch *b, struct error *err);
/* The same for a version: it is counted, and kept where there is something to print. */
bool check_sink_version(void *context, struct batch *b, struct error *err);
/* Prints those, by their numbers. */
MUST_CHECK bool check_sink_kept(struct check *c, struct error *err);
void check_kept_deinit(struct check_kept *kept);
MUST_CHECK bool check_print(struct check *c, const struct buf *out, struct error *err);

/* Reads the ignore file and the baseline that the options name, or that are there. */
MUST_CHECK bool check_known_read(struct check *c, struct error *err);
/* What says that the finding is known: "comment", "file", "baseline"; NULL: nothing. */
const char *check_known(const struct check *c, const struct report_item *item);
/* Notes a finding for --write-baseline. */
MUST_CHECK bool check_known_note(struct check *c, const struct batch *b, const struct check_finding *f, struct error *err);
MUST_CHECK bool check_known_write(const struct check *c, struct error *err);

/* Starts git for --git or --staged, which reads the history while the rules are opened. */
MUST_CHECK bool check_history_start(struct check *c, struct error *err);
/* Gives all versions of --git and --staged to the threads. */
MUST_CHECK bool check_history(struct check *c, struct batches *batches, struct error *err);
/* The files of the operands; with ignores obeyed, those of folders that git does not ignore. */
MUST_CHECK bool check_collect(const struct check *c, struct paths *paths, struct error *err);
bool check_obeys_ignores(const struct arguments *args);

/* Finding counts as found: acted on, or strong enough and of a kind that should not be there, or asked for. */
bool check_is_found(const struct arguments *args, const struct finding *f);
/* The mildest action that makes the exit code 1. */
enum action check_fail_on(const struct arguments *args);

#endif
