/* html.h - HTML writer: markup from literals, everything else escaped.
 *
 * Names of agents, tenants and callers are hostile. They are written only by the functions below: tests/check-html rejects other
 * appends to a buffer in this folder. Invisible and bidirectional characters, and combining marks after the first HTML_MARKS in a
 * row, are shown as [U+202E]; bytes that are not UTF-8 as [x9C]. Attribute values are always in double quotes, and addresses
 * consist of a literal path and parts from html_url.
 *
 * After a failed append the writer does nothing more; the code that ends the page checks `has_failed`. A page is limited to
 * HTML_PAGE_MAX bytes. One thread. */
#ifndef FILTERD_PAGE_HTML_H
#define FILTERD_PAGE_HTML_H

#include <stdint.h>

#include "base/buf.h"
#include "page/texts.h"

enum { HTML_PAGE_MAX = 100 * 1000, HTML_MARKS = 3 };

struct html {
    struct buf *out;
    enum language language;
    struct error *err;
    size_t begin; /* offset of the page in `out` */
    bool has_failed;
};

/* `out` and `err` are borrowed. */
void html_init(struct html *h, struct buf *out, enum language language, struct error *err);

/* Markup; anything but a literal does not compile. */
#define HTML(h, literal) html_markup((h), span_of("" literal "", sizeof("" literal "") - 1))
void html_markup(struct html *h, struct span literal);

/* Text between tags. */
void html_text(struct html *h, struct span text);
/* Lines of a text in <pre>, each terminated. */
void html_lines(struct html *h, struct span text);
/* html_text within <bdi>, so that a right-to-left name does not affect the rest of the line. */
void html_name(struct html *h, struct span name);
/* Within the double quotes of an attribute that is neither an address nor a script. */
void html_attribute(struct html *h, struct span value);
/* One part of a path or one value of a query string, percent-encoded, within the double quotes of an attribute. */
void html_url(struct html *h, struct span part);

/* A number with the language's group separator. */
void html_number(struct html *h, uint64_t n);
/* A number without separators, for identifiers; also within attributes and addresses. */
void html_id(struct html *h, uint64_t n);
/* <time> in UTC, to the second; a dash for 0. */
void html_time(struct html *h, int64_t utc_ns);

/* A text in the page's language; also within attributes. */
void html_word(struct html *h, enum text text);
/* A text with one %s, which is replaced by `value`, escaped like html_text. */
void html_phrase(struct html *h, enum text text, struct span value);
/* The same with a number. */
void html_count(struct html *h, enum text text, uint64_t n);

#endif
