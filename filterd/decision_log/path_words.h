/* path_words.h - the words that names in JSON are made of: a closed list, so that a name made of them says what a place
 * is for and nothing of what is there. Words of the APIs that are proxied, and of forms, tools and tables. */
#ifndef FILTERD_DECISION_LOG_PATH_WORDS_H
#define FILTERD_DECISION_LOG_PATH_WORDS_H

#include "base/span.h"

enum { PATH_WORDS_MAX = 6 }; /* of one name; the APIs' own have no more */

/* One to six of the words, each in small letters, in capitals or with a capital in front, next to each other or
 * with one of "_-." between: "content", "customer_id", "finishReason", "response.output_text.delta". */
bool path_words_make(struct span name);

#endif
