/* report.h - findings written for people and for programs: text, JSON, NDJSON, SARIF 2.1.0.
 *
 * A report is head, findings with a separator between them, tail. Findings are formatted by worker
 * threads into buffers of their own, so a format keeps no state. Matches are always masked, also
 * where they are in the path as a member name. */
#ifndef FILTERD_CTL_REPORT_H
#define FILTERD_CTL_REPORT_H

#include "ctl/judging.h"
#include "ctl/source/history.h"

enum { REPORT_PRINT_MAX = 40 };

struct report_item {
    const char *file;
    size_t line, column, end_line, end_column;
    size_t offset, length; /* bytes in the file */
    const struct judging *judging;
    const struct finding *finding;
    const struct history_commit *commit; /* that brought the finding; NULL: a file */
    const char *ignored;                 /* what says that it is known: "comment", …; NULL: nothing does */
    char fingerprint[REPORT_PRINT_MAX];
    bool is_coloured;
    bool is_verbose; /* also with what the text format leaves out of its lines */
};

enum problem_kind { PROBLEM_SKIPPED, PROBLEM_UNJUDGED };

/* An input, or a line of one, that was not judged. */
struct report_problem {
    enum problem_kind kind;
    char *file;  /* owned by the owner of the problem */
    size_t line; /* 0: the whole file */
    char reason[200];
};

struct report_totals {
    size_t files, texts, findings, skipped, unjudged;
    size_t commits, ignored; /* ignored: findings that are known */
    size_t actions[ACTION_ALLOW + 1];  /* of findings, what the policy does about them */
    size_t verdicts[ACTION_ALLOW + 1]; /* of judged texts */
    uint64_t bytes;
    const struct report_problem *problems;
    size_t n_problems;
    const bool *rules_found; /* by index in the rule set: it has a finding in the report; NULL: none has */
};

struct report_format {
    const char *name;
    const char *separator;
    bool (*head)(struct buf *out, const struct session *s, struct error *err);
    bool (*finding)(struct buf *out, const struct report_item *item, struct error *err);
    bool (*tail)(struct buf *out, const struct session *s, const struct report_totals *totals, struct error *err);
};

extern const struct report_format report_text, report_json, report_ndjson, report_sarif;

/* NULL and unknown names: text. */
const struct report_format *report_format_find(const char *name);

/* The finding's path in its document, matches in member names masked. */
MUST_CHECK bool report_append_path(struct buf *out, const struct judging *j,
                                   const struct finding *f, struct error *err);
/* {"rule":…,…,"match":masked}, opened but not closed. */
MUST_CHECK bool report_append_finding_members(struct buf *out, const struct judging *j,
                                              const struct finding *f, struct error *err);
/* "fingerprint", and for a finding in git "commit", "author", "email", "date": ,"name":value for each. */
MUST_CHECK bool report_append_origin_members(struct buf *out, const struct report_item *item, struct error *err);
/* A finding's digest: the rule, the file, its path in the document, the match as it is shown (never the match itself, which
 * could be guessed from its digest), the line of a text that is judged line by line (else 0), and the commit. */
MUST_CHECK bool report_digest(const struct report_item *item, size_t text_line, char digest[REPORT_PRINT_MAX], struct error *err);
/* A path as a URI reference, as a JSON string. */
MUST_CHECK bool report_append_uri(struct buf *out, const char *path, struct error *err);
/* The text as a JSON string. */
MUST_CHECK bool report_append_quoted(struct buf *out, const char *text, struct error *err);

#endif
