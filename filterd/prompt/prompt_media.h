/* prompt_media.h - the text in files that nothing here can read: what a program like strings(1) shows of them.
 *
 * Comments of an image, its place and camera, streams of a PDF that are not compressed, entries of an archive that are stored; and what is
 * no such file but its first bytes. */
#ifndef FILTERD_PROMPT_PROMPT_MEDIA_H
#define FILTERD_PROMPT_PROMPT_MEDIA_H

#include "base/arena.h"
#include "base/span.h"

/* Whether it is a data URL of base64 that is written with blanks, which its readers skip and no view does. */
bool prompt_is_spaced(struct span text);

/* The longer stretches of text (view/decoded_text.h) in the bytes of a file, or in those that its base64 or its data URL says, a line each. In
 * the arena; empty when there are none. */
MUST_CHECK bool prompt_media_text(struct arena *a, struct span media, struct span *out, struct error *err);

#endif
