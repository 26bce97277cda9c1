/* manual.h - the lists of tags (.TP) of a manual page, without fonts. */
#ifndef FILTERD_TESTS_SUPPORT_MANUAL_H
#define FILTERD_TESTS_SUPPORT_MANUAL_H

#include <stdbool.h>

enum { MANUAL_TEXT_MAX = 16 * 1024 };

/* Where in a page; `at` begins at its text, which is changed. */
struct manual {
    char *at;
    unsigned depth; /* of lists in lists, .RS */
};

/* A tag, and all behind it. */
struct manual_entry {
    char tag[MANUAL_TEXT_MAX], text[MANUAL_TEXT_MAX];
};

/* Behind a heading (.SH, .SS); with a key, into the list below the key's tag. */
bool manual_seek(struct manual *m, const char *section, const char *key);
/* The next entry at this depth; false at the end of the list. Lists inside belong to the text. */
bool manual_next(struct manual *m, unsigned depth, struct manual_entry *e);
/* Whether a name is one of a tag's: "url, ca (file)" has two. */
bool manual_has_name(const char *tag, const char *name);

#endif
