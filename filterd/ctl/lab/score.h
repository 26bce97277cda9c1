/* score.h - what the rules find of labelled rows: judged on threads, added up in order.
 *
 * A row is one JSON object with a "text" and one of these, the first that it has:
 *   "spans": [[start, end, kind], …]   each span is to be found; offsets in code points, half-open.
 *                                      A finding that meets none of them is false
 *   "label": L                         to be found when L is one of the positive labels, else quiet
 *   "kind": "positive" | "negative"    to be found, at "secret" where that is named; or quiet
 *   none of them                       quiet: every finding is false
 * A finding counts from a level on: what the policy does about it. In a row that is to be found, a
 * finding beside the place is neither found nor false, as a text may hold more than it is there
 * for. A row of a label or kind, or of neither, also has a score (score_curve.h). No event holds any of the text: names of rules,
 * places, scores and counts alone. */
#ifndef FILTERD_CTL_LAB_SCORE_H
#define FILTERD_CTL_LAB_SCORE_H

#include <jansson.h>

#include "ctl/batch.h"
#include "ctl/lab/score_curve.h"
#include "ctl/progress.h"

enum { SCORE_NAME_MAX = 80 };

/* What is done about a finding, the least first. */
enum score_level { SCORE_REPORT, SCORE_REDACT, SCORE_BLOCK, SCORE_LEVEL_COUNT };
const char *score_level_name(enum score_level level);

enum score_outcome {
    SCORE_FOUND,   /* a place that a finding meets */
    SCORE_MISSED,  /* a place that none meets */
    SCORE_CLEAN,   /* a quiet row without a finding that counts */
    SCORE_FLAGGED, /* a quiet row with one or more */
    SCORE_FALSE /* a finding that meets nothing; of a quiet row in addition to its SCORE_FLAGGED */
};

struct score_event {
    enum score_outcome outcome;
    size_t line;
    bool is_counted; /* SCORE_FALSE: its level is high enough. Others are kept for the rates of
                        quiet text */
    bool is_span;    /* from and to are known, and precision is a matter of findings */
    bool is_benign;  /* of a row that is quiet by its label, or for want of one */
    enum score_level level;      /* SCORE_FALSE */
    enum category category;      /* SCORE_FALSE */
    size_t from, to;             /* SCORE_FALSE, and spans: code points in the text */
    size_t bytes;                /* SCORE_CLEAN, SCORE_FLAGGED: of the text */
    enum score_class class;      /* of the row's one event that says how it did; NONE: it has no score */
    double score;                /* of that one */
    char group[SCORE_NAME_MAX];  /* the row's, as the option --by says */
    char rule[SCORE_NAME_MAX];   /* of the finding; of SCORE_MISSED what the data names */
    char source[SCORE_NAME_MAX]; /* SCORE_MISSED: of the row, as are these */
    char provider[SCORE_NAME_MAX];
};

/* A head of a local model that scores rows in place of the policy's findings; a row counts from the threshold on. */
struct score_head {
    const struct classifier *classifier; /* NULL: none */
    unsigned head;
    double threshold;
};

struct score_row_options {
    const struct session *session;
    const struct arguments *args; /* filters, --by, --positive, --classifier */
    enum score_level level;
    struct score_head by_head;
};

/* The highest score of the text, which is cut into units as the policy says, or is one for a head that needs all of it; 0 where
 * nothing has a score. */
MUST_CHECK bool score_by_head(const struct score_head *by, enum hold_unit hold, struct span text, double *score, struct error *err);

/* Judges the lines of a batch; b->output becomes an array of events, b->problems has the lines that
 * are no rows. */
void score_rows(const struct score_row_options *options, struct worker *w, struct batch *b);

/* --- adding up -------------------------------------------------------------- */

struct score_count {
    char name[SCORE_NAME_MAX];
    size_t found, missed;  /* places */
    size_t quiet, flagged; /* rows */
    size_t falses;         /* findings that count */
    size_t span_falses;    /* those of rows with spans */
    bool has_spans;        /* of the total: there were such rows */
};

struct score_counts {
    struct score_count *items;
    size_t n, cap;
};

struct score_sum {
    struct score_counts groups; /* by the row's name */
    struct score_counts rules;  /* by the finding's rule: found, falses */
    struct score_count total;
    size_t quiet_rows; /* of rows that are quiet by label or for want of one */
    uint64_t quiet_bytes;
    size_t quiet_findings[CATEGORY_COUNT][SCORE_LEVEL_COUNT];
    size_t n_bad; /* rows that could not be read or judged */
    struct score_curves curves;
};

MUST_CHECK bool score_add(struct score_sum *s, const struct score_event *event, struct error *err);
void score_sum_deinit(struct score_sum *s);

/* In [0, 1]; negative when the labels do not allow to say. */
double score_recall(const struct score_count *c);
double score_precision(const struct score_count *c);
double score_f1(const struct score_count *c);

/* --- printing ---------------------------------------------------------------- */

enum score_format { SCORE_TEXT, SCORE_JSON, SCORE_NDJSON };

struct score_printer {
    enum score_format format;
    const char *by; /* heads the groups' column */
    enum score_level level;
    double threshold; /* of the rows' scores; negative: none */
    json_t *root; /* SCORE_JSON: what has been gathered */
};

/* A missed place or a false finding, by file and line. */
MUST_CHECK bool score_print_event(struct score_printer *p, const char *file,
                                  const struct score_event *event, struct error *err);
/* Sorts the groups. */
MUST_CHECK bool score_print(struct score_printer *p, struct score_sum *s, struct error *err);
void score_printer_deinit(struct score_printer *p);

#endif
