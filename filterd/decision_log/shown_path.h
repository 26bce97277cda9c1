/* shown_path.h - a path as it may leave filterd: in a record, an answer, a page.
 *
 * The names in a path may have been chosen by a model: each may hold a secret, half of one, or a person. A shown_path
 * discloses none of that: array indexes of up to seven digits; names that are made of a closed list of words (path_words.h); for
 * every other name its token, or "[name]" where tokens are not wanted. When one name of the exchange is at fault, or
 * names were not judged, none is shown. A caller that gets the text back with its names sees them in the path as well.
 *
 * Writers take this type alone, and shown_path_make alone fills it. */
#ifndef FILTERD_DECISION_LOG_SHOWN_PATH_H
#define FILTERD_DECISION_LOG_SHOWN_PATH_H

#include "decision_log/decision_log.h"
#include "judge/exchange.h"

enum { SHOWN_PATH_MAX = 4096 };

struct shown_path {
    size_t len;
    char text[SHOWN_PATH_MAX]; /* a JSON pointer; may need escaping in JSON */
};

/* Strictest first. */
enum shown_names { NAMES_HIDDEN, NAMES_OF_WORDS, NAMES_DELIVERED };

/* Which names of the exchange may be shown on record; and to its caller, who is given the names of what is not blocked. */
enum shown_names shown_names_on_record(const struct exchange *x);
enum shown_names shown_names_to_caller(const struct exchange *x);

/* `keys` NULL: [name] in place of tokens. A path that would be longer than `max` bytes (at most SHOWN_PATH_MAX) is one
 * token, or [path]. */
MUST_CHECK bool shown_path_make(struct shown_path *out, struct span path, enum shown_names names,
                                const struct decision_keys *keys, size_t max, struct error *err);

#endif
