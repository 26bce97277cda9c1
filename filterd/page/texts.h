/* texts.h - the words of the page, in each of its languages.
 *
 * A text is a row of a table (texts_frame.h and its like): its name, English, German. A %s is the place of a value, in all
 * languages or in none. Texts are plain: what is markup is in the screens. */
#ifndef FILTERD_PAGE_TEXTS_H
#define FILTERD_PAGE_TEXTS_H

#include "base/span.h"
#include "page/texts_frame.h"
#include "page/texts_review.h"
#include "page/texts_service.h"

/* A branch of screens adds its table here. */
#define TEXTS(X) TEXTS_FRAME(X) TEXTS_SERVICE(X) TEXTS_REVIEW(X)

enum language { LANGUAGE_ENGLISH, LANGUAGE_GERMAN, LANGUAGE_COUNT };

#define TEXTS_NAME(name, english, german) name,
enum text { TEXT_NONE, TEXTS(TEXTS_NAME) TEXT_COUNT };
#undef TEXTS_NAME

/* Of TEXT_NONE: nothing. */
struct span word_of(enum language language, enum text text);

/* The notice that a page is asked to show: by its name, "SIGNED_OUT" of TEXT_NOTICE_SIGNED_OUT. NONE: there is none. */
enum text text_find_notice(struct span name);
/* Likewise back; of no notice: "". */
const char *text_notice_name(enum text text);

/* "en", "de": for lang=, a cookie and a parameter. */
const char *language_code(enum language language);
/* "English", "Deutsch": in that language itself. */
const char *language_name(enum language language);
/* What separates groups of digits. */
char language_group(enum language language);
/* False, and *out as it was: there is none of that code. */
bool language_find(struct span code, enum language *out);
/* The best of an Accept-Language that the page has; English when it has none. */
enum language language_accepted(struct span header);

#endif
