/* texts.h - the page's texts in each language.
 *
 * A text is a row of a table (texts_frame.h, texts_review.h, texts_service.h,
 * texts_fleet.h, texts_passkeys.h): name, English, German. A text has a %s for a value
 * in all languages or in none. Texts contain no markup. */
#ifndef FILTERD_PAGE_TEXTS_H
#define FILTERD_PAGE_TEXTS_H

#include "base/span.h"
#include "page/texts_frame.h"
#include "page/texts_review.h"
#include "page/texts_service.h"
#include "page/texts_fleet.h"
#include "page/texts_passkeys.h"

#define TEXTS(X) TEXTS_FRAME(X) TEXTS_SERVICE(X) TEXTS_REVIEW(X) TEXTS_FLEET(X) TEXTS_PASSKEYS(X)

enum language { LANGUAGE_ENGLISH, LANGUAGE_GERMAN, LANGUAGE_COUNT };

#define TEXTS_NAME(name, english, german) name,
enum text { TEXT_NONE, TEXTS(TEXTS_NAME) TEXT_COUNT };
#undef TEXTS_NAME

/* Empty for TEXT_NONE. */
struct span word_of(enum language language, enum text text);

/* A notice by its name in an address, "SIGNED_OUT" for TEXT_NOTICE_SIGNED_OUT. TEXT_NONE: unknown. */
enum text text_find_notice(struct span name);
/* The inverse; "" for other texts. */
const char *text_notice_name(enum text text);

/* "en", "de": for the attribute lang, the cookie and the parameter. */
const char *language_code(enum language language);
/* "English", "Deutsch". */
const char *language_name(enum language language);
/* Separator of digit groups. */
char language_group(enum language language);
/* False, with *out unchanged: unknown code. */
bool language_find(struct span code, enum language *out);
/* The preferred supported language of an Accept-Language header; English if there is none. */
enum language language_accepted(struct span header);

#endif
