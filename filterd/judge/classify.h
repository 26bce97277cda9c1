/* classify.h - what classifiers say of a text, as findings like any rule's.
 *
 * A text is judged unit by unit, as the policy's `hold` says: sentences, paragraphs or all of it (view/segment.h). Each
 * unit is judged by itself, so that what is found is the same for a text that comes in chunks. Classifiers read the text as it
 * was sent; a text that was redacted is not judged again by them, for its units are others. */
#ifndef FILTERD_JUDGE_CLASSIFY_H
#define FILTERD_JUDGE_CLASSIFY_H

#include "judge/find.h"

/* Adds findings of the request's text. With request->classify.is_open the last unit, which may go on, is left out. */
MUST_CHECK bool classify_text(struct finder *f, const struct find_request *request, struct finding_list *list,
                              struct error *err);

/* The bytes of the first unit of the text; 0: more of it has to come. */
size_t classify_unit(enum hold_unit hold, struct span text, bool is_whole);

#endif
