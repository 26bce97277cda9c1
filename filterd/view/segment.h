/* segment.h - where a sentence or a paragraph of a text ends.
 *
 * What is judged as a whole ends in the same place however the text is cut into chunks: the length of the first
 * segment depends on its own bytes and on at most SEGMENT_AHEAD behind them. No segment is longer than its bound,
 * whatever the text: what goes on longer is cut behind a space, or else between two characters.
 *
 * A sentence ends behind a full stop, question or exclamation mark with the closing marks and the one white space that
 * follow it, behind a full stop of Chinese or Japanese, or behind a new line that is not followed by a small letter
 * (text that is wrapped goes on). A paragraph is sentences up to and with a blank one, or up to its bound. */
#ifndef FILTERD_VIEW_SEGMENT_H
#define FILTERD_VIEW_SEGMENT_H

#include "base/span.h"

enum segment_unit { SEGMENT_SENTENCE, SEGMENT_PARAGRAPH };

enum { SEGMENT_SENTENCE_MAX = 512, SEGMENT_PARAGRAPH_MAX = 4096, SEGMENT_AHEAD = 16 };

/* The bytes that the text's first segment takes; 0 while the text does not say, which it always does once it has
 * the unit's bound and SEGMENT_AHEAD bytes, or is_whole and not empty. */
size_t segment_first(enum segment_unit unit, struct span text, bool is_whole);

#endif
