/* fold_run.h - a run: ASCII token characters and whatever the fold table knows (letters of the
 * alphabets with spaces, invisible characters, marks, compatibility forms of ASCII), without a character
 * of another kind between. */
#ifndef FILTERD_VIEW_FOLD_RUN_H
#define FILTERD_VIEW_FOLD_RUN_H

#include "view/pending.h"

struct fold_run {
    size_t to; /* its end */
    size_t len, letters, digits, signs, compat, marks, hidden, foreign, points;
    size_t pending_hidden; /* invisible ones that nothing of the run follows yet */
    size_t group;          /* digits since the last dash or space */
    size_t groups;         /* behind a dash or space that is not ASCII */
    size_t odd_groups;     /* not of three digits, as those of large numbers are */
    bool has_obfuscated_word; /* letters that only resemble where they cannot be meant */
};

/* Where a stretch ends that starts at `at`: ASCII characters of whatever kind in a compatibility form, one behind another or
 * with single spaces or line ends between; `at` when there are too few. */
size_t fold_stretch_end(struct span text, size_t at);
/* Where invisible characters end that start at `at`, when they are between ASCII characters; else `at`. */
size_t fold_hidden_end(struct span text, size_t at);

/* The run that starts at `at`; an empty one when no character of a run is there. */
void fold_run_read(struct span text, size_t at, struct fold_run *run);
/* Whether it would become ASCII, and something in it says that it was meant to be. */
bool fold_run_is_obfuscated(const struct fold_run *run);

/* The run, and the stretch, at the end of the text: more of it may say that it is obfuscated. Its characters that are not
 * ASCII may then be read as others where they are. */
struct pending fold_run_pending(struct span text, size_t first);
/* The run before what is pending, too: an escape may be one of its characters. */
struct pending fold_run_pending_before(struct span text, size_t first, struct pending p);

#endif
