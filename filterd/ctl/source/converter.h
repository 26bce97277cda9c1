/* converter.h - the text of PDF and office files.
 *
 * Their formats are hostile ground: pdftotext (poppler) and unzip read them, each in a jail (jailed.h), where they are installed. Of an
 * office file expat then reads the parts that have its text (office_text.h). Not for several threads. */
#ifndef FILTERD_CTL_SOURCE_CONVERTER_H
#define FILTERD_CTL_SOURCE_CONVERTER_H

#include "base/buf.h"

/* Whether a file of that name is such a document, by its ending: .pdf, .docx, .odt and the like, .doc too, which nothing here converts. */
bool converter_knows(const char *name);

/* Appends the text, UTF-8 with at least one byte, to `out`, whose ceiling holds. *is_partial: the program met errors and went on, so
 * that some of the text may be missing. False when there is no text: err says why, without a word of the document. NO_MEMORY and SYSTEM are the
 * machine's failures; of any other kind, the next document may do better. */
MUST_CHECK bool converter_run(const char *name, struct span document, struct buf *out, bool *is_partial, struct error *err);

#endif
