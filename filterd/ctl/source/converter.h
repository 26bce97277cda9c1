/* converter.h - the text of PDF and office files.
 *
 * The files may be hostile: pdftotext (poppler) and unzip read them, where they are installed, each in a jail (jailed.h). Of an office
 * file expat then reads the parts that have its text (office_text.h). Not for several threads. */
#ifndef FILTERD_CTL_SOURCE_CONVERTER_H
#define FILTERD_CTL_SOURCE_CONVERTER_H

#include "base/buf.h"

/* Whether a file of that name is such a document, by its ending: .pdf, .docx, .odt and the like; also .doc, .xls and .ppt, which nothing
 * here converts. */
bool converter_knows(const char *name);
/* Whether it is one that converter_run takes. */
bool converter_reads(const char *name);

/* Appends the text, UTF-8 with at least one byte, to `out`, whose ceiling holds. *is_partial: the program met errors and went on, so that
 * some of the text may be missing. False when there is no text: err says why, and quotes nothing of the document. NO_MEMORY and SYSTEM are
 * failures of the machine; of any other kind, the next document may do better. */
MUST_CHECK bool converter_run(const char *name, struct span document, struct buf *out, bool *is_partial, struct error *err);

#endif
