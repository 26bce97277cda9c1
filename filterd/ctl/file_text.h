/* file_text.h - the text of a file as a person who opens it would see it: unpacked, in UTF-8, without a mark in front.
 *
 * gzip is unpacked once; UTF-16 and UTF-32 are known by their marks. Places in what comes out are places in that text. */
#ifndef FILTERD_CTL_FILE_TEXT_H
#define FILTERD_CTL_FILE_TEXT_H

#include "base/buf.h"

/* Turns the bytes of a file into its text, which keeps the buffer's ceiling. *skipped says why there is none (binary,
 * packed in another form); NULL: it is one. Fails when it is longer than the ceiling, or gzip data is not whole. */
MUST_CHECK bool file_text_decode(struct buf *bytes, const char **skipped, struct error *err);

/* The bytes are text as they are: file_text_decode would change nothing and skip nothing. */
bool file_text_is_plain(struct span bytes);

#endif
