/* html.h - writes a page: markup from literals, everything else escaped.
 *
 * Names of agents, tenants and callers are hostile. They reach a page by the functions below and by no other: tests/check-html
 * forbids files of this folder to append to a buffer. Characters that are invisible or change the direction of a line, and
 * combining marks beyond HTML_MARKS in a row, are shown as [U+202E]; bytes that are no UTF-8 as [x9C]. Values of attributes are
 * always in double quotes, and addresses are made of a literal path with parts from html_url.
 *
 * The first failed append makes the writer fail; later ones do nothing, and who ends the page asks `has_failed`. A page has a
 * ceiling of HTML_PAGE_MAX. One thread. */
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
    size_t begin; /* where the page begins in `out` */
    bool has_failed;
};

/* `out` and `err` are borrowed. */
void html_init(struct html *h, struct buf *out, enum language language, struct error *err);

/* Markup, only ever a literal: anything else does not compile. */
#define HTML(h, literal) html_markup((h), span_of("" literal "", sizeof("" literal "") - 1))
void html_markup(struct html *h, struct span literal);

/* Between tags. */
void html_text(struct html *h, struct span text);
/* Lines of a text in <pre>, each ended. */
void html_lines(struct html *h, struct span text);
/* The same as html_text within <bdi>: a name that is written from right to left leaves the rest of the line alone. */
void html_name(struct html *h, struct span name);
/* Between the double quotes of an attribute that is neither an address nor a script. */
void html_attribute(struct html *h, struct span value);
/* One part of a path, or one value of its query, between the double quotes of an attribute: percent-encoded. */
void html_url(struct html *h, struct span part);

/* Digits in groups, as the language writes them. */
void html_number(struct html *h, uint64_t n);
/* The same without groups, for numbers that identify: also within attributes and addresses. */
void html_id(struct html *h, uint64_t n);
/* <time> of UTC, in seconds; a dash for 0. */
void html_time(struct html *h, int64_t utc_ns);

/* A text of the page's language, also within attributes. */
void html_word(struct html *h, enum text text);
/* A text with one %s, in place of which `value` is written by html_text. */
void html_phrase(struct html *h, enum text text, struct span value);
/* The same with a number. */
void html_count(struct html *h, enum text text, uint64_t n);

#endif
