/* office_text.h - the text of the XML parts of an office file, by expat.
 *
 * OOXML (ECMA-376: .docx, .xlsx, .pptx and their variants) and OpenDocument 1.3 (.odt, .ods, .odp). Elements are known by their local
 * names. Read is what is shown: no deleted or moved text, no formula, no code of a field. Paragraphs, cells and line breaks separate
 * words. Notes, comments and text boxes that stand inside a paragraph come behind all paragraphs of their part, so that they do not
 * divide it. Cells of .xlsx are as they are stored: numbers have no format, and a date is a number.
 *
 * Files come from outsiders: a document type declaration is refused, so that there is no entity to expand, and elements are at most
 * OFFICE_DEPTH deep. Thread-safe. */
#ifndef FILTERD_CTL_SOURCE_OFFICE_TEXT_H
#define FILTERD_CTL_SOURCE_OFFICE_TEXT_H

#include "base/buf.h"

enum { OFFICE_DEPTH = 256 };

enum office_kind {
    OFFICE_WORDS,  /* .docx, .pptx */
    OFFICE_SHEETS, /* .xlsx: the shared strings are the first part */
    OFFICE_OPEN,   /* OpenDocument */
};

/* Appends the text to `out`, whose ceiling holds; UTF-8. `parts` are XML documents one after another, each behind its length in bytes:
 * decimal digits and a newline. Errors name a part by its number and line, and nothing of what is in it. */
MUST_CHECK bool office_text(enum office_kind kind, struct span parts, struct buf *out, struct error *err);

#endif
