#include "policy/rule.h"

const char *const category_names[] = {"secret", "pii", "injection", "content", "system", NULL};
const char *const severity_names[] = {"low", "medium", "high", "critical", NULL};
const char *const boundary_names[] = {"token", "word", "letter", "number", "part", "none", NULL};

const char *category_name(enum category category)
{
    return category_names[category];
}

const char *severity_name(enum severity severity)
{
    return severity_names[severity];
}

const char *boundary_name(enum boundary boundary)
{
    return boundary_names[boundary];
}

#define WORD_CHARACTERS "[A-Za-z0-9_\\x{c0}-\\x{24f}\\x{370}-\\x{52f}\\x{1e00}-\\x{1fff}]"
#define LETTER_CHARACTERS "[\\p{L}\\p{M}\\p{N}_]"

struct span boundary_before(enum boundary boundary)
{
    static const char *const texts[BOUNDARY_COUNT] = {
        [BOUNDARY_TOKEN] = "(?<![A-Za-z0-9])",
        [BOUNDARY_WORD] = "(?<!" WORD_CHARACTERS ")",
        [BOUNDARY_LETTER] = "(?<!" LETTER_CHARACTERS ")",
        [BOUNDARY_NUMBER] = "(?<![A-Za-z0-9_])(?<![0-9][.,\\-/:])",
        [BOUNDARY_PART] = "(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))",
        [BOUNDARY_NONE] = "",
    };
    return span_str(texts[boundary]);
}

struct span boundary_after(enum boundary boundary)
{
    static const char *const texts[BOUNDARY_COUNT] = {
        [BOUNDARY_TOKEN] = "(?![A-Za-z0-9])",
        [BOUNDARY_WORD] = "(?!" WORD_CHARACTERS ")",
        [BOUNDARY_LETTER] = "(?!" LETTER_CHARACTERS ")",
        [BOUNDARY_NUMBER] = "(?![A-Za-z0-9_])(?![.,\\-/:][0-9])",
        [BOUNDARY_PART] = "",
        [BOUNDARY_NONE] = "",
    };
    return span_str(texts[boundary]);
}

int rule_compare(const struct rule *a, const struct rule *b)
{
    size_t len = a->id.len < b->id.len ? a->id.len : b->id.len;
    int order = a == b || len == 0 ? 0 : memcmp(a->id.ptr, b->id.ptr, len);

    return order != 0 ? order : (a->id.len > b->id.len) - (a->id.len < b->id.len);
}

double rule_confidence_max(const struct rule *rule)
{
    double most = rule->confidence;

    for (size_t i = 0; i < rule->n_checks; i++) {
        most += rule->checks[i].raise;
    }
    for (size_t i = 0; i < rule->n_contexts; i++) {
        most += rule->contexts[i].raise;
    }
    return most;
}

bool rule_has_examples(const struct rule *rule)
{
    return rule_is_data(rule) || (rule->match.n >= RULE_EXAMPLES_MIN && rule->no_match.n >= RULE_EXAMPLES_MIN);
}
