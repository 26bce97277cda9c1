/* frame.h - the frame of all pages: head, navigation, signed-in user, notices, footer; and forms with CSRF tokens, which are bound
 * to a session and an address.
 *
 * Depends only on struct page: no service, no clock. Without a request the navigation has no counts. */
#ifndef FILTERD_PAGE_FRAME_H
#define FILTERD_PAGE_FRAME_H

#include "page/page.h"

/* From <!doctype html> to the start of <main>, with the title as <h1>. */
void page_begin(struct page *p, enum text title);
/* Ends <main> and the page. */
void page_end(struct page *p);

/* <form method="post"> with its token, to the path of a screen with `part` in place of the braces. All forms that change
 * something are written by it. */
void form_begin(struct page *p, const char *path, struct span part);
void form_end(struct page *p);
/* <input type="hidden">; `name` must be a literal. */
void form_hidden(struct page *p, const char *name, struct span value);
/* <button type="submit"> */
void form_button(struct page *p, enum text text);

/* The token of a form to that path. False on failure. */
bool form_token(const struct page *p, const char *path, char hex[PAGE_TOKEN_HEX + 1]);

/* The address of a screen, within double quotes. */
void page_address(struct page *p, const char *path, struct span part);

#endif
