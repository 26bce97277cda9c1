/* frame.h - what all pages have: head, navigation, who is signed in, notices, foot; and the forms, whose tokens prove that this
 * session was shown this form (CSRF).
 *
 * Works on struct page alone: no service, no clock. Without a request the navigation has no numbers. */
#ifndef FILTERD_PAGE_FRAME_H
#define FILTERD_PAGE_FRAME_H

#include "page/page.h"

/* From <!doctype html> to the begin of <main>, with the title as <h1>. */
void page_begin(struct page *p, enum text title);
/* Ends <main> and the page. */
void page_end(struct page *p);

/* <form method="post"> to the path of a screen, whose braces become `part`, with its token. Nothing else writes a form that
 * changes something. */
void form_begin(struct page *p, const char *path, struct span part);
void form_end(struct page *p);
/* <input type="hidden">; `name` is a literal of ours. */
void form_hidden(struct page *p, const char *name, struct span value);
/* <button type="submit"> */
void form_button(struct page *p, enum text text);

/* The token of a form to that path. False: it could not be made. */
bool form_token(const struct page *p, const char *path, char hex[PAGE_TOKEN_HEX + 1]);

/* The path of a screen as an address, within double quotes. */
void page_address(struct page *p, const char *path, struct span part);

#endif
