/* look_ahead.h - bytes that stand within a distance behind the start of each match, from a pattern's look-aheads and from what it
 * goes on with far behind its start.
 *
 * An over-approximation like look_behind.h: "curl (?=[^-]{0,801}+-)" asks for a dash within some eight hundred characters,
 * "(?=[a-z0-9]{0,60}[0-9])" at its very beginning for a digit behind none but small letters. PCRE2 would look for either at each
 * start anew, and an automaton (lazy_dfa.h) does not see look-aheads. A value of up to 600 characters must end: what may stand behind one
 * is wanted, too, and so is what the look-aheads ask for that a group begins with. */
#ifndef FILTERD_REGEX_LOOK_AHEAD_H
#define FILTERD_REGEX_LOOK_AHEAD_H

#include "regex/pattern_element.h"

enum { AHEAD_MAX = 2 };

struct ahead {
    struct byte_set wanted;
    struct byte_set between; /* what alone may stand between the start and the first wanted byte; all bytes where that is not known */
    uint32_t within;         /* the first wanted byte is at most so many bytes behind the start */
    bool or_end;             /* or the end of the text is */
};

/* `pattern` is in PCRE2's syntax. Returns the number of them; bytes that text is full of are left out where they are near. */
size_t look_ahead_bytes(struct span pattern, struct ahead out[AHEAD_MAX]);

#endif
