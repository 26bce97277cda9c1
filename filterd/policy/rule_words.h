/* rule_words.h - a list of words as a pattern and its triggers.
 *
 * The words become one pattern, a tree of their letters: "ass", "asset", "at" is a(?:ss(?:et)?|t). PCRE2 thus reads each
 * letter of a text once, whatever the length of the list, and finds the longer of two words with the same beginning. Letters of
 * all scripts are compared without regard to case; a space or hyphen in a word matches a space,
 * a hyphen or a line end.
 *
 * The triggers are a minimal set of beginnings of the words: a word that begins another is a
 * trigger for both. */
#ifndef FILTERD_POLICY_RULE_WORDS_H
#define FILTERD_POLICY_RULE_WORDS_H

#include "base/arena.h"
#include "policy/rule.h"

enum { RULE_WORDS_MAX = 4096, RULE_WORD_BYTES_MAX = 128 };

/* Checks that the words can become a rule. */
MUST_CHECK bool rule_words_check(const struct span_list *words, struct error *err);
/* Sets patterns, triggers, lead and max_length of a rule whose words have been checked. */
MUST_CHECK bool rule_words_compile(struct arena *a, struct rule *rule, struct error *err);

#endif
