/* languages.h - texts in other languages than English, to learn the head `language` from and to measure it by.
 *
 * A file is sections, "== name group": sentences of that language, one a line, and lines that begin with "> ", its small
 * words. Texts are put together of sentences, and of words of sentences and small ones in any order; a group is the
 * languages' family. Every fifth sentence goes into texts of the group "other sentences" instead. Of the group
 * "scripts" each line is a text, which is only measured. Lines that begin with "# " say nothing. The same file gives the
 * same texts. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_LANGUAGES_H
#define FILTERD_CLASSIFIERS_TRAIN_LANGUAGES_H

#include "classifiers/train/corpus.h"

MUST_CHECK bool languages_add(struct corpus *c, const char *path, struct error *err);

/* Texts of the data that are said to be in English and are not do not count as such, but are measured as what they are: those
 * that a list names ("file TAB row TAB language"; NULL: none), and those of which a fifth is in another script. Those with a
 * little of one are neither. */
MUST_CHECK bool languages_set_apart(struct corpus *c, const char *list, struct error *err);

#endif
