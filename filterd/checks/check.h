/* check.h - offline tests of a candidate: checksum, structure, entropy, dates, allow lists.
 *
 * A check is pure: it uses only the span and its arguments, has no state, does not allocate, and
 * takes time linear in the span (spans are bounded by CHECK_SPAN_MAX; a longer one fails). Each check
 * is one function in its own file, check_NAME.c; checks_table.c lists them all. docs/rules.md
 * describes every check and its arguments for rule authors. */
#ifndef FILTERD_CHECKS_CHECK_H
#define FILTERD_CHECKS_CHECK_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { CHECK_SPAN_MAX = 64 * 1024, CHECK_BEFORE = 64 };

/* The value of one argument in a rule file, converted by the YAML reader. */
enum check_value_kind { CHECK_NUMBER, CHECK_TEXT, CHECK_FLAG, CHECK_TEXTS, CHECK_NUMBERS };

struct check_value {
    enum check_value_kind kind;
    double number;            /* NUMBER; FLAG: 0 or 1 */
    struct span text;         /* TEXT */
    const struct span *texts; /* TEXTS */
    const double *numbers;    /* NUMBERS */
    size_t n;                 /* length of texts or numbers */
};

enum { CHECK_PARAMETERS_MAX = 8 };

/* A parameter of a check: name and kind of the argument. A name of NULL ends the list. */
struct check_parameter {
    const char *name;
    enum check_value_kind kind;
    bool is_required;
};

/* The arguments of one use of a check, in the order of the type's parameters; is_given is false for
 * absent ones. Borrowed from the rule; they live as long as the policy. */
struct check_args {
    struct check_value value[CHECK_PARAMETERS_MAX];
    bool is_given[CHECK_PARAMETERS_MAX];
};

struct check_type {
    const char *name;
    const char *summary; /* "passes when …", for filterctl rules explain --checks */
    struct check_parameter parameters[CHECK_PARAMETERS_MAX + 1];
    bool (*passes)(struct span value, const struct check_args *args);
    /* Optional, used instead of passes if the place of the value is known: for a check that also reads the preceding text.
     * `before` ends where the value begins. In
     * the raw text it begins CHECK_BEFORE bytes before the match, or with the line; in a rewritten view it begins with
     * the match, because the rest of a view depends on where its piece begins. */
    bool (*passes_behind)(struct span before, struct span value, const struct check_args *args);
    /* Optional, both, beside passes_behind: a score that does not depend on the arguments, and whether it passes with these. A value
     * that several checks of a rule ask about is measured once. */
    double (*score)(struct span before, struct span value);
    bool (*passes_score)(double score, const struct check_args *args);
    /* Optional: refuses arguments that no value could satisfy (unknown names, empty weights).
     * Called once, when the rule is loaded. */
    bool (*accepts)(const struct check_args *args, struct error *err);
};

/* NULL when there is no such check. */
const struct check_type *check_find(struct span name);
/* All checks, in the order of their names; *n is their number. */
const struct check_type *const *check_all(size_t *n);

#endif
