/* lazy_dfa.h - whether a match of a pattern may begin at a place of a text: one table look-up for each byte.
 *
 * PCRE2 takes a microsecond to see that "password manager" assigns nothing: one alternative after another. A deterministic automaton of
 * the pattern's core (trigger.h) sees it at the tenth byte. Its states are made when a text first needs them, as in RE2 and the regex
 * crate of Rust: of all that it has, texts need few.
 *
 * "No" is certain; "yes" is for PCRE2 to decide. Look-arounds and anchors are taken to hold, long repeats to go on as they like; what is
 * further than LAZY_DFA_BYTES away, or needs more states than there may be, is taken to match.
 *
 * Any number of threads may ask: a new state is made under a lock, known ones are read without. */
#ifndef FILTERD_REGEX_LAZY_DFA_H
#define FILTERD_REGEX_LAZY_DFA_H

#include "regex/byte_class.h"

enum { LAZY_DFA_BYTES = 128 };

struct lazy_dfa;

/* `core` is the output of trigger_core. NULL without memory, or when it may match nothing, is too large, or has something whose meaning is
 * not known here. */
struct lazy_dfa *lazy_dfa_new(struct span core);
void lazy_dfa_free(struct lazy_dfa *d);

/* Whether a match may begin at `at`, the first byte of a character. The text is valid UTF-8, all of what PCRE2 sees. */
bool lazy_dfa_may_begin(struct lazy_dfa *d, struct span text, size_t at);

/* The same for a text that is not whole: whether one may, once more bytes follow. */
bool lazy_dfa_may_go_on(struct lazy_dfa *d, struct span text, size_t at);

/* Adds the bytes that may come second in a match that begins with `first`. */
void lazy_dfa_add_second(struct lazy_dfa *d, unsigned char first, struct byte_set *second);

/* Tells the processor that it is asked soon. */
void lazy_dfa_fetch(const struct lazy_dfa *d);

#endif
