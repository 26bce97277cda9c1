/* rule_words.h - a list of words as a pattern and its triggers.
 *
 * The words become one pattern, a tree of their letters: "ass", "asset", "at" is a(?:ss(?:et)?|t). So PCRE2 takes each
 * letter of a text once however long the list is, and of two words that begin alike the longer one. ASCII letters and
 * those of other scripts are compared without regard to case; a space or hyphen in a word stands for a space,
 * a hyphen or a line end.
 *
 * The triggers are the first letters of the words, as few as cover all: a word that begins another is a
 * trigger of both. */
#ifndef FILTERD_POLICY_RULE_WORDS_H
#define FILTERD_POLICY_RULE_WORDS_H

#include "base/arena.h"
#include "policy/rule.h"

enum { RULE_WORDS_MAX = 4096, RULE_WORD_BYTES_MAX = 128 };

/* Whether a rule can be made of them. */
MUST_CHECK bool rule_words_check(const struct span_list *words, struct error *err);
/* Sets patterns, triggers, lead and max_length of a rule whose words have been checked. */
MUST_CHECK bool rule_words_compile(struct arena *a, struct rule *rule, struct error *err);

#endif
