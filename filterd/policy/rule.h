/* rule.h - one rule, read from YAML and checked; docs/rules.md is its manual.
 *
 * Immutable once loaded; everything a rule points to lives as long as its rule_set. */
#ifndef FILTERD_POLICY_RULE_H
#define FILTERD_POLICY_RULE_H

#include <stdint.h>

#include "base/span.h"
#include "checks/check.h"
#include "formats/link.h"

enum category { CATEGORY_SECRET, CATEGORY_PII, CATEGORY_INJECTION, CATEGORY_CONTENT, CATEGORY_SYSTEM, CATEGORY_COUNT };
enum severity { SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH, SEVERITY_CRITICAL, SEVERITY_COUNT };
enum boundary {
    BOUNDARY_TOKEN,
    BOUNDARY_WORD,
    BOUNDARY_LETTER,
    BOUNDARY_NUMBER,
    BOUNDARY_PART,
    BOUNDARY_NONE,
    BOUNDARY_COUNT
};

/* NULL-terminated; category_names ends with system, which no rule has. */
extern const char *const category_names[], *const severity_names[], *const boundary_names[];

const char *category_name(enum category category);
const char *severity_name(enum severity severity);
const char *boundary_name(enum boundary boundary);

/* The look-arounds of a boundary, as PCRE2 text. */
struct span boundary_before(enum boundary boundary);
struct span boundary_after(enum boundary boundary);

struct span_list {
    const struct span *items;
    size_t n;
};

struct rule_check {
    const struct check_type *type;
    struct check_args args;
    struct span group; /* the named group to judge; empty: the span that counts */
    bool drops;        /* a failed check drops the finding */
    double raise, lower;
};

struct rule_context {
    struct span_list words; /* lower case */
    struct span_list rules; /* ids: instead of words, a match of one of them */
    uint32_t within;        /* bytes before and after the span */
    double raise, lower;
    bool is_required;
};

enum { RULE_EXAMPLES_MIN = 3 }; /* in match and in no_match; a rule with fewer loads with a warning */

struct yaml_node;
struct fragments;

/* Cells of a table (rule_data.h); no file: none. */
struct rule_exact {
    struct span file, key;
    struct span_list cells;   /* columns of which one cell is a finding */
    unsigned columns;         /* so many columns of one row are one; 0: not */
    uint32_t within;          /* bytes */
};

/* Copies of documents. */
struct rule_documents {
    struct span file, key;
    uint32_t run;   /* the least bytes of a copy */
    uint32_t share; /* or of so many percent of its document; 0: not */
};

struct rule_source {
    struct span file;
    unsigned line;
};

struct rule {
    struct span id, title, pack;
    enum category category;
    enum severity severity;
    enum boundary boundary;
    double confidence;
    bool is_shadow;
    bool is_region; /* a match only grows with more text, so that its replacement is known at once */
    enum link_use link; /* a match is a construct of links (policy/links.h); NONE: it is not */
    unsigned views; /* bit per enum view_kind */
    uint32_t max_length, lead; /* 0: computed */
    struct span_list words; /* as written; the patterns and triggers derive from them (rule_words.h) */
    struct span_list patterns, triggers, allow;
    struct span_list written; /* the patterns with fragments and layout; none: derived from words */
    const struct yaml_node *pattern_node; /* `written`, for errors; NULL once the set is loaded, as are the fragments */
    struct fragments *fragments; /* of its file */
    struct span classifier; /* instead of patterns: the head (scan/classifier.h); empty: none */
    double threshold;       /* the lowest score that is a finding; the score is its confidence */
    bool only_reports;      /* no policy redacts or blocks by it: its head is too unreliable (scan/classifier.h) */
    bool needs_all;         /* likewise of a policy that judges parts of a text: its head judges the whole */
    struct rule_exact exact; /* instead of patterns */
    struct rule_documents documents; /* likewise */
    const struct rule_check *checks;
    size_t n_checks;
    const struct rule_context *contexts;
    size_t n_contexts;
    struct span_list tags, references;
    struct span_list match, no_match;
    struct rule_source source;
};

/* Compares by id: less than, equal to or greater than 0. A set's rules are sorted by it in one array; those of the supervisor
 * (supervisor.h) are separate. */
int rule_compare(const struct rule *a, const struct rule *b);

/* Whether it has RULE_EXAMPLES_MIN examples of both kinds, or needs none: examples of data would be that data. */
bool rule_has_examples(const struct rule *rule);
/* Whether it recognizes a secret by its form, as a whole token, and not by its context. */
static inline bool rule_is_token(const struct rule *rule)
{
    return rule->category == CATEGORY_SECRET && rule->boundary == BOUNDARY_TOKEN;
}

/* Whether it recognizes data of one's own, from a file (rule_data.h). */
static inline bool rule_is_data(const struct rule *rule)
{
    return rule->exact.file.len > 0 || rule->documents.file.len > 0;
}

/* The highest confidence that a finding of the rule can reach; may exceed 1. */
double rule_confidence_max(const struct rule *rule);

#endif
