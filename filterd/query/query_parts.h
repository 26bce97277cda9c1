/* query_parts.h - what a compiled query consists of; for the query_*.c files and the index alone. */
#ifndef FILTERD_QUERY_QUERY_PARTS_H
#define FILTERD_QUERY_QUERY_PARTS_H

#include "query/query.h"

/* In the order of the canonical text. */
enum query_field {
    QUERY_TENANT,
    QUERY_APP,
    QUERY_AGENT,
    QUERY_RULE,
    QUERY_CATEGORY,
    QUERY_SEVERITY,
    QUERY_ACTION,
    QUERY_TYPE,
    QUERY_STATE,
    QUERY_DISPOSITION,
    QUERY_WHO,
    QUERY_POLICY,
    QUERY_TOKEN,
    QUERY_REQ,
    QUERY_SESSION,
    QUERY_TRACE,
    QUERY_SEQ,
    QUERY_SINCE,
    QUERY_UNTIL,
    QUERY_FIELDS
};

enum query_kind { QUERY_IS_TEXT, QUERY_IS_WORD, QUERY_IS_RANGE, QUERY_IS_TIME };

struct query_field_type {
    const char *name;
    enum query_kind kind;
    const char *words; /* of a word: those that there are, with '|' between */
};
extern const struct query_field_type query_fields[QUERY_FIELDS];

/* A text, or the numbers from `from` up to and with `to`; a time has only `from`, in nanoseconds. */
struct query_value {
    struct span text;
    bool is_prefix;
    int64_t time_ns;
    uint64_t from, to;
};

struct query_term {
    enum query_field field;
    bool is_negated;
    size_t first, n; /* its values */
};

struct query {
    struct query_term terms[QUERY_TERMS_MAX];
    size_t n_terms;
    struct query_value values[QUERY_VALUES_MAX];
    size_t n_values;
    char text[QUERY_TEXT_MAX]; /* of the values, without quotes */
    size_t text_len;
    char canonical[QUERY_TEXT_MAX];
    size_t canonical_len;
};

/* Reads text into terms, in the order in which they come. */
MUST_CHECK bool query_parse(struct query *q, struct span text, int64_t now_ns, struct error *err);
/* Sorts and merges terms and values. */
void query_sort(struct query *q);
/* Writes q->canonical. */
MUST_CHECK bool query_print(struct query *q, struct error *err);

#endif
